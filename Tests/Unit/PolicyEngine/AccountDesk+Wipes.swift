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

  /// The persons, apps and accounts that anything was asked or ordered of since the last time: `1000 APP ACCOUNT`
  mutating func touched() -> [String] {
    effects += engine.state.wipeBook.takeEffects()
    defer { effects = [] }
    return effects.compactMap { effect in
      switch effect {
      case .ask(let person, let app, let account, let request, _):
        lastRequest = request
        return "\(person) \(app) \(account)"
      case .removeFiles(let person, let app, let account, let request):
        lastOrder = request
        return "\(person) \(app) \(account)"
      case .destroyKeys(let person, let account): return "\(person) keys \(account)"
      case .dropOrder: return nil
      }
    }
  }

  // MARK: Other machines

  /// The daemon ends, and the next one starts so much later, on a file that may be too old by then.
  mutating func restart(after milliseconds: UInt64) {
    var kept = KeptState()
    engine.state.takeChanges(into: &kept)
    pass(milliseconds)
    engine = Guard(epoch: 2, under: engine.snapshot)
    engine.state.keepsPages = true
    engine.tick(at: time)
    engine.state.restore(kept.judged(at: time), living: [], engine.snapshot)
    engine.takeUpAccounts(at: time)
  }

  /// The next daemon has a file that it doubts: of another machine, or an old one.
  mutating func restartWithWipesBegunAnew() throws {
    var kept = KeptState()
    engine.state.takeChanges(into: &kept)
    kept.accounts.wipes = kept.accounts.wipes?.begunAnew
    restart(&kept)
  }
}

extension WipeSettings {
  /// Wipes for these causes, after 72 hours; apps have a day to answer.
  static func on(_ causes: Set<WipeCause>, _ change: (inout WipeSettings) -> Void = { _ in }) -> WipeSettings {
    var wipe = WipeSettings()
    (wipe.mode, wipe.causes, wipe.answerTime) = (.on, causes, AccountDesk.day)
    change(&wipe)
    return wipe
  }
}

extension LaunchCondition {
  /// A disk has to be encrypted, or the account's data goes.
  static var encryptedOrWiped: LaunchCondition {
    var condition = LaunchCondition("DiskEncrypted", .equals, .truth(true))
    condition.action = .wipe
    return condition
  }
}

extension ExamplePolicy {
  /// The portal's data of an account lies here.
  mutating func haveDirectories() {
    app.dataDirectories = ["~/.local/share/contoso/{account}"].compactMap { try? DataDirectory($0) }
  }

  /// The policy marks an account as wiped.
  mutating func mark(_ account: String, hasObjectID: Bool, since: UInt64) {
    work = AccountEntry(upn: account, objectID: hasObjectID ? "6D5C" : nil)
    (work.state, work.since) = (.wiped, since)
  }
}
