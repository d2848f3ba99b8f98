import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// What a wipe takes with it, and what it leaves alone. Ledger DR-04, WP-02, WP-03, WP-04, WP-07.
struct WipeEndTests {
  private static func paste(as account: String, by caller: Caller, _ desk: inout AccountDesk) throws -> Answer {
    _ = try desk.engine.perform(.setIdentity(IdentityStatement(.process, account: account)), for: caller, at: desk.time)
    return desk.answer(event(.paste), by: caller)
  }

  private static func copy(as account: String, by caller: Caller, _ desk: inout AccountDesk) throws {
    _ = try desk.printed(as: account, by: caller)
    var ruling = Ruling()
    var copy = event(.copy)
    try desk.engine.decide(&copy, for: caller, at: desk.time, into: &ruling)
    #expect(ruling.decision.outcome == .allow)
    var echo = event(.clipboardChanged)
    (echo.selfOwned, echo.proposal) = (.yes, ruling.decision.proposal)
    _ = desk.answer(echo, by: caller)
  }

  private static func event(_ kind: EventKind) -> Event {
    var event = Event(kind)
    event.viewer = event.append("V")
    (event.selection, event.length) = (.clipboard, 30)
    return event
  }

  /// WP-02: what was copied from the account is nobody's to paste afterwards, also when the account comes back; clips of
  /// others stay as they are.
  @Test(arguments: [Name.work, Name.second])
  func clipsGoWithTheAccount(_ owner: String) throws {
    var desk = AccountDesk { $0.wipe = .on([.admin]) }
    let portal = try desk.attach()
    for account in [Name.work, Name.second] { _ = desk.register(account, by: portal) }
    try Self.copy(as: owner, by: portal, &desk)
    #expect(try Self.paste(as: owner, by: portal, &desk).outcome == .allow)
    let wipe = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 1)
    _ = try desk.complete(wipe.id, .done, by: portal)
    let expected = owner == Name.work ? Answer(.block, .ownerUnknown) : Answer(.allow, .sameAccount)
    _ = desk.register(Name.work, by: portal)
    #expect(try Self.paste(as: owner, by: portal, &desk) == expected)
    var kept = KeptState()
    desk.restart(&kept)
    #expect(try Self.paste(as: owner, by: try desk.attach(), &desk) == expected)
  }

  /// DR-04: an administrator's wipe ends the app's access: no retries, nothing of the account, and then no registration.
  @Test func anAdministratorsWipeEndsTheAccess() throws {
    var desk = AccountDesk { $0.wipe = .on([.admin]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let wipe = try desk.wipeByAdministrator(Name.work)
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .accountBlocked))
    #expect(desk.register(Name.work, by: portal) == "wipePending wipeReceived")
    desk.run(hours: 73)
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .accountWiped))
    _ = try desk.complete(wipe.id, .done, by: portal)
    #expect(desk.engine.accounts().isEmpty)
    _ = desk.acts()
    desk.wait(3 * AccountDesk.day)
    #expect(desk.acts().isEmpty, "nothing is tried again")
  }

  /// DR-04: so does an unenrolment, and the app hears why.
  @Test func anUnenrolmentEndsTheAccess() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.broker] }
    let portal = try desk.attach()
    try desk.say([Name.work])
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.allow, .printAllowed))
    _ = desk.acts()
    try desk.say([])
    #expect(desk.acts() == ["signedOut", "unenrolled notSignedIn"])
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .policyRequired))
  }

  /// WP-04: every app of the person hears of the end, with its result; the record has the counts of all apps together.
  /// Data that the helper kept is no whole end.
  @Test(arguments: [(true, 0), (true, 3), (false, 0)])
  func theEndIsToldWithItsCounts(_ hasDirectories: Bool, _ left: UInt64) throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin])
      if hasDirectories { policy.haveDirectories() }
    }
    let portal = try desk.attach()
    let notes = try desk.attach(Name.notes)
    for caller in [portal, notes] { _ = desk.register(Name.work, by: caller) }
    let wipe = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 1)
    _ = try desk.complete(wipe.id, .done, by: notes)
    _ = try desk.complete(wipe.id, .refused, by: portal)
    _ = desk.orders()
    if hasDirectories { try desk.report(desk.lastOrder ?? "", removed: 12, kept: left) }
    let events = desk.engine.state.life.takeEvents()
    let end = try #require(events.last)
    let isWhole = hasDirectories && left == 0
    #expect(end.act == (isWhole ? .wipeCompleted : .wipeIncomplete))
    #expect(end.result == (isWhole ? .unenrolled : .clearFailed))
    #expect(end.isNews && end.app == nil && end.apps == [Name.notes, AccountDesk.portal])
    #expect(end.note == (hasDirectories ? "removed 12, kept \(left)" : "removed 0, kept 0"))
    #expect(end.cause == .admin && end.request == wipe.id)
  }

  /// WP-07: registration, state and sign-in go: neither the word of a source that was said before nor a restart brings the
  /// account back. A new word does, as a new account.
  @Test func theSignInGoesToo() throws {
    var desk = AccountDesk { $0.wipe = .on([.admin]) }
    var kept = KeptState()
    let portal = try desk.attach()
    try desk.say([Name.work, Name.second])
    let enrolled = desk.listed(Name.work, for: portal)
    let enrolledAt = try #require(enrolled?.enrolledAt)
    _ = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 1)
    _ = try desk.complete(desk.engine.wipes[0].id, .done, by: portal)
    #expect(desk.engine.signIns(of: 1000).flatMap(\.accounts) == [Name.second])
    desk.restart(&kept)
    let again = try desk.attach()
    #expect(desk.engine.accounts(person: 1000).map(\.account) == [Name.second])
    #expect(try desk.printed(as: Name.work, by: again) == Answer(.block, .policyRequired))
    desk.pass(1)
    try desk.say([Name.work, Name.second])
    let anew = desk.listed(Name.work, for: again)
    #expect(try #require(anew?.enrolledAt) > enrolledAt)
  }

  /// What an app ended itself stays ended, although the person's sign-in service goes on naming it.
  @Test func aSourceDoesNotBringAWipedAccountBack() throws {
    var desk = AccountDesk { $0.wipe = .on([.deregister]) }
    let portal = try desk.attach()
    try desk.say([Name.work])
    _ = try desk.remove(Name.work, by: portal)
    desk.run(hours: 73)
    _ = desk.asked()
    _ = try desk.complete(.done, by: portal)
    try desk.say([Name.work])
    let again = try desk.attach()
    #expect(desk.state(Name.work, for: again) == .suspended)
    #expect(desk.register(Name.work, by: again) == "enrolled newPolicies")
  }

  /// An app whose files the helper removed while it did not run is asked all the same when it comes: it may have more.
  @Test(arguments: [RequestResult.done, .failed])
  func anAppWhoseFilesAreGoneIsStillAsked(_ answer: RequestResult) throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin])
      policy.haveDirectories()
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    desk.engine.state.end(portal.instance)
    let wipe = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 1)
    #expect(desk.orders().count == 1)
    try desk.report(desk.lastOrder ?? "", removed: 7, kept: 0)
    #expect(desk.engine.wipes.map(\.phase) == [.asking])
    let again = try desk.attach()
    #expect(desk.asked().count == 1)
    #expect(desk.register(Name.work, by: again) == "wiped wipeReceived")
    _ = try desk.complete(wipe.id, answer, by: again)
    if answer != .done {
      #expect(desk.orders().count == 1)
      try desk.report(desk.lastOrder ?? "", removed: 2, kept: 0)
    }
    let events = desk.engine.state.life.takeEvents()
    let end = try #require(events.last)
    #expect(end.act == .wipeCompleted && end.note == "removed \(answer == .done ? 7 : 9), kept 0")
  }

  // MARK: Others

  /// WP-03: over random wipes, answers, restarts and silences, nothing but the one account of the one person is touched.
  @Test func nothingOfAnotherAccountChanges() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 31)
    for _ in 0..<max(20, Effort.scaled(400)) {
      let found = try WipeHistory(&random)
      #expect(found.strangers.isEmpty, "\(random.note)")
      #expect(found.before == found.after, "\(random.note)")
      #expect(found.before.count >= 5)
    }
  }
}

