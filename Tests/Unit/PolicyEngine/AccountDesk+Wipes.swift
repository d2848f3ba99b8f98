import GuardModel
import PolicyEngine

/// Wipes at the desk: who asks, what the shell is told, and running time.
extension AccountDesk {
  mutating func remove(_ account: String, by caller: Caller) throws -> AccountAnswer {
    try engine.perform(.deregister(account, .remove), for: caller, at: time)
  }

  /// Login user 500 wipes an account in all apps of a person.
  @discardableResult
  mutating func wipeByAdministrator(
    _ account: String, of person: UInt32 = 1000, now: Bool = false
  ) throws(AccountRefusal) -> ListedWipe {
    try engine.wipe(
      account, person: person, app: nil, reason: "left the company", now: now, approver: 500, at: time)
  }

  mutating func restoreByAdministrator(_ account: String) throws(AccountRefusal) {
    try engine.restore(account, person: 1000, reason: "a mistake", at: time)
  }

  // MARK: Running time

  static let running = RunningTime(
    elapsed: 600_000, sinceBoot: 10 * day, isSynchronised: true, isCheckedInSinceBoot: false)

  /// Hours pass in steps of ten minutes.
  mutating func run(hours: UInt64, _ running: RunningTime = running) {
    for _ in 0..<hours * 6 { run(600_000, running) }
  }

  mutating func run(minutes: UInt64) {
    var running = Self.running
    running.elapsed = 60_000
    for _ in 0..<minutes { run(60_000, running) }
  }

  private mutating func run(_ milliseconds: UInt64, _ running: RunningTime) {
    pass(milliseconds)
    _ = engine.run(running, at: time)
    effects += engine.state.wipeBook.takeEffects()
  }

  // MARK: What the shell is told

  /// The apps that were asked since the last time, each with the account.
  mutating func asked() -> [String] {
    effects += engine.state.wipeBook.takeEffects()
    var asked: [String] = []
    effects.removeAll { effect in
      guard case .ask(_, let app, let account, let request, _) = effect else { return false }
      lastRequest = request
      asked.append("\(app) \(account)")
      return true
    }
    return asked
  }

  /// The orders for the helper since the last time.
  mutating func orders() -> [String] {
    effects += engine.state.wipeBook.takeEffects()
    var orders: [String] = []
    effects.removeAll { effect in
      guard case .removeFiles(_, let app, let account, let request) = effect else { return false }
      lastOrder = request
      orders.append("\(app) \(account)")
      return true
    }
    return orders
  }

  /// The app answers the request that came last.
  mutating func complete(_ result: RequestResult, by caller: Caller) throws -> AccountLifeState {
    try complete(lastRequest ?? "", result, by: caller)
  }

  mutating func complete(_ request: String, _ result: RequestResult, by caller: Caller) throws -> AccountLifeState {
    try engine.perform(.complete(request: request, result), for: caller, at: time).state
  }

  mutating func report(_ request: String, removed: UInt64, kept: UInt64) throws {
    try engine.state.filesRemoved(request, removed: removed, kept: kept, person: 1000, engine.snapshot)
  }

  /// The steps of wipes since the last time, each with its cause: `wipeBegun admin`
  mutating func wipeActs() -> [String] {
    engine.state.life.takeEvents().compactMap { event in event.cause.map { "\(event.act.rawValue) \($0.rawValue)" } }
  }

  // MARK: Other machines

  /// The next daemon has a file that it doubts: of another machine, or an old one.
  mutating func restartWithWipesBegunAnew() throws {
    var kept = KeptState()
    engine.state.takeChanges(into: &kept)
    kept.accounts.wipes = kept.accounts.wipes?.begunAnew
    restart(&kept)
  }
}

extension ExamplePolicy {
  /// The policy marks an account as wiped.
  mutating func mark(_ account: String, hasObjectID: Bool, since: UInt64) {
    work = AccountEntry(upn: account, objectID: hasObjectID ? "6D5C" : nil)
    (work.state, work.since) = (.wiped, since)
  }
}
