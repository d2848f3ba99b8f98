import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Conditions of protections over time: graces, silence, restarts, reloads and clocks. Ledger CD-01 to CD-03.
struct AccountConditionTests {
  // MARK: What is known

  @Test(arguments: [
    (LaunchCondition.Action.warn, "allow", "warns"), (.block, "accountNotCompliant", "blocks"),
    (.wipe, "accountBlocked", "wipes"),
  ])
  func aFailingConditionDoesWhatItSays(_ action: LaunchCondition.Action, _ answer: String, _ record: String) throws {
    let desk = try ConditionDesk([.encrypted(action)])
    #expect(desk.print() == "allow", "nothing is judged before anything is read")
    desk.say(["DiskEncrypted": Fact(.truth(true))])
    #expect(desk.print() == "allow" && desk.events.isEmpty, "a condition that holds from the start needs no record")
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    #expect(desk.print() == answer && desk.events == ["DiskEncrypted \(record) false"])
    desk.say(["DiskEncrypted": Fact(.truth(true))])
    #expect(desk.print() == "allow" && desk.events == ["DiskEncrypted holds true"])
  }

  /// CD-01: for the time of grace it only warns; a good word ends it, and the next failure has a grace of its own.
  @Test func aGraceOnlyWarns() throws {
    let desk = try ConditionDesk([.encrypted(.block, grace: 3 * day)])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    #expect(desk.print() == "allow" && desk.events == ["DiskEncrypted warns false"])
    desk.pass(3 * day - 1)
    #expect(desk.print() == "allow" && desk.events.isEmpty)
    desk.pass(1)
    #expect(desk.print() == "accountNotCompliant" && desk.events == ["DiskEncrypted blocks false"])
    desk.say(["DiskEncrypted": Fact(.truth(true))])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    desk.pass(2 * day)
    #expect(desk.print() == "allow", "it began to fail anew")
  }

  /// Conditions that differ only in action and grace do not take turns in the log.
  @Test func warnNowAndBlockLater() throws {
    let desk = try ConditionDesk([.encrypted(.warn), .encrypted(.block, grace: day)])
    for _ in 0..<5 { desk.say(["DiskEncrypted": Fact(.truth(false))]) }
    #expect(desk.events == ["DiskEncrypted warns false", "DiskEncrypted warns false"])
    desk.pass(day)
    #expect(desk.print() == "accountNotCompliant" && desk.events == ["DiskEncrypted blocks false"])
    for _ in 0..<5 { desk.say(["DiskEncrypted": Fact(.truth(false))]) }
    #expect(desk.events.isEmpty)
  }

  /// Every question is blocked, and for the same reason. What a program reports has happened already and is recorded.
  @Test(arguments: EventKind.allCases.filter { $0 != .unknown })
  func everyEventIsBlocked(_ kind: EventKind) throws {
    var desk = try ConditionDesk([.encrypted(.block)])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    let isReport = kind == .clipboardChanged || kind == .dragEnd
    #expect(desk.ask(kind) == (isReport ? "allow" : "accountNotCompliant"))
    desk = try ConditionDesk([.encrypted(.block)], notCheckedAfter: 0)
    desk.say([:])
    #expect(desk.ask(kind) == (isReport ? "allow" : "notChecked"))
  }

  /// One bad word among several is enough; one that cannot be compared is unknown.
  @Test func everyWordCounts() throws {
    var desk = try ConditionDesk([.encrypted(.block)])
    var fact = Fact(.truth(true))
    fact.others = [.truth(false)]
    desk.say(["DiskEncrypted": fact])
    #expect(desk.print() == "accountNotCompliant" && desk.events == ["DiskEncrypted blocks true, false"])
    desk = try ConditionDesk([.encrypted(.block)])
    fact.others = [.number(7)]
    desk.say(["DiskEncrypted": fact])
    #expect(desk.print() == "allow" && desk.events == ["DiskEncrypted unknown true, 7"])
  }

