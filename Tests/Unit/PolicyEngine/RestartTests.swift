import GuardModel
import PolicyEngine
import Testing

/// Programs that have to start anew: when they are asked, how often, and what answers do. Ledger RS-01 to RS-03.
struct RestartTests {
  // MARK: When

  /// RS-01: a policy comes into force without a restart, the first one and all others.
  @Test func aPolicyNeedsNoRestart() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = try desk.printed(as: Name.work, by: portal)
    for _ in 0..<3 { desk.reload { $0.protection.clipboard.level = .blocked } }
    #expect(desk.restarts() == [])
    #expect(desk.engine.state.openRestart(of: portal.instance) == nil)
  }

  /// Rules of the configuration in force are fresh; of any other one they are stale, whatever the text is.
  @Test(
    arguments: [
      (nil, []), ("d1", []), ("d2", ["staticRules"]), ("", ["staticRules"]),
      (String(repeating: "x", count: 100_000), ["staticRules"]),
    ] as [(String?, [String])])
  func rulesAreStaleWhenTheyAreOfAnotherConfiguration(_ digest: String?, _ expected: [String]) throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    desk.engine.setRules(digest, of: portal.instance, at: desk.time)
    #expect(desk.restarts() == expected)
  }

  @Test func aReloadMakesRulesStaleAndTheNextOneFresh() throws {
    var desk = AccountDesk()
    let (portal, other) = (try desk.attach(), try desk.attach(person: 1001))
    desk.engine.setRules("d1", of: portal.instance, at: desk.time)
    desk.reload { _ in }
    #expect(desk.restarts() == ["staticRules"])
    #expect(desk.engine.state.openRestart(of: other.instance) == nil, "it has no such rules")
    desk.engine.adopt(AccountDesk.policy().snapshot)
    #expect(desk.engine.state.openRestart(of: portal.instance) == nil, "the rules are right again")
    // A program that could load others without a restart says so.
    desk.reload { _ in }
    desk.engine.setRules("d2", of: portal.instance, at: desk.time)
    #expect(desk.engine.state.openRestart(of: portal.instance) == nil)
  }

  /// The program has the data of the account that was fixed, or that it showed, when it began.
  @Test(arguments: [Name.work, nil]) func anotherFixedAccount(_ first: String?) throws {
    var desk = AccountDesk { $0.app.account = first }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    if first == nil { _ = try desk.printed(as: Name.work, by: portal) }
    _ = desk.acts()
    desk.reload { $0.app.account = Name.second }
    #expect(desk.restarts() == ["fixedAccount \(Name.work)"])
    #expect(desk.acts().filter { $0.hasPrefix("restart") } == ["restartAsked"])
    // Nothing is asked again, and it is over when the first account is back, or none is fixed.
    desk.reload { $0.app.account = Name.second }
    #expect(desk.restarts() == [])
    #expect(desk.engine.state.openRestart(of: portal.instance) != nil)
    desk.reload { $0.app.account = Name.work }
    #expect(desk.engine.state.openRestart(of: portal.instance) == nil)
  }

  /// The same account by its other name is the same account.
  @Test func theFixedAccountByAnotherName() throws {
    var desk = AccountDesk { $0.app.account = Name.work }
    _ = try desk.attach()
    desk.reload { $0.app.account = "6D5C" }
    #expect(desk.restarts() == [])
  }

  /// RS-03: an app that shows one account at a time, and no longer takes it. One with several signs out by itself.
  @Test(arguments: [(IdentityMode.single, ["accountMustGo \(Name.work)"]), (.multi, [])])
  func anAccountMustGo(_ mode: IdentityMode, _ expected: [String]) throws {
    var desk = AccountDesk { $0.app.identityMode = mode }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = try desk.printed(as: Name.work, by: portal)
    let change: (inout ExamplePolicy) -> Void = { policy in
      policy.app.identityMode = mode
      policy.app.accounts.allowed = [Name.second]
    }
    desk.reload(change)
    #expect(desk.restarts() == expected)
    guard mode == .single else { return }
    // What it tries to show again is refused, and it is the same account that has to go.
    _ = try desk.printed(as: Name.work, by: portal)
    desk.reload(change)
    #expect(desk.restarts() == [])
    #expect(desk.engine.state.openRestart(of: portal.instance) != nil)
    _ = desk.register(Name.second, by: portal)
    _ = try desk.printed(as: Name.second, by: portal)
    #expect(desk.engine.state.openRestart(of: portal.instance) == nil, "another account is shown")
  }

  // MARK: Answers

  /// RS-02: `done` is the SDK's true, and all others leave it to the person. Each counts once.
  @Test(arguments: RequestResult.allCases) func answers(_ result: RequestResult) throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    let stranger = try desk.attach(person: 1001)
    desk.engine.setRules("old", of: portal.instance, at: desk.time)
    let request = try #require(desk.engine.state.openRestart(of: portal.instance))
    #expect(request.deadline == desk.time + RestartBook.answerTime)
    #expect(desk.refusal(request.id, result, by: stranger) == .unknownRequest(request.id))
    _ = desk.acts()
    #expect(try desk.complete(request.id, result, by: portal) == .unknown)
    #expect(desk.acts() == ["restartAnswered"])
    #expect(desk.refusal(request.id, result, by: portal) == .requestIsOver(request.id))
    #expect(desk.notices().isEmpty == (result == .done))
    // It is not asked again for the same: by time, by another connection, by the same policy.
    desk.wait(30 * AccountDesk.day)
    _ = desk.engine.expireRestarts(at: desk.time)
    desk.engine.setRules("old", of: portal.instance, at: desk.time)
    #expect(desk.engine.state.openRestart(of: portal.instance) == nil)
    #expect(desk.engine.state.restarts.takeChanges().count == 1)
    // Another policy is another reason, unless the program is about to start anew anyway.
    desk.reload { _ in }
    #expect((desk.engine.state.openRestart(of: portal.instance) == nil) == (result == .done))
  }

  @Test func silenceIsRecordedOnceAndALateAnswerCounts() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    desk.engine.setRules("old", of: portal.instance, at: desk.time)
    let request = try #require(desk.engine.state.openRestart(of: portal.instance))
    _ = desk.acts()
    desk.wait(RestartBook.answerTime - 1)
    #expect(desk.engine.expireRestarts(at: desk.time) == false)
    #expect(desk.notices().isEmpty)
    desk.wait(1)
    #expect(desk.engine.expireRestarts(at: desk.time) == true)
    #expect(desk.engine.expireRestarts(at: desk.time + AccountDesk.day) == false)
    #expect(desk.acts() == ["restartAnswered"])
    #expect(desk.notices().count == 1)
    _ = try desk.complete(request.id, .done, by: portal)
    #expect(desk.notices().isEmpty)
  }

  /// The end of a program ends its request: the next one has the rules that it loads.
  @Test func aProgramThatEndedIsNotAsked() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    desk.engine.setRules("old", of: portal.instance, at: desk.time)
    let request = try #require(desk.engine.state.openRestart(of: portal.instance))
    _ = desk.engine.state.end(portal.instance)
    #expect(desk.restarts() == [])
    #expect(desk.engine.expireRestarts(at: desk.time + AccountDesk.day) == false)
    let next = try desk.attach()
    #expect(desk.refusal(request.id, .done, by: next) == .unknownRequest(request.id))
  }

  // MARK: Other daemons

  /// A request that was answered is not asked again by the next daemon, and one that was not is asked again with its old
  /// deadline.
  @Test(arguments: [nil, .done, .refused, .failed] as [RequestResult?])
  func aRestartOfTheDaemon(_ result: RequestResult?) throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    desk.engine.setRules("old", of: portal.instance, at: desk.time)
    let request = try #require(desk.engine.state.openRestart(of: portal.instance))
    if let result { _ = try desk.complete(request.id, result, by: portal) }
    let kept = desk.engine.state.restarts.takeChanges().compactMapValues { $0 }
    let serial = portal.instance.serial
    desk.pass(AccountDesk.hour)
    desk.engine = Guard(epoch: 2, under: desk.engine.snapshot)
    desk.engine.state.restore(kept, living: [serial])
    let again = try desk.engine.attach(
      app: AccountDesk.portal, peer: Peer(uid: 1000), serial: serial, at: desk.time)
    desk.engine.setRules("old", of: again, at: desk.time)
    #expect(desk.engine.state.openRestart(of: again) == (result == nil ? request : nil))
    #expect(desk.restarts() == [], "subscribers ask for what is open")
    #expect(desk.engine.expireRestarts(at: desk.time) == (result == nil))
    #expect(desk.notices().isEmpty == (result == .done))
    if result == nil { #expect(desk.notices().map(\.id) == ["restart/\(request.id)"]) }
  }

  /// A program that did not come back has no request, and the entry goes.
  @Test func aProgramThatDoesNotComeBack() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    desk.engine.setRules("old", of: portal.instance, at: desk.time)
    let kept = desk.engine.state.restarts.takeChanges().compactMapValues { $0 }
    desk.engine = Guard(epoch: 2, under: desk.engine.snapshot)
    desk.engine.state.restore(kept, living: [])
    #expect(desk.engine.state.restarts.takeChanges() == [portal.instance.serial: nil])
  }
}

extension AccountDesk {
  /// The requests since the last time: `fixedAccount work@contoso.com`
  mutating func restarts() -> [String] {
    engine.state.takeRestartRequests().map { asked in
      asked.request.cause.rawValue + (asked.request.account.map { " " + $0 } ?? "")
    }
  }

  /// Why an answer is not taken; nil when it is.
  mutating func refusal(_ request: String, _ result: RequestResult, by caller: Caller) -> Refusal? {
    do {
      _ = try engine.perform(.complete(request: request, result), for: caller, at: time)
      return nil
    } catch {
      return error
    }
  }

  /// The notices for a person.
  func notices(for person: UInt32 = 1000, in languages: [String] = []) -> [PersonNotice] {
    engine.state.notices(for: person, in: languages, engine.snapshot)
  }
}
