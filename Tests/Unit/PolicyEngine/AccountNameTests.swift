import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Names of accounts that only a pattern or a group takes: they count to who named them, and go when nothing has them any
/// more.
struct AccountNameTests {
  private func limits(_ accounts: Int) -> StateLimits {
    var limits = StateLimits()
    limits.accountsPerUser = accounts
    return limits
  }

  /// Program after program names all that it may; what ended leaves nothing, and the next has as much room.
  @Test func namesGoWithTheLastThatNamedThem() throws {
    var example = try Example(limits: limits(50))
    let before = example.state.accounts.count
    for round in 0..<200 {
      let program = try example.attach("com.contoso.portal", as: nil)
      let empty = example.state.byteCount(of: program)
      for number in 0..<50 { try example.set("r\(round)-\(number)@contoso.com", window: "w", in: program) }
      #expect(throws: Refusal.limitReached(.accounts, maximum: 50)) {
        try example.set("one-more@contoso.com", window: "w", in: program)
      }
      #expect(example.state.accounts.count == before + 50)
      #expect(example.state.byteCount(of: program) > empty + 50 * 384, "they count as what it registered")
      let stays = example.state.end(program)
      #expect(stays == 0 && example.state.accounts.count == before)
    }
    #expect(example.navigate("https://evil.example/").identity == example.state.instance(example.portal)?.process)
  }

  /// Two users' programs name the same account; each holds it, in whatever order they end.
  @Test(arguments: [true, false])
  func whoeverNamedItHoldsIt(_ isFirstGone: Bool) throws {
    var example = try Example()
    let before = example.state.accounts.count
    let programs = [
      try example.attach("com.contoso.portal", uid: 1001, as: "new@contoso.com"),
      try example.attach("com.contoso.portal", uid: 1002, as: "NEW@contoso.com"),
    ]
    let (gone, left) = isFirstGone ? (programs[0], programs[1]) : (programs[1], programs[0])
    example.state.end(gone)
    // Names that come later take no number that is in use.
    let third = try example.attach("com.contoso.portal", uid: 1003, as: "third@contoso.com")
    let shown = example.state.instance(left)?.process ?? .absent
    #expect(example.state.name(of: shown) == "new@contoso.com")
    #expect(example.state.instance(third)?.process != shown)
    example.state.end(left)
    example.state.end(third)
    #expect(example.state.accounts.count == before)
  }

  /// What an event names counts as well, and a name that is known already to each who names it.
  @Test func whatEventsNameCounts() throws {
    var example = try Example(limits: limits(3))
    let before = example.state.accounts.count
    func save(_ example: inout Example, _ owner: String, _ id: InstanceID) -> Decision {
      var event = Event(.save)
      (event.viewer, event.owner) = (event.append("V"), event.append(owner))
      event.location = .sharePoint
      return decide(event, of: id, &example.state, under: example.snapshot)
    }
    let one = try example.attach("com.contoso.notes", as: "")
    let other = try example.attach("com.contoso.notes", uid: 1001, as: "")
    for number in 0..<3 { #expect(save(&example, "\(number)@contoso.com", one).reason != .unknownAccount) }
    for number in 0..<3 { #expect(save(&example, "\(number)@contoso.com", other).reason != .unknownAccount) }
    #expect(save(&example, "3@contoso.com", one).reason == .unknownAccount, "beyond the cap nothing passes")
    #expect(save(&example, "0@contoso.com", one).reason != .unknownAccount, "what it named it may name")
    #expect(save(&example, "work@contoso.com", one).reason != .unknownAccount, "the policy's own have room")
    #expect(example.state.accounts.count == before + 3)
    example.state.end(one)
    #expect(example.state.accounts.count == before + 3)
    example.state.end(other)
    #expect(example.state.accounts.count == before)
  }

  /// A clip keeps its owner, whoever names what after its program has ended. What stays counts to its person.
  @Test func aClipKeepsItsOwner() throws {
    var example = try Example(limits: limits(40))
    let program = try example.attach("com.contoso.notes", as: "owner@contoso.com")
    try example.register(ViewerDescription("X"))
    #expect(example.clip(.copy, in: "V", of: program, length: 9).outcome == .allow)
    #expect(example.clip(.clipboardChanged, in: "V", of: program, length: 9) { $0.selfOwned = .yes }.outcome == .allow)
    #expect(example.state.end(program) > 384)
    for round in 0..<20 {
      let other = try example.attach("com.contoso.portal", uid: 1001, as: nil)
      for number in 0..<40 { try example.set("n\(round)-\(number)@contoso.com", window: "w", in: other) }
      example.state.end(other)
    }
    let free = try example.attach("com.contoso.notes", as: "private@home.example")
    let pasted = example.clip(.paste, in: "V", of: free, length: 9)
    #expect(pasted.outcome == .block)
    let report = example.state.report(pasted, example.snapshot)
    #expect([nil, "owner@contoso.com"].contains(report.clipOwner))
    // It is named again without taking more room.
    for _ in 0..<100 {
      let again = try example.attach("com.contoso.notes", as: "owner@contoso.com")
      #expect(example.state.end(again) == 0)
    }
  }

  /// Any sequence of programs, names and policies: what an instance shows is what it said.
  @Test func nobodyIsTakenForAnother() throws {
    var random = SeededGenerator()
    var example = try Example(limits: limits(12))
    var shown: [(id: InstanceID, account: String)] = []
    let policies = [
      ExamplePolicy(),
      ExamplePolicy().with { $0.otherAccounts.append(AccountEntry(upn: "a3@contoso.com", objectID: "a4@contoso.com")) },
      ExamplePolicy().with { $0.otherAccounts.append(AccountEntry(upn: "a5@contoso.com", objectID: nil)) },
    ]
    var policy = 0
    for _ in 0..<Effort.scaled(6_000) {
      let account = "a\(random.below(30))@contoso.com"
      switch random.below(8) {
      case 0 where !shown.isEmpty: example.state.end(shown.remove(at: random.below(shown.count)).id)
      case 1 where random.oneIn(8):
        policy = random.below(policies.count)
        example.reload(policies[policy])
      case 2 where !shown.isEmpty:
        let index = random.below(shown.count)
        guard (try? example.set(account, in: shown[index].id)) != nil else { continue }
        shown[index].account = account
      default:
        let uid = UInt32(1001 + random.below(3))
        guard shown.count < 20, let id = try? example.attach("com.contoso.portal", uid: uid, as: account) else {
          continue
        }
        shown.append((id, account))
      }
      for (id, account) in shown {
        let name = example.state.instance(id).flatMap { example.state.name(of: $0.process) }
        // Two names of one account are one, once a policy said so.
        let isSame = name == account || ["a3@contoso.com", "a4@contoso.com"].contains(account)
        #expect(isSame, "\(account) is \(name ?? "nobody"); \(random.note)")
      }
    }
    for (id, _) in shown { example.state.end(id) }
    #expect(example.state.accounts.count < 12, "\(random.note)")
  }
}