  // MARK: Silence

  /// CD-03: unknown is not non-compliant. Accounts go on for `notCheckedAfter`, then they are not checked.
  @Test func silenceBlocksOnlyAfterItsGrace() throws {
    let desk = try ConditionDesk([.encrypted(.block)])
    desk.say([:])
    #expect(desk.print() == "allow" && desk.events == ["DiskEncrypted unknown nil"])
    desk.pass(day - 1)
    #expect(desk.print() == "allow")
    desk.pass(1)
    #expect(desk.print() == "notChecked" && desk.events == ["DiskEncrypted notChecked nil"])
    desk.say(["DiskEncrypted": Fact(.truth(true))])
    #expect(desk.print() == "allow" && desk.events == ["DiskEncrypted holds true"])
  }

  /// What only warns never blocks: neither in a container, where the disk is not known, nor for ever.
  @Test func aWarningNeverBlocks() throws {
    let desk = try ConditionDesk([.encrypted(.warn)], notCheckedAfter: 0)
    desk.say([:])
    desk.pass(400 * day)
    #expect(desk.print() == "allow" && desk.events == ["DiskEncrypted unknown nil"])
  }

  /// A good word holds until its end, also when the file that said it is gone; the grace counts from that end.
  @Test func aGoodWordHoldsUntilItsEnd() throws {
    let desk = try ConditionDesk([.encrypted(.block)])
    desk.say(["DiskEncrypted": Fact(.truth(true), until: desk.time + 2 * day)])
    desk.say([:])
    desk.pass(2 * day - 1)
    #expect(desk.print() == "allow" && desk.events.isEmpty)
    desk.pass(1)
    #expect(desk.print() == "allow" && desk.events == ["DiskEncrypted unknown nil"])
    desk.pass(day)
    #expect(desk.print() == "notChecked" && desk.events == ["DiskEncrypted notChecked nil"])
  }

  /// A bad word holds until a good one comes, whatever its end was.
  @Test func aBadWordHoldsUntilAGoodOneComes() throws {
    let desk = try ConditionDesk([.encrypted(.block, grace: 3 * day)])
    desk.say(["DiskEncrypted": Fact(.truth(false), until: desk.time + day)])
    desk.say([:])
    desk.pass(3 * day)
    #expect(desk.print() == "accountNotCompliant")
    desk.pass(400 * day)
    #expect(desk.print() == "accountNotCompliant")
    desk.say(["DiskEncrypted": Fact(.truth(true), until: desk.time + day)])
    #expect(desk.print() == "allow")
  }

  /// Silence destroys nothing: a condition wipes only on a word that holds now. Ninety-one days after the last one it blocks.
  @Test(arguments: [0, 30 * day])
  func silenceNeverWipes(_ grace: UInt64) throws {
    let desk = try ConditionDesk([.encrypted(.wipe, grace: grace)])
    desk.say(["DiskEncrypted": Fact(.truth(false), until: desk.time + day)])
    desk.events = []
    desk.say([:])
    for _ in 0..<91 {
      desk.pass(day)
      #expect(!desk.events.contains { $0.contains("wipes") })
      desk.events = []
    }
    #expect(desk.print() == "accountNotCompliant")
    let silent = try ConditionDesk([.encrypted(.wipe, grace: grace)])
    silent.say([:])
    silent.pass(91 * day)
    #expect(silent.print() == "notChecked" && silent.events.last == "DiskEncrypted notChecked nil")
  }

  // MARK: Restarts

  /// Neither a restart nor a boot begins a grace anew, and a bad word holds before anything is read.
  @Test func aRestartBeginsNoGrace() throws {
    let desk = try ConditionDesk([.encrypted(.block, grace: 3 * day)])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    for _ in 0..<5 {
      desk.pass(day / 2)
      try desk.restart()
      #expect(desk.print() == "allow")
      desk.say(["DiskEncrypted": Fact(.truth(false))])
    }
    desk.pass(day / 2)
    try desk.restart()
    #expect(desk.print() == "accountNotCompliant" && desk.events.isEmpty, "before anything is read")
    desk.say(["DiskEncrypted": Fact(.truth(true))])
    #expect(desk.print() == "noIdentity", "its program was refused, and has to name the account again")
    #expect(desk.print(as: "work@contoso.com") == "allow" && desk.events == ["DiskEncrypted holds true"])
  }

