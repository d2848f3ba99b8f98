package import GuardModel

/// The programs that have to start anew, by the serials of their instances, and what they answered.
///
/// Pure: `GuardState` fills it, and the shell tells the programs and keeps the entries that changed.
package struct RestartBook: Sendable {
  var restarts: [UInt64: Restart] = [:]
  /// Requests that programs are to hear of.
  private(set) var unasked: Set<UInt64> = []
  /// Serials whose entry changed since it was kept.
  private(set) var changed: Set<UInt64> = []
  /// No deadline is before it.
  private(set) var due = UInt64.max
  var count: UInt64 = 0

  package init() {}

  /// Milliseconds that a program has to answer: a person may have to save something first.
  package static let answerTime: UInt64 = 300_000

  mutating func set(_ restart: Restart?, of serial: UInt64) {
    guard restarts[serial] != restart else { return }
    restarts[serial] = restart
    changed.insert(serial)
    if restart == nil { unasked.remove(serial) }
    if let restart, restart.step == .asked { due = min(due, restart.request.deadline) }
  }

  mutating func ask(_ serial: UInt64) { unasked.insert(serial) }

  /// The programs whose time to answer is over.
  mutating func takeSilent(at time: UInt64) -> [UInt64] {
    guard due <= time else { return [] }
    let asked = restarts.filter { $0.value.step == .asked }
    due = asked.values.map(\.request.deadline).filter { $0 > time }.min() ?? .max
    return asked.filter { $0.value.request.deadline <= time }.keys.sorted()
  }

  mutating func takeUnasked() -> [UInt64] {
    defer { unasked = [] }
    return unasked.sorted()
  }

  /// The entries that changed since the last call; nil for those that are gone.
  package mutating func takeChanges() -> [UInt64: KeptRestart?] {
    guard !changed.isEmpty else { return [:] }
    defer { changed = [] }
    return Dictionary(uniqueKeysWithValues: changed.map { ($0, restarts[$0].map(KeptRestart.init)) })
  }
}

/// One program that has to start anew.
struct Restart: Sendable, Hashable {
  var request: RestartRequest
  /// What it is about: the digest of the policy whose rules it lacks, or the folded name of the account that it has.
  /// Something else is another request.
  var need: String
  var step = RestartStep.asked
}

/// A request to start anew, as another daemon has to know it: what was answered is not asked again.
package struct KeptRestart: Sendable, Hashable {
  package var request: RestartRequest
  package var need: String
  package var step: RestartStep

  package init(_ request: RestartRequest, need: String, step: RestartStep) {
    (self.request, self.need, self.step) = (request, need, step)
  }

  init(_ restart: Restart) { self.init(restart.request, need: restart.need, step: restart.step) }
}
