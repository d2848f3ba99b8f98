import GuardModel
import PolicyEngine
import Testing

/// A condition that only warns never blocks: not when it fails, and not for want of a word.
@Suite struct WarningConditionTests {
  private static let day: UInt64 = 86_400_000

  @Test(
    "after a day without a word only conditions that block do block",
    arguments: [
      (LaunchCondition.Action.warn, FactValue?.none, AccountState.active), (.warn, .truth(false), .active),
      (.warn, .truth(true), .active), (.block, nil, .notChecked), (.block, .truth(false), .nonCompliant),
      (.block, .truth(true), .active),
    ] as [(LaunchCondition.Action, FactValue?, AccountState)])
  func silence(_ action: LaunchCondition.Action, _ fact: FactValue?, _ expected: AccountState) throws {
    var condition = LaunchCondition("diskEncrypted", .equals, .truth(true))
    condition.action = action
    let policy = ExamplePolicy().with { $0.protection.conditions = [condition] }
    var engine = Guard(epoch: 1, under: policy.snapshot)
    let id = try engine.attach(app: "com.contoso.portal", peer: Peer(uid: 1000), at: 1_000)
    let facts = fact.map { ["diskEncrypted": Fact($0)] } ?? [:]
    for time in [1_000, Self.day * 2, Self.day * 400] {
      engine.setFacts(facts, at: time)
      _ = engine.tick(at: time)
      let first = time == 1_000 && fact == nil
      let standing = engine.state.standing(of: Name.work, in: id, engine.snapshot).state
      #expect(standing == (first ? .active : expected), "at \(time)")
    }
  }
}