  @Test func aRestartBeginsNoGraceOfSilence() throws {
    let desk = try ConditionDesk([.encrypted(.block)])
    desk.say([:])
    for _ in 0..<4 {
      desk.pass(day / 4)
      try desk.restart()
      desk.say([:])
    }
    #expect(desk.print() == "notChecked")
  }

  /// A boot empties `/run`; a good word of then holds until its end all the same.
  @Test func aGoodWordOutlivesABoot() throws {
    let desk = try ConditionDesk([.encrypted(.block)], notCheckedAfter: 0)
    desk.say(["DiskEncrypted": Fact(.truth(true), until: desk.time + 2 * day)])
    desk.pass(day)
    try desk.restart()
    #expect(desk.print() == "allow", "before anything is read")
    desk.say([:])
    #expect(desk.print() == "allow")
    desk.pass(day)
    #expect(desk.print() == "notChecked")
  }

  /// With the kept times lost, a condition that fails gets no second grace; one that held since then does.
  @Test func aLostStateIsGraceless() throws {
    let desk = try ConditionDesk([.encrypted(.block, grace: 3 * day)])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    #expect(desk.print() == "allow")
    try desk.restart(losing: true)
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    #expect(desk.print() == "accountNotCompliant")
    desk.say(["DiskEncrypted": Fact(.truth(true))])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    #expect(desk.print() == "allow", "it held in between")
  }

  /// A daemon without a policy keeps the times of the policy before.
  @Test func timesOutliveADaemonWithoutAPolicy() throws {
    let desk = try ConditionDesk([.encrypted(.block, grace: day)])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    let kept = desk.kept
    desk.guardian = Guard(epoch: 3, under: Snapshot(generation: Generation()))
    desk.guardian.state.keepsPages = true
    desk.guardian.tick(at: desk.time)
    desk.guardian.state.restore(kept, living: [], desk.guardian.snapshot)
    desk.guardian.setFacts([:], at: desk.time)
    var left = KeptState()
    desk.guardian.state.takeChanges(into: &left)
    #expect(left.accounts.conditions.isEmpty, "nothing is forgotten")
  }

  // MARK: Reloads

  @Test func aReloadThatKeepsAConditionBeginsNoGrace() throws {
    let desk = try ConditionDesk([.encrypted(.block, grace: day)])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    desk.pass(day - 1)
    desk.reload([.encrypted(.block, grace: day)])
    #expect(desk.print() == "allow")
    desk.pass(1)
    #expect(desk.print() == "accountNotCompliant")
  }

  /// Whoever was warned for long enough has had the grace.
  @Test func aConditionThatBeginsToBlockHasFailedAllTheTime() throws {
    let desk = try ConditionDesk([.encrypted(.warn)])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    desk.pass(10 * day)
    desk.reload([.encrypted(.block, grace: 14 * day)])
    #expect(desk.print() == "allow")
    desk.pass(4 * day)
    #expect(desk.print() == "accountNotCompliant")
    desk.reload([.encrypted(.warn)])
    #expect(desk.print() == "allow")
  }

  /// Another value is another condition; one that left is forgotten, also by the next daemon.
  @Test func aConditionThatLeftIsForgotten() throws {
    let desk = try ConditionDesk([.encrypted(.block, grace: day)])
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    desk.pass(day)
    #expect(desk.print() == "accountNotCompliant")
    desk.reload([])
    #expect(desk.print() == "allow" && !desk.guardian.isDue(at: desk.time + 400 * day))
    #expect(desk.kept.accounts.conditions.values.allSatisfy { $0 == nil })
    desk.reload([.encrypted(.block, grace: day)])
    #expect(desk.print() == "allow", "nothing is known before anything is read")
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    #expect(desk.print() == "allow", "it began anew")
  }

