import GuardModel
import PolicyEngine
import TestSupport

/// Properties of the same histories that ask neither guard nor model: nothing is destroyed by mistake, and nobody is
/// trusted for being killed.
struct AccountSafety {
  /// What is written down of wipes with the state.
  private struct Waiting {
    /// Running time that counted since each wipe began, and the time that it has to wait.
    var counted: [String: UInt64] = [:]
    var delays: [String: UInt64] = [:]
  }

  private var waiting = Waiting()
  private var keptWaiting = Waiting()
  private var archivedWaiting = Waiting()
  /// Wipes that administrators wanted without a delay.
  var hurried: Set<String> = []
  /// As many wipes an administrator allows in this step.
  var allowed: Int?
  /// The ends of all bad words.
  private var badUntil: [String: Set<UInt64>] = [:]
  /// So long the machine ran in this step while its clock was right; nil when it did not.
  private var elapsed: UInt64?
  /// The accounts that could not work when the state was kept, and when that was; nil when nobody knows.
  private var kept: (restricted: Set<String>, digest: String, time: UInt64)?

  // MARK: Wipes

  mutating func ran(_ running: RunningTime) {
    guard running.isSynchronised else { return }
    elapsed = running.elapsed
    for request in waiting.counted.keys { waiting.counted[request, default: 0] += running.elapsed }
  }

  /// The next daemon has what was kept.
  mutating func restart() { waiting = keptWaiting }

  /// The state file is old, or of a clock that was wrong.
  mutating func beginAnew() {
    for request in waiting.counted.keys {
      waiting.counted[request] = 0
      waiting.delays[request] = max(waiting.delays[request] ?? 0, 72 * AccountHistory.hour)
    }
  }

  /// The step's events; the property that one of them breaks.
  mutating func note(_ events: [AccountEvent], _ model: AccountModel, facts: [String: Fact]) -> String? {
    defer { (allowed, elapsed) = (nil, nil) }
    var begun = 0
    for event in events {
      guard let request = event.request, let cause = event.cause else { continue }
      switch event.act {
      case .wipeBegun:
        if cause.isAutomatic { begun += 1 }
        // The wall clock may have gone on first, in the same step.
        waiting.counted[request] = elapsed ?? 0
        waiting.delays[request] = hurried.contains(request) ? 0 : model.policy.wiping.delay
      case .wipeStarted:
        if let fault = fault(ofDestruction: request, cause, model, facts) { return "\(request) \(fault)" }
      default: break
      }
    }
    guard begun <= 1 || begun == allowed else { return "\(begun) wipes begin at once" }
    return nil
  }

  /// A jump of the clock, an old file and silence count nothing.
  private func fault(
    ofDestruction request: String, _ cause: WipeCause, _ model: AccountModel, _ facts: [String: Fact]
  ) -> String? {
    guard elapsed != nil else { return "destroys although no running time passed" }
    guard model.policy.wiping.mode == .on, model.policy.wiping.causes.contains(cause) else {
      return "destroys although the policy does not say so"
    }
    let (waited, delay) = (waiting.counted[request] ?? 0, waiting.delays[request] ?? .max)
    guard waited >= delay else { return "is destroyed after \(waited) instead of \(delay), for \(cause)" }
    guard cause == .conditionalLaunch else { return nil }
    let isBad = model.policy.conditions.contains { condition in
      let (time, fact) = (model.time, facts[condition.check])
      if condition.action == .wipe, let fact, fact.value == .truth(false), fact.until == nil { return true }
      // A word holds to its end, also when its file is gone; none holds longer than a week.
      return condition.action == .wipe
        && (badUntil[condition.check] ?? []).contains { $0 > time && $0 <= time + 7 * AccountHistory.day }
    }
    return isBad ? nil : "destroys without a bad word"
  }

  mutating func read(_ facts: [String: (holds: Bool, until: UInt64?)]) {
    for (check, fact) in facts where !fact.holds {
      if let until = fact.until { badUntil[check, default: []].insert(until) }
    }
  }

  // MARK: Kills

  mutating func keep(_ accounts: [ListedAccount], _ model: AccountModel) {
    kept = (restricted(accounts), model.policy.digest, model.time)
    keptWaiting = waiting
  }

  mutating func archive() { archivedWaiting = waiting }

  mutating func recallArchive() { (kept, keptWaiting) = (nil, archivedWaiting) }

  private func restricted(_ accounts: [ListedAccount]) -> Set<String> {
    // A registered account waits for an attempt, and a start of the daemon is one, as a reload is.
    Set(accounts.filter { ![.enrolled, .unmanaged, .registered].contains($0.state) }.map(name))
  }

  private func name(_ listed: ListedAccount) -> String { "\(listed.person) \(listed.app) \(listed.account)" }

  /// Under the same policy and at the same time nobody works who could not when the state was kept. What a program's
  /// version forbade, and which groups its person has, is not known of programs that are gone.
  mutating func restarted(_ accounts: [ListedAccount], _ model: AccountModel) -> String? {
    defer { kept = nil }
    guard let kept, kept.time == model.time, kept.digest == model.policy.digest,
      !model.policy.conditions.contains(where: { $0.check == AccountModel.Condition.ofProgram }),
      model.policy.groups.isEmpty
    else { return nil }
    let trusted = kept.restricted.subtracting(restricted(accounts)).intersection(accounts.map(name))
    return trusted.isEmpty ? nil : "more trusted than before the kill: \(trusted.sorted())"
  }
}