/// Two persons with two accounts in two apps each, and one wipe of one account of one of them.
private struct WipeHistory {
  /// What was asked or ordered of anybody else.
  var strangers: [String] = []
  /// All accounts but the one: how they are listed, and what they may do.
  var before: [String] = []
  var after: [String] = []

  init(_ random: inout SeededGenerator) throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin, .deregister]) { $0.delay = AccountDesk.hour }
      policy.haveDirectories()
      policy.otherApps[0].accounts.sources = [.app]
      policy.otherApps[0].managedAccounts = .several
      policy.otherApps[0].dataDirectories = policy.app.dataDirectories
    }
    var callers: [(person: UInt32, app: String, caller: Caller)] = []
    for person in [UInt32(1000), 1001] {
      for app in [AccountDesk.portal, Name.notes] {
        callers.append((person, app, try desk.attach(app, person: person)))
      }
    }
    for one in callers { for account in [Name.work, Name.second] { _ = desk.register(account, by: one.caller) } }
    let victim = callers[Int.random(in: 0..<4, using: &random)]
    let account = Bool.random(using: &random) ? Name.work : Name.second
    let isOfApp = Bool.random(using: &random)
    let isVictim = { (person: UInt32, app: String, name: String) in
      person == victim.person && name == account && (!isOfApp || app == victim.app)
    }
    before = try Self.others(&desk, callers, isVictim)
    if isOfApp {
      _ = try desk.remove(account, by: victim.caller)
    } else {
      _ = try desk.wipeByAdministrator(account, of: victim.person)
    }
    for _ in 0..<8 {
      desk.run(hours: UInt64.random(in: 0...2, using: &random))
      strangers += desk.touched().filter { text in
        let words = text.split(separator: " ").map(String.init)
        return words[1] == "keys"
          ? words[0] != "\(victim.person)" || words[2] != account
          : !isVictim(UInt32(words[0]) ?? 0, words[1], words[2])
      }
      let one = callers[Int.random(in: 0..<4, using: &random)]
      let result = [RequestResult.done, .refused, .failed][Int.random(in: 0..<3, using: &random)]
      if let request = desk.lastRequest { _ = try? desk.complete(request, result, by: one.caller) }
      if let order = desk.lastOrder, Bool.random(using: &random) {
        let person = [UInt32(1000), 1001][Int.random(in: 0..<2, using: &random)]
        try? desk.engine.state.filesRemoved(order, removed: 3, kept: 0, person: person, desk.engine.snapshot)
      }
      desk.engine.tick(at: desk.time)
    }
    after = try Self.others(&desk, callers, isVictim)
  }

  private static func others(
    _ desk: inout AccountDesk, _ callers: [(person: UInt32, app: String, caller: Caller)],
    _ isVictim: (UInt32, String, String) -> Bool
  ) throws -> [String] {
    var found: [String] = []
    for one in callers {
      for account in [Name.work, Name.second] where !isVictim(one.person, one.app, account) {
        let printed = try desk.printed(as: account, by: one.caller)
        let listed = desk.engine.accounts(app: one.app, person: one.person, account: account)
        let facts = listed.map { "\($0.state) \($0.sources) \(String(describing: $0.enrolledAt))" }
        found.append("\(one.person) \(one.app) \(account) \(printed) \(facts)")
      }
    }
    return found
  }
}