  // MARK: Clocks

  /// A clock that was ahead, and is not any more, leaves times of the future: they count as now, and not for years.
  @Test func aTimeOfTheFutureIsNow() throws {
    let key = "contoso-standard\nDiskEncrypted\nequals\nttrue"
    for condition in [
      KeptCondition(failingSince: 40_000 * day), KeptCondition(unknownSince: 40_000 * day),
      KeptCondition(wordUntil: 40_000 * day),
    ] {
      let desk = try ConditionDesk([.encrypted(.block, grace: day)])
      var kept = KeptState()
      kept.accounts.conditions[key] = condition
      desk.guardian.tick(at: desk.time)
      desk.guardian.state.restore(kept, living: [], desk.guardian.snapshot)
      let isBad = condition.failingSince != nil
      desk.say(isBad ? ["DiskEncrypted": Fact(.truth(false))] : [:])
      #expect(desk.print() == "allow")
      desk.pass(day)
      #expect(desk.print() == (isBad ? "accountNotCompliant" : "notChecked"), "\(condition)")
    }
  }

  /// A clock that jumps ahead ends words and graces, and destroys nothing.
  @Test func aJumpAheadBlocksAndDestroysNothing() throws {
    let desk = try ConditionDesk([.encrypted(.wipe, grace: 30 * day)])
    desk.say(["DiskEncrypted": Fact(.truth(false), until: desk.time + day)])
    desk.events = []
    desk.pass(12 * 365 * day)
    #expect(desk.print() == "accountNotCompliant" && desk.events == ["DiskEncrypted blocks nil"])
  }

  // MARK: Several

  /// CD-02: wipe before block before warn; of equal ones the library before the app before the system before the rest.
  @Test func theStrictestDecidesAndOfEqualsTheFirst() throws {
    func condition(_ check: String, _ action: LaunchCondition.Action) -> LaunchCondition {
      var condition = LaunchCondition(check, .equals, .text("good"))
      (condition.action, condition.message) = (action, "\(check) \(action.name)")
      return condition
    }
    // A wipe locks, and the lock has its own text.
    let locked = "The account \(Name.work) is blocked here. Ask your help desk."
    let cases: [([LaunchCondition], String)] = [
      ([condition("Other", .block), condition("osName", .block)], "osName block"),
      ([condition("osName", .block), condition("Other", .wipe)], locked),
      ([condition("osName", .warn), condition("Other", .block)], "Other block"),
      ([condition("Other", .block), condition("Else", .block)], "Other block"),
    ]
    for (conditions, message) in cases {
      for order in [conditions, conditions.reversed()] where order[0].rank != order[1].rank || order == conditions {
        let desk = try ConditionDesk(order)
        desk.say(Dictionary(uniqueKeysWithValues: order.map { ($0.check, Fact(.text("bad"))) }))
        #expect(desk.message(.print) == message, "\(order.map(\.check))")
      }
    }
  }

  /// PM-01: of two protections that bind an account the stricter counts; accounts of others are untouched.
  @Test func theStricterOfTwoProtectionsCounts() throws {
    var policy = ConditionDesk.policy([.encrypted(.warn)])
    var second = Protection(name: "second")
    second.accountPatterns = ["work@contoso.com"]
    second.conditions = [.encrypted(.block)]
    var third = Protection(name: "third")
    third.accountPatterns = ["*@home.example"]
    policy.otherProtections = [second, third]
    let desk = try ConditionDesk(policy)
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    #expect(desk.print(as: "work@contoso.com") == "accountNotCompliant")
    #expect(desk.print(as: "other@contoso.com") == "allow", "only the first binds it")
    #expect(desk.print(as: "private@home.example") == "allow")
    policy.otherProtections[0].monitoredUntil = 1 << 40
    desk.reload(policy)
    #expect(desk.print(as: "work@contoso.com") == "allow", "a protection that only monitors restricts nothing")
  }

