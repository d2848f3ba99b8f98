import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Read-only questions about identities and accounts. Ledger MI-21, MI-23, EN-10, MI-31.
struct StandingTests {
  /// MI-23, EN-10: managed is what a protection binds, by entry, pattern or group; nobody gets a number by being asked about.
  @Test(arguments: [
    (Name.work, true, true), ("WORK@contoso.com", true, true), ("6d5c", true, true), ("new@contoso.com", true, true),
    (Name.home, true, false), ("who@else.example", false, false), ("", false, false),
  ])
  func anAccountIsManagedWhereAProtectionBindsIt(_ name: String, _ isKnown: Bool, _ isManaged: Bool) throws {
    let example = try Example(as: nil)
    let standing = example.state.standing(of: name, in: example.portal, example.snapshot)
    #expect(standing.isKnown == isKnown && standing.isManaged == isManaged && standing.state == .active)
    #expect(isManaged && name != "new@contoso.com" ? standing.name == Name.work : standing.name == name)
    #expect(example.state.shownAccounts(of: example.portal).isEmpty)
  }

  /// MI-23: of a user whose group is bound every account is managed; the account's standing is told with it.
  @Test
  func groupsAndStandingCount() throws {
    var policy = ExamplePolicy()
    policy.protection.groups = [100]
    policy.otherAccounts[0].state = .blocked
    var example = try Example(policy)
    let member = try example.state.attach(app: 0, peer: Peer(uid: 1000, groups: [100]), example.snapshot)
    let home = example.state.standing(of: Name.home, in: member, example.snapshot)
    #expect(home.isManaged && home.state == .blocked)
    #expect(!example.state.standing(of: Name.home, in: example.portal, example.snapshot).isManaged)
    #expect(example.state.standing(of: "who@else.example", in: member, example.snapshot).isKnown)
  }

  /// MI-21: each window with all that it shows, by name; what inherits is not among them.
  @Test
  func eachWindowSaysWhatItShows() throws {
    var example = try Example(as: Name.home)
    try example.set(Name.work, window: "two")
    try example.set("", window: "one")
    try example.set(Name.work, window: "gone")
    try example.set(nil, window: "gone")
    let both = try [Name.work, Name.home].map { try example.state.identity($0, in: example.portal, example.snapshot) }
    _ = try example.state.setIdentities(both, ofWindow: "three", in: example.portal, example.snapshot)
    let windows = example.state.windows(of: example.portal)
    #expect(windows.map(\.name) == ["one", "three", "two"])
    #expect(windows[0].identities == [.nobody] && Set(windows[1].identities) == Set(both))
    #expect(windows[2].identities.map { example.state.name(of: $0) } == [Name.work])
  }

  /// MI-23: management is on wherever the policy could bind some account of this user.
  @Test
  func managementIsOnWhereSomethingCouldBeBound() throws {
    let pattern = try Example()
    #expect(pattern.state.mayManage(pattern.portal, pattern.snapshot))
    let none = ExamplePolicy().with { $0.protection.accountPatterns = [] }
    let free = try Example(none, as: nil)
    #expect(!free.state.mayManage(free.portal, free.snapshot))
    var grouped = try Example(none.with { $0.protection.groups = [100] }, as: nil)
    #expect(!grouped.state.mayManage(grouped.portal, grouped.snapshot))
    let member = try grouped.state.attach(app: 0, peer: Peer(uid: 1000, groups: [100]), grouped.snapshot)
    #expect(grouped.state.mayManage(member, grouped.snapshot))
  }
}
