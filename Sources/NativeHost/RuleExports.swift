internal import Glibc
internal import Platform
internal import Synchronization
package import WebViewGuardClient

/// The explicit rules for a class, written by `webviewguard export` in a process of its own and read on a thread of its
/// own: a policy with long lists takes longer than a question may wait.
final class RuleExports: Sendable {
  private let output: NativeMessageOutput
  private let running = Mutex<Set<pid_t>>([])

  private static let mostRunning = 4
  /// More than any browser takes.
  private static let mostBytes = 64 << 20

  init(output: NativeMessageOutput) { self.output = output }

  /// Begins an export; the replies to the question with that id are sent when the rules are there.
  func begin(_ id: GuardValue, _ arguments: [String]) throws(NativeRefusal) {
    guard running.withLock({ $0.count < Self.mostRunning }),
      let (process, text) = ChildProgram.startReading(["/proc/self/exe"] + arguments)
    else { throw Self.notStarted }
    running.withLock { _ = $0.insert(process) }
    let isReading = PlatformThread.start { [self] in
      let rules = ChildProgram.readAll(text, most: Self.mostBytes)
      for reply in RuleReplies.make(id, rules) { try? output.send(reply) }
      finish(process)
    }
    guard isReading else {
      close(text)
      finish(process)
      throw Self.notStarted
    }
  }

  /// Ends the exports that are under way.
  func stop() {
    for process in running.withLock({ $0 }) { finish(process) }
  }

  private static let notStarted = NativeRefusal.rulesUnavailable("the export could not be started")

  /// Kills and reaps a process whose output is no longer needed; under the lock, so that its number is no other's yet.
  private func finish(_ process: pid_t) {
    running.withLock { running in
      guard running.remove(process) != nil else { return }
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
  }
}

/// The rules as messages, each below a browser's limit.
package enum RuleReplies {
  /// The replies to the question with an id; an error when there is no text, or it has no rules.
  package static func make(_ id: GuardValue, _ text: [UInt8]?) -> [GuardValue] {
    let document = text.flatMap { ValueReader.read($0[...]) }
    guard let rules = document?.array else {
      return [NativeRefusal.rulesUnavailable("the policy cannot be read, or exported").reply(to: id)]
    }
    let parts = parts(rules)
    return parts.enumerated().map { index, part in
      ["id": id, "part": .integer(index), "parts": .integer(parts.count), "rules": .array(part)]
    }
  }

  /// At least one part, even if it is empty.
  private static func parts(_ rules: [GuardValue]) -> [[GuardValue]] {
    var parts: [[GuardValue]] = [[]]
    var length = 0
    for rule in rules {
      let own = rule.text.utf8.count + 1
      if length + own > NativeMessageOutput.maximumLength / 2 {
        parts.append([])
        length = 0
      }
      parts[parts.count - 1].append(rule)
      length += own
    }
    return parts
  }
}

/// The offers of recent decisions, and the programs that were started for them.
///
/// A program is started by the id of a decision only: the policy chose the program and its URL. Each decision opens
/// once, so that a page that asks again and again opens nothing more.
struct OfferedPrograms {
  private var offers: [(decision: String, offer: GuardDecision.Offer)] = []
  private var running: [pid_t] = []

  private static let most = 256

  /// Keeps the offer of a decision.
  mutating func keep(_ decision: GuardDecision) {
    guard !decision.id.isEmpty, !decision.isRepeat, let offer = decision.open else { return }
    if offers.count >= Self.most { offers.removeFirst() }
    offers.append((decision.id, offer))
  }

  /// Starts the program that the decision offers, or the best of its fallbacks that can be started.
  mutating func open(_ decision: String) throws(NativeRefusal) {
    reap()
    guard let index = offers.firstIndex(where: { $0.decision == decision }) else { throw .nothingToOpen }
    let offer = offers.remove(at: index).offer
    for choice in [offer] + offer.fallback {
      guard let process = ChildProgram.startApart(Self.command(choice)) else { continue }
      return running.append(process)
    }
    throw .cannotOpen("none of the programs that the policy offers could be started")
  }

  /// The command of the policy; else the desktop's way to start a desktop file, or the handler of a scheme.
  private static func command(_ offer: GuardDecision.Offer) -> [String] {
    if let argv = offer.argv, !argv.isEmpty { return argv }
    guard let desktopFile = offer.desktopID else { return ["xdg-open", offer.url] }
    let suffix = ".desktop"
    let name = desktopFile.hasSuffix(suffix) ? String(desktopFile.dropLast(suffix.count)) : desktopFile
    return ["gtk-launch", name, offer.url]
  }

  /// Reaps programs that have ended.
  private mutating func reap() {
    running.removeAll { waitpid($0, nil, WNOHANG) != 0 }
  }
}