  /// An account that no program has named yet is no way around: data of it is judged like that of the others.
  @Test func anAccountThatWasNotNamedIsJudgedToo() throws {
    var policy = ConditionDesk.policy([.encrypted(.block)])
    policy.protection.accountPatterns = ["other@contoso.com"]
    policy.otherAccounts.append(AccountEntry(upn: "other@contoso.com", objectID: nil))
    let desk = try ConditionDesk(policy, as: "private@home.example")
    desk.say(["DiskEncrypted": Fact(.truth(false))])
    let standing = desk.guardian.state.standing(of: "OTHER@contoso.com", in: desk.app, desk.guardian.snapshot)
    #expect(standing.state == .nonCompliant && standing.isManaged)
    #expect(desk.ask(.share) { $0.peerAccount = $0.append("other@contoso.com") } == "accountNotCompliant")
  }

  // MARK: Programs

  /// Versions are the program's own word: an old one is blocked, an untold one is not checked, and neither destroys.
  @Test(
    arguments: [
      ("2.0", nil, "allow"), ("2.10.1-beta", nil, "allow"), ("1.9", nil, "accountNotCompliant"),
      (nil, nil, "notChecked"),
      ("latest", nil, "notChecked"), (nil, "2.0", "notChecked"),
      (String(repeating: "9", count: 5000), nil, "notChecked"),
    ] as [(String?, String?, String)])
  func programsTellTheirVersions(_ version: String?, _ client: String?, _ answer: String) throws {
    for action in [LaunchCondition.Action.block, .wipe] {
      var condition = LaunchCondition("appVersion", .atLeast, .version([2]))
      condition.action = action
      let desk = try ConditionDesk([condition])
      desk.guardian.setVersions(version, client: client, of: desk.app)
      desk.say([:])
      #expect(desk.print(as: "work@contoso.com") == answer && desk.events.isEmpty)
    }
    var warning = LaunchCondition("appVersion", .atLeast, .version([2]))
    warning.action = .warn
    let desk = try ConditionDesk([warning])
    desk.guardian.setVersions(version, client: client, of: desk.app)
    #expect(desk.print() == "allow")
  }

  /// Each instance has its own; what it told first counts.
  @Test func versionsAreOfOneInstance() throws {
    let desk = try ConditionDesk([LaunchCondition("clientVersion", .atLeast, .version([1, 4]))])
    desk.guardian.setVersions("9", client: "1.4", of: desk.app)
    let old = try desk.guardian.attach(app: "com.contoso.portal", peer: Peer(uid: 1001), at: desk.time)
    desk.guardian.setVersions("9", client: "1.3.9", of: old)
    desk.guardian.setVersions("9", client: "1.5", of: old)
    #expect(desk.print(as: "work@contoso.com") == "allow")
    let other = Caller(old, connection: 2)
    #expect(desk.print(as: "work@contoso.com", other) == "accountNotCompliant")
  }
}

private let day: UInt64 = 86_400_000

extension LaunchCondition {
  /// A disk that is encrypted, by the word of a posture file.
  fileprivate static func encrypted(_ action: Action, grace: UInt64 = 0) -> LaunchCondition {
    var condition = LaunchCondition("DiskEncrypted", .equals, .truth(true))
    (condition.action, condition.grace) = (action, grace)
    return condition
  }
}

/// A guard under a policy with conditions, one program that shows work, and a clock.
private final class ConditionDesk {
  var guardian: Guard
  private(set) var app: InstanceID
  var time: UInt64 = 1_800_000_000_000
  private var told: [String] = []
  private var policy: ExamplePolicy
  private let account: String

