import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Whose an action is: scope, then window, then process; nothing set differs from explicitly nobody.
struct IdentityTests {
  private func level(_ decision: Decision, _ example: Example) -> String {
    "\(example.state.name(of: decision.identity) ?? "nil") \(decision.identityLevel.rawValue)"
  }

  @Test
  func theNearestLevelThatIsSetCounts() throws {
    var example = try Example()
    try example.register(ViewerDescription("W", window: "main", kind: .window))
    try example.register(ViewerDescription("V", class: "documents", parent: "W"))
    #expect(level(example.navigate("https://x.example/", in: "V"), example) == "work@contoso.com process")
    try example.set("private@home.example", window: "main")
    #expect(level(example.navigate("https://x.example/", in: "V"), example) == "private@home.example window")
    let scope = try example.state.identity("work@contoso.com", in: example.portal, example.snapshot)
    #expect(
      level(example.navigate("https://x.example/", in: "V") { $0.scope = scope }, example) == "work@contoso.com scope")
    try example.set(nil, window: "main")
    #expect(level(example.navigate("https://x.example/", in: "V"), example) == "work@contoso.com process")
  }

  @Test
  func nobodyStopsAndAbsentInherits() throws {
    var example = try Example()
    try example.register(ViewerDescription("V", window: "main"))
    try example.set("", window: "main")
    #expect(level(example.navigate("https://x.example/", in: "V"), example) == " window")
    #expect(level(example.navigate("https://x.example/", in: "V") { $0.scope = .nobody }, example) == " scope")
    #expect(level(example.navigate("https://x.example/") { $0.scope = .nobody }, example) == " scope")
    try example.set(nil)
    #expect(level(example.navigate("https://x.example/"), example) == "nil none")
    #expect(level(example.navigate("https://x.example/", in: "P"), example) == " viewer")
  }

  /// MI-07: so that the same question has the same answer by either.
  @Test
  func twoNamesOfOneAccountAreOne() throws {
    var example = try Example(as: "WORK@Contoso.com")
    let first = example.navigate("https://contoso.com/")
    try example.set("6d5c")
    let second = example.navigate("https://contoso.com/")
    #expect(first == second)
    #expect(level(second, example) == "work@contoso.com process")
  }

  /// MI-19: so that whoever changes it can put it back.
  @Test
  func settingReturnsThePreviousOne() throws {
    var example = try Example()
    let work = try example.state.identity("6D5C", in: example.portal, example.snapshot)
    #expect(try example.state.setProcessIdentity(.nobody, in: example.portal, example.snapshot) == work)
    #expect(try example.state.setProcessIdentity(work, in: example.portal, example.snapshot) == .nobody)
    #expect(try example.state.setIdentity(work, ofWindow: "w", in: example.portal, example.snapshot) == .absent)
    #expect(try example.state.setIdentity(.absent, ofWindow: "w", in: example.portal, example.snapshot) == work)
    #expect(example.state.name(of: .absent) == nil)
    #expect(example.state.name(of: .nobody) == "")
  }

  /// Account in bad standing > managed, by web transfer > unmanaged > nobody > absent; scope first.
  @Test
  func anUnknownViewerCountsAsTheStrictestIdentity() throws {
    var strict = Protection(name: "strict")
    strict.accountPatterns = ["*@fabrikam.example"]
    strict.webTransfer = .block
    let policy = ExamplePolicy().with {
      $0.otherProtections = [strict]
      $0.otherAccounts.append(AccountEntry(upn: "gone@home.example", objectID: nil))
      $0.otherAccounts[1].state = .wiped
    }
    var example = try Example(policy, as: nil)
    #expect(level(example.navigate("https://x.example/", in: nil), example) == "nil none")
    let steps = [
      ("a", "", " strictest"), ("b", "private@home.example", "private@home.example strictest"),
      ("c", "work@contoso.com", "work@contoso.com strictest"),
      ("d", "boss@fabrikam.example", "boss@fabrikam.example strictest"),
      ("e", "gone@home.example", "gone@home.example strictest"),
    ]
    for (window, account, expected) in steps {
      try example.set(account, window: window)
      #expect(level(example.navigate("https://x.example/", in: nil), example) == expected)
    }
    #expect(Answer(example.navigate("https://x.example/", in: nil)) == Answer(.block, .accountWiped))
    #expect(level(example.navigate("https://x.example/", in: nil) { $0.scope = .nobody }, example) == " scope")
    try example.set(nil, window: "e")
    try example.set("boss@fabrikam.example")
    #expect(level(example.navigate("https://x.example/", in: nil), example) == "boss@fabrikam.example process")
  }

  @Test
  func groupsBindTheAccountsOfTheirMembers() throws {
    let policy = ExamplePolicy().with {
      $0.protection.accountPatterns = []
      $0.protection.groups = [50]
    }
    var example = try Example(policy)
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.allow, .unmanaged))
    let staff = try example.state.attach(app: 0, peer: Peer(uid: 1001, groups: [7, 50]), example.snapshot)
    let anyone = try example.state.identity("anyone@else.example", in: staff, example.snapshot)
    _ = try example.state.setProcessIdentity(anyone, in: staff, example.snapshot)
    var event = Event(.navigate)
    event.url = event.append("https://news.example/")
    event.frame = .main
    #expect(Answer(decide(event, of: staff, &example.state, under: example.snapshot)) == Answer(.redirect, .external))
  }

  /// MI-01: as long as there is only one.
  @Test
  func aSingleModeAppHasTheOnlyManagedAccount() throws {
    var example = try Example(ExamplePolicy().with { $0.app.identityMode = .single }, as: "")
    let second = try example.state.attach(app: 0, peer: Peer(uid: 1000), example.snapshot)
    #expect(example.state.name(of: example.state.instance(second)?.process ?? .absent) == "work@contoso.com")
    var two = ExamplePolicy().with { $0.app.identityMode = .single }
    two.otherAccounts.append(AccountEntry(upn: "other@contoso.com", objectID: nil))
    example.reload(two)
    let third = try example.state.attach(app: 0, peer: Peer(uid: 1000), example.snapshot)
    #expect(example.state.instance(third)?.process == .absent)
  }
}
