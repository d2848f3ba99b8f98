import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// The words of a file's label, of the table and of its origin, against the app's word. Ledger FO-01, FO-02, FO-03, FO-05,
/// FO-08, RX-02, SX-01, MI-11, MI-15, IS-07.
@Suite struct FileOwnerTests {
  private static let policy = ExamplePolicy().with { policy in
    (policy.protection.send, policy.protection.receive) = (.managed, .managed)
    policy.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil))
    policy.app.managedAccounts = .several
  }

  private func claim(_ name: String?, _ event: inout Event) -> FileOwnerClaim {
    switch name {
    case nil: .none
    case "?": .unknown
    case "raw": .unread(event.append("00"))
    case let name?: .account(event.append(name))
    }
  }

  private func answer(
    _ event: Event, label: String? = nil, kept: String? = nil, origin: String? = nil, as account: String? = Name.work,
    _ policy: ExamplePolicy = FileOwnerTests.policy
  ) throws -> Decision {
    var example = try Example(policy, as: account)
    var event = event
    event.labelOwner = claim(label, &event)
    event.keptOwner = claim(kept, &event)
    event.origin = origin.map { event.append($0) }
    return decide(event, of: example.portal, &example.state, under: example.snapshot)
  }

  private static let kinds: [EventKind] = [.receive, .open, .upload, .share]

  /// The event would pass if the file were nobody's.
  private func free(_ kind: EventKind, owner: String?) -> Event {
    .data(kind, in: "P", owner: owner, with: kind == .share || kind == .receive ? Name.editor : nil)
  }

  /// SX-01, RX-02: no word of an app lowers a label.
  @Test(arguments: kinds, [nil, "", Name.home])
  func noWordOfAnAppLowersALabel(_ kind: EventKind, _ said: String?) throws {
    let event = free(kind, owner: said)
    #expect(try answer(event).outcome == .allow, "nobody's file passes")
    for (label, kept) in [(Name.work, nil), (nil, Name.work), (Name.work, Name.work)] as [(String?, String?)] {
      let decision = try answer(event, label: label, kept: kept)
      #expect(decision.outcome == .block, "\(kind) \(decision)")
    }
  }

  /// SL-15: what is saved keeps its owner, whatever the app says of it.
  @Test(arguments: [nil, "", Name.home]) func whatIsSavedKeepsItsOwner(_ said: String?) throws {
    #expect(try answer(free(.save, owner: said)).setOwner == nil)
    #expect(try answer(free(.save, owner: said), label: Name.work).setOwner != nil)
    #expect(try Answer(answer(free(.save, owner: said), label: "?")) == Answer(.block, .unknownAccount))
  }

  /// A forged label is an unknown managed owner's, also in the viewer of the account and whatever the app says.
  @Test(arguments: kinds, [nil, "", Name.home, Name.work])
  func aBrokenLabelPassesNowhere(_ kind: EventKind, _ said: String?) throws {
    for label in ["?", "raw", "gone@else.example", Name.home] {
      for viewer in ["P", "D"] {
        let event = Event.data(kind, in: viewer, owner: said, url: "https://contoso.com/")
        let decision = try answer(event, label: label)
        #expect(decision.outcome == .block && decision.reason == .unknownAccount, "\(label) \(decision)")
        #expect(decision.notes.contains(.unknownOwner))
        #expect(try answer(event, kept: label).reason == .unknownAccount)
      }
    }
  }

  @Test func aLabelOfTheAccountLetsItsFileIn() throws {
    let event = Event.data(.receive, owner: nil, path: "/srv/x")
    #expect(try Answer(answer(event)) == Answer(.block, .incomingRestricted))
    let decision = try answer(event, label: Name.work)
    #expect(Answer(decision) == Answer(.allow, .transferAllowed) && decision.setOwner != nil)
    #expect(try Answer(answer(event, label: Name.second)) == Answer(.block, .wrongAccount))
  }

  /// Two managed owners: each has to agree.
  @Test func twoOwnersBothHaveToAgree() throws {
    let event = Event.data(.receive, owner: Name.work)
    #expect(try answer(event, label: Name.work).outcome == .allow)
    let claims: [(String, String?)] = [(Name.second, nil), (Name.work, Name.second), (Name.second, Name.work)]
    for (label, kept) in claims {
      #expect(try Answer(answer(event, label: label, kept: kept)) == Answer(.block, .wrongAccount))
    }
    #expect(try Answer(answer(.data(.receive, owner: Name.second), label: Name.work)) == Answer(.block, .wrongAccount))
  }

  @Test func aLabelOfABlockedAccountPassesNowhere() throws {
    let blocked = Self.policy.with { $0.otherAccounts[1].state = .blocked }
    let decision = try answer(free(.share, owner: nil), label: Name.second, blocked)
    #expect(Answer(decision) == Answer(.block, .accountBlocked))
  }

  /// An owner that nobody can name hides no owner that may not work, and no other label.
  @Test func noWordHidesAnother() throws {
    let blocked = Self.policy.with { policy in
      policy.otherAccounts[1].state = .blocked
      policy.protection.monitoredUntil = 1 << 40
    }
    let share = free(.share, owner: Name.second)
    let alone = try answer(share, blocked)
    #expect(Answer(alone) == Answer(.block, .accountBlocked))
    for label in ["?", Name.work] { #expect(try Answer(answer(share, label: label, blocked)) == Answer(alone)) }
    let save = try answer(free(.save, owner: nil), label: "?", kept: Name.work, blocked)
    #expect(save.setOwner != nil, "the table's owner stays")
  }

  /// A rule set of other viewers whose rules say nothing of the site, or the contrary, takes the origin from nobody.
  @Test func oneRuleSetThatCallsTheOriginInternalIsEnough() throws {
    let strange = Rule(
      id: "strange", verdict: .external, condition: .domain(Array("contoso.com".utf8)), location: "s.yaml:1:1")
    for rules in [[], [strange]] {
      let policy = Self.policy.with { policy in
        policy.otherRuleSets.append(RuleSet(name: "other", default: .external, rules: rules))
        policy.app.classes[1].ruleSet = 2
      }
      let desk = try FileDesk(policy)
      try desk.say(.process, Name.work)
      for (origin, standing) in [("https://contoso.com/a", FileStanding.mine), ("https://else.example/", .unmanaged)] {
        var event = Event(.open)
        event.origin = event.append(origin)
        #expect(try desk.engine.owner(ofFile: &event, for: desk.caller, at: 2).standing == standing, "\(origin)")
      }
    }
  }

  /// SX-02: a file of two accounts is encrypted when either asks for it, and is nobody's alone.
  @Test func allOwnersSayWhetherTheFileIsEncrypted() throws {
    let policy = Self.policy.with { policy in
      var encrypting = Protection(name: "encrypting")
      encrypting.accountPatterns = [Name.second]
      policy.protection.encrypt = false
      (policy.protection.send, policy.protection.receive) = (.any, .any)
      policy.otherProtections = [encrypting]
    }
    let desk = try FileDesk(policy)
    try desk.say(.process, Name.work)
    func read(_ label: String, _ kept: String?) throws -> FileOwner {
      var event = Event(.open)
      (event.labelOwner, event.keptOwner) = (claim(label, &event), claim(kept, &event))
      return try desk.engine.owner(ofFile: &event, for: desk.caller, at: 2)
    }
    let (own, both) = (try read(Name.work, nil), try read(Name.work, Name.second))
    #expect(own.standing == .mine && !own.mustEncrypt)
    #expect(both.standing == .managed && both.account == Name.work && both.mustEncrypt)
    let receive = Event.data(.receive, owner: Name.work)
    let (alone, together) = (try answer(receive, policy), try answer(receive, kept: Name.second, policy))
    #expect(alone.outcome == .allow && !alone.flags[.mustEncrypt])
    #expect(together.outcome == .allow && together.flags[.mustEncrypt])
  }

  /// A URL that a rule calls internal; a default verdict says nothing, nor does a URL that cannot be read.
  @Test func theOriginSaysWhoseAnOldFileIs() throws {
    let share = Event.data(.share, in: "D", with: Name.editor, url: nil)
    #expect(try answer(share, origin: "https://contoso.com/a.pdf").outcome == .block)
    let receive = Event.data(.receive, in: "D")
    #expect(try Answer(answer(receive, origin: "https://contoso.com/a.pdf")) == Answer(.allow, .transferAllowed))
    for origin in ["https://elsewhere.example/", "no url", "", "file:///etc/passwd"] {
      #expect(try Answer(answer(receive, origin: origin)) == Answer(.block, .incomingRestricted), "\(origin)")
    }
    // For a private account it is a managed owner that nobody can name.
    #expect(try answer(receive, origin: "https://contoso.com/a.pdf", as: Name.home).reason == .unknownAccount)
    let open = Self.policy.with { $0.ruleDefault = .internal }
    #expect(try answer(receive, origin: "https://any.example/", as: Name.home, open).outcome == .allow)
  }

  // MARK: Calls

  private func desk(_ account: String?) throws -> FileDesk {
    let desk = try FileDesk(Self.policy)
    try desk.say(.process, account)
    return desk
  }

  private func created(
    as account: String?, in directory: String? = nil, kept: String? = nil
  ) throws -> FileOwner {
    let desk = try desk(account)
    var event = Event(.open)
    (event.labelOwner, event.keptOwner) = (claim(directory, &event), claim(kept, &event))
    return try desk.engine.owner(ofNewFile: &event, for: desk.caller, at: 2)
  }

  /// FO-02, MI-15, IS-07: a new file is of the process, whatever a window shows.
  @Test func aNewFileIsOfTheFileIdentity() throws {
    let own = try created(as: Name.work)
    #expect(own.standing == .mine && own.account == Name.work && own.names.first == Name.work)
    #expect(try created(as: Name.home).standing == .unmanaged && created(as: "").standing == .unmanaged)
    let desk = try desk(Name.home)
    try desk.say(.window, Name.work)
    var event = Event(.open)
    #expect(try desk.engine.owner(ofNewFile: &event, for: desk.caller, at: 3).standing == .unmanaged)
    try desk.say(.scope, Name.work)
    #expect(try desk.engine.owner(ofNewFile: &event, for: desk.caller, at: 5).standing == .mine)
  }

  /// FO-08: a directory labels files of programs without an account; an account's own file is that account's.
  @Test func aDirectoryHandsItsOwnerOn() throws {
    let inherited = try created(as: Name.home, in: Name.second)
    #expect(inherited.standing == .managed && inherited.account == Name.second)
    #expect(try created(as: Name.work, in: Name.second).account == Name.work)
    for broken in ["?", "raw"] {
      #expect(try created(as: Name.work, in: broken).standing == .unknown)
      #expect(try created(as: Name.home, in: broken).standing == .unknown)
    }
  }

  /// The facts say that it is the same file, and the table takes nothing from its owner.
  @Test func anEntryOfTheTableStays() throws {
    #expect(throws: Refusal.ownerStays(Name.work)) { try created(as: Name.second, kept: Name.work) }
    #expect(throws: Refusal.ownerStays(Name.work)) { try created(as: Name.second, in: Name.second, kept: Name.work) }
    #expect(try created(as: Name.work, in: Name.second, kept: Name.work).standing == .mine)
    for directory in [nil, Name.second] {
      #expect(try created(as: Name.home, in: directory, kept: Name.work).account == Name.work)
    }
    #expect(try created(as: Name.work, kept: "?").standing == .unknown)
    #expect(try created(as: Name.work, in: "?", kept: Name.work).standing == .unknown)
  }

  /// FO-03, FO-05: a file that is nobody's gets an owner, once.
  @Test func aManagedOwnerStays() throws {
    let desk = try desk(Name.work)
    func set(_ account: String, label: String?) throws(Refusal) -> FileOwner {
      var event = Event(.open)
      event.labelOwner = claim(label, &event)
      return try desk.engine.setOwner(account, ofFile: &event, for: desk.caller, at: 2)
    }
    #expect(try set(Name.work, label: nil).standing == .mine)
    #expect(try set("6d5c", label: Name.work).account == Name.work, "the same by its object id")
    #expect(try set(Name.home, label: nil).standing == .unmanaged && set("", label: nil).standing == .unmanaged)
    for account in ["", Name.home, Name.second] {
      #expect(throws: Refusal.ownerStays(Name.work)) { try set(account, label: Name.work) }
      #expect(throws: Refusal.ownerStays("")) { try set(account, label: "?") }
    }
    #expect(throws: Refusal.ownerStays("")) { try set(Name.work, label: "?") }
    #expect(try set("somebody@elsewhere.example", label: nil).standing == .unmanaged, "a private account")
  }

  @Test func whoHasNotSaidWhoWorksCreatesNothing() throws {
    let desk = try FileDesk(Self.policy.with { $0.app.untilIdentity = .block })
    var event = Event(.open)
    #expect(throws: Refusal.keyWithheld(account: "", reason: .noIdentity)) {
      try desk.engine.owner(ofNewFile: &event, for: desk.caller, at: 2)
    }
  }
}

/// An engine, and a program of the portal that labels files.
private final class FileDesk {
  var engine: Guard
  let caller: Caller

  init(_ policy: ExamplePolicy) throws {
    engine = Guard(epoch: 42, under: policy.snapshot)
    caller = Caller(try engine.attach(app: "com.contoso.portal", peer: Peer(uid: 1000), at: 1), connection: 1)
  }

  /// The program names the account of a level.
  func say(_ level: IdentityTarget, _ account: String?) throws {
    var statement = IdentityStatement(level)
    (statement.account, statement.window) = (account, level == .window ? "w" : nil)
    try engine.perform(.setIdentity(statement), for: caller, at: 2)
  }
}