  convenience init(_ conditions: [LaunchCondition], notCheckedAfter: UInt64 = day) throws {
    var policy = Self.policy(conditions)
    policy.protection.notCheckedAfter = notCheckedAfter
    try self.init(policy)
  }

  init(_ policy: ExamplePolicy, as account: String = "work@contoso.com") throws {
    (self.policy, self.account) = (policy, account)
    var guardian = Guard(epoch: 1, under: policy.snapshot)
    guardian.state.keepsPages = true
    app = try guardian.attach(app: "com.contoso.portal", peer: Peer(uid: 1000), at: 1_800_000_000_000)
    self.guardian = guardian
    try show(account)
  }

  static func policy(_ conditions: [LaunchCondition]) -> ExamplePolicy {
    ExamplePolicy().with {
      $0.protection.conditions = conditions
      $0.protection.printing = .allow
    }
  }

  private func show(_ account: String, in caller: Caller? = nil) throws {
    var statement = IdentityStatement(.process)
    statement.account = account
    try guardian.perform(.setIdentity(statement), for: caller ?? Caller(app, connection: 1), at: time)
  }

  func say(_ facts: [String: Fact]) {
    guardian.setFacts(facts, at: time)
    takeEvents()
  }

  func pass(_ milliseconds: UInt64) {
    time += milliseconds
    guardian.tick(at: time)
    takeEvents()
  }

  /// What the log was told since the last look at it.
  var events: [String] {
    get {
      defer { told = [] }
      return told
    }
    set { told = newValue }
  }

  private func takeEvents() {
    told += guardian.state.book.takeEvents().map { "\($0.check) \($0.standing.rawValue) \($0.value ?? "nil")" }
  }

  func reload(_ conditions: [LaunchCondition]) {
    reload(policy.with { $0.protection.conditions = conditions })
  }

  func reload(_ policy: ExamplePolicy) {
    self.policy = policy.with { $0.number = self.policy.number + 1 }
    guardian.adopt(self.policy.snapshot)
    takeEvents()
    events = []
  }

  /// All that a state file would have.
  private var file = KeptState()

  var kept: KeptState {
    get {
      var changes = KeptState()
      guardian.state.takeChanges(into: &changes)
      file.merge(changes)
      return file
    }
  }

  /// The daemon ends, and the next begins a moment later.
  func restart(losing: Bool = false) throws {
    let kept = kept
    guardian = Guard(epoch: 2, under: policy.snapshot)
    guardian.state.keepsPages = true
    guardian.tick(at: time)
    if losing {
      guardian.state.loseConditions()
      guardian.state.restore(KeptState(), living: [], guardian.snapshot)
    } else {
      guardian.state.restore(kept, living: [], guardian.snapshot)
    }
    app = try guardian.attach(app: "com.contoso.portal", peer: Peer(uid: 1000), at: time)
    try? show(account)
    events = []
  }

  /// The answer to an event: `allow`, or why not.
  func ask(_ kind: EventKind, _ caller: Caller? = nil, with change: (inout Event) -> Void = { _ in }) -> String {
    var ruling = Ruling()
    decide(kind, caller, change, &ruling)
    return ruling.decision.outcome == .allow ? "allow" : ruling.decision.reason.rawValue
  }

  func message(_ kind: EventKind) -> String? {
    var ruling = Ruling()
    decide(kind, nil, { _ in }, &ruling)
    return guardian.report(ruling, for: app).message
  }

  private func decide(
    _ kind: EventKind, _ caller: Caller?, _ change: (inout Event) -> Void, _ ruling: inout Ruling
  ) {
    var event = Event(kind)
    if kind == .navigate || kind == .openURL { event.url = event.append("https://contoso.com/") }
    change(&event)
    guardian.decideAdmitted(&event, for: caller ?? Caller(app, connection: 1), at: time, into: &ruling)
  }

  func print(as account: String? = nil, _ caller: Caller? = nil) -> String {
    if let account { try? show(account, in: caller) }
    return ask(.print, caller)
  }
}
