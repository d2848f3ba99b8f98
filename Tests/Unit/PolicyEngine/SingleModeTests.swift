import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Whose data an app in single mode shows before it says so, and after a reload, a refusal or a restart. Ledger MI-01, SE-04,
/// WV-28; amendments, defaults; review H8.
struct SingleModeTests {
  private static let page = "https://news.example/"

  /// `work@contoso.com` by its name, whose prints are blocked; the app says nothing.
  private func policy(_ change: (inout ExamplePolicy) -> Void = { _ in }) -> ExamplePolicy {
    ExamplePolicy().with { policy in
      policy.app.identityMode = .single
      policy.app.managedAccounts = .one
      policy.protection.accountPatterns = ["work@contoso.com"]
      policy.protection.printing = .block
      change(&policy)
    }
  }

  private static let second: @Sendable (inout ExamplePolicy) -> Void = { policy in
    policy.protection.accountPatterns.append(Name.second)
  }

  /// SE-04, MI-01: it is the default, as in the SDK.
  @Test
  func itIsTheDefault() { #expect(App(name: "a").identityMode == .single) }

  /// MI-01, WV-28: what could bind its user says whose it is; where nothing could, nothing restricts.
  @Test(
    arguments: [
      ("one account", Answer(.block, .printBlocked), { _ in }),
      ("two accounts", Answer(.block, .noIdentity), Self.second),
      ("a pattern", Answer(.block, .noIdentity), { $0.protection.accountPatterns = ["*@contoso.org"] }),
      (
        "two entries", Answer(.block, .noIdentity),
        {
          $0.protection.accountPatterns = ["*@contoso.com"]
          $0.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil))
        }
      ),
      (
        "a group of its user", Answer(.block, .noIdentity),
        {
          $0.protection.accountPatterns = []
          $0.protection.groups = [100]
        }
      ),
      (
        "a group of others", Answer(.allow, .noManagedIdentity),
        {
          $0.protection.accountPatterns = []
          $0.protection.groups = [200]
        }
      ),
      ("nobody", Answer(.allow, .noManagedIdentity), { $0.protection.accountPatterns = [] }),
      ("a fixed account", Answer(.block, .printBlocked), { $0.app.account = Name.work }),
      ("explicitly nobody", Answer(.allow, .noManagedIdentity), { $0.app.account = "" }),
    ] as [(String, Answer, @Sendable (inout ExamplePolicy) -> Void)])
  func whoseItIsBeforeItSays(
    _ words: String, _ answer: Answer, _ change: @Sendable (inout ExamplePolicy) -> Void
  ) throws {
    var example = try SingleModeExample(policy(change), groups: [100])
    #expect(example.print() == answer, "\(words)")
  }

  /// H8: a reload that adds an account leaves a process what it was; one that starts then has to say.
  @Test
  func aSecondAccountFreesNobody() throws {
    var example = try SingleModeExample(policy())
    #expect(example.print() == Answer(.block, .printBlocked))
    for _ in 0..<3 {
      example.reload(policy(Self.second))
      #expect(example.print() == Answer(.block, .printBlocked))
      example.reload(policy())
      #expect(example.print() == Answer(.block, .printBlocked))
    }
    example.reload(policy(Self.second))
    try example.attach()
    #expect(example.print() == Answer(.block, .noIdentity))
    try example.say(Name.second)
    #expect(example.print() == Answer(.block, .printBlocked))
    try example.say("")
    #expect(example.print() == Answer(.allow, .noManagedIdentity))
  }

  /// H8: the account that it was taken for left the policy, and two others came: it may be either's.
  @Test
  func anAccountThatLeftIsNoIdentity() throws {
    var example = try SingleModeExample(policy())
    example.reload(policy { $0.protection.accountPatterns = [Name.second, "third@contoso.com"] })
    #expect(example.print() == Answer(.block, .noIdentity))
    example.reload(policy { $0.protection.accountPatterns = [Name.second] })
    #expect(example.print() == Answer(.block, .printBlocked))
    example.reload(policy { $0.protection.accountPatterns = [] })
    #expect(example.print().outcome == .allow)
    example.reload(policy(Self.second))
    #expect(example.print().outcome == .block)
  }

  /// H8: a reload to several identities leaves a managed process managed; so does one back.
  @Test
  func anotherModeFreesNobody() throws {
    var example = try SingleModeExample(policy())
    example.reload(policy { $0.app.identityMode = .multi })
    #expect(example.print() == Answer(.block, .printBlocked))
    example.reload(policy(Self.second))
    #expect(example.print() == Answer(.block, .printBlocked))
  }

  /// A refusal leaves nobody's knowledge of what is shown, until the app says something that is taken; no reload lifts it.
  @Test
  func aRefusalBlocksUntilItSays() throws {
    var example = try SingleModeExample(policy())
    example.refuse()
    #expect(example.print() == Answer(.block, .noIdentity))
    #expect(example.navigate(Self.page) == Answer(.block, .noIdentity))
    example.reload(policy { $0.protection.accountPatterns = [] })
    #expect(example.print() == Answer(.block, .noIdentity))
    example.reload(policy())
    #expect(example.print() == Answer(.block, .noIdentity))
    try example.say(nil)
    #expect(example.print() == Answer(.block, .noIdentity))
    try example.say("")
    #expect(example.print() == Answer(.allow, .noManagedIdentity))
  }

  /// A fixed account stays, whatever was refused; several identities are each the app's business.
  @Test
  func aFixedAccountIsNotRefused() throws {
    var example = try SingleModeExample(policy { $0.app.account = Name.work })
    example.refuse()
    #expect(example.print() == Answer(.block, .printBlocked))
  }

  /// What it takes back leaves it where it began, and never without an identity.
  @Test
  func whatItTakesBackLeavesItWhereItBegan() throws {
    var example = try SingleModeExample(policy())
    try example.say("")
    #expect(example.print() == Answer(.allow, .noManagedIdentity))
    try example.say(nil)
    #expect(example.print() == Answer(.block, .printBlocked))
    example.reload(policy(Self.second))
    try example.say(nil)
    #expect(example.print() == Answer(.block, .noIdentity))
  }

  /// The account that the policy took it for is in nobody's way; one that it said itself is (MI-28).
  @Test
  func whatItSaysTakesTheStartsPlace() throws {
    var example = try SingleModeExample(policy())
    example.reload(policy(Self.second))
    try example.say(Name.second)
    #expect(example.print() == Answer(.block, .printBlocked))
    #expect(throws: Refusal.secondManagedAccount(Name.second)) { try example.say(Name.work) }
  }

  /// Views that the policy calls nobody's stay so: signing in has to work.
  @Test
  func unmanagedViewersAreFree() throws {
    var example = try SingleModeExample(policy(Self.second))
    #expect(example.print(in: "P") == Answer(.allow, .noManagedIdentity))
    #expect(example.print(in: "never registered") == Answer(.block, .noIdentity))
  }

  /// What it copied by itself while nobody knew whose it was belongs to nobody knows whom.
  @Test
  func whatItCopiesIsAnUnknownOwners() throws {
    var example = try SingleModeExample(policy(Self.second))
    #expect(example.change().clipOwner == .unknownManaged)
  }

  /// Where all that could bind its user only monitors, nobody has to say anything.
  @Test
  func whatOnlyMonitorsBlocksNothing() throws {
    var example = try SingleModeExample(
      policy {
        Self.second(&$0)
        $0.protection.monitoredUntil = 100
      })
    #expect(example.print().outcome == .allow)
    var app = try SingleModeExample(
      policy {
        Self.second(&$0)
        $0.app.monitoredUntil = 100
      })
    #expect(app.print().outcome == .allow)
  }
}

