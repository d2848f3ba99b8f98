import DecisionLog
import GuardModel
import GuardService
import PolicyEngine
import Testing

/// What an app says of accounts and is not believed is recorded up to a rate, and counted beyond.
@Suite struct RefusedChangesTests {
  @Test func eachIsRecordedOrCounted() {
    var refused = RefusedChanges()
    var recorded = 0
    for time in 0..<10_000 as Range<UInt64> where refused.take(.unknownAccount, at: time) == .recorded { recorded += 1 }
    let counts = refused.takeCounts()
    #expect(recorded == 32 + 9)
    #expect(counts.map(\.reason) == [.unknownAccount] && counts.map(\.count) == [UInt64(10_000 - recorded)])
    #expect(refused.takeCounts().isEmpty, "told once")
  }

  /// A flood of one reason hides no other.
  @Test func reasonsDoNotTakeFromEachOther() {
    var refused = RefusedChanges()
    for _ in 0..<10_000 { _ = refused.take(.unknownAccount, at: 0) }
    for reason in RefusedChange.Reason.allCases where reason != .unknownAccount {
      let answer = refused.take(reason, at: 0)
      #expect(answer == .recorded, "\(reason)")
    }
  }

  /// The log takes the decision's word for an account that may not work.
  @Test(arguments: AccountState.allCases) func eachStateHasItsReason(_ state: AccountState) throws {
    guard let reason = state.blockReason else {
      #expect(state == .active)
      return
    }
    #expect(RefusedChange.Reason(rawValue: reason.rawValue) != nil, "the log has no word for \(reason.rawValue)")
  }

  @Test func theFirstThatIsCountedIsTold() {
    var refused = RefusedChanges()
    let answers = (0..<34).map { _ in refused.take(.failed, at: 5) }
    #expect(answers.suffix(3) == [.recorded, .firstCounted, .counted])
  }
}