/// One running app of user 1000, with a view of the organisation's (`C`) and one of nobody's (`P`).
private struct SingleModeExample {
  var example: Example
  var id: InstanceID
  private let groups: [UInt32]

  init(_ policy: ExamplePolicy, groups: [UInt32] = []) throws {
    example = try Example(policy.with { $0.app.account = nil }, as: nil)
    id = example.portal
    self.groups = groups
    example.reload(policy)
    try attach()
  }

  mutating func attach() throws {
    id = try example.state.attach(app: 0, peer: Peer(uid: 1000, groups: groups), example.snapshot)
    for (viewer, name) in [("D", "documents"), ("C", "company"), ("P", "public")] {
      try example.state.register(ViewerDescription(viewer, class: name), in: id, example.snapshot)
    }
  }

  mutating func say(_ account: String?) throws {
    let identity = try example.state.identity(account, in: id, example.snapshot)
    _ = try example.state.state(identity, ofWindow: nil, in: id, example.snapshot)
  }

  /// What the daemon does after any refused `SetIdentity`.
  mutating func refuse() { example.state.refuseIdentity(in: id, example.snapshot) }

  mutating func reload(_ policy: ExamplePolicy) { example.reload(policy) }

  mutating func print(in viewer: String = "C") -> Answer { ask(.data(.print, in: viewer)) }

  mutating func navigate(_ url: String) -> Answer { ask(.data(.navigate, url: url) { $0.frame = .main }) }

  mutating func change() -> Decision {
    let event = Event.data(.clipboardChanged, in: "C") { ($0.selfOwned, $0.selection) = (.yes, .clipboard) }
    return decide(event, of: id, &example.state, under: example.snapshot)
  }

  private mutating func ask(_ event: Event) -> Answer {
    Answer(decide(event, of: id, &example.state, under: example.snapshot))
  }
}
