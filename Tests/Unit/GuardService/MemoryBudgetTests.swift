import GuardService
import TestSupport
import Testing

/// Who may hold how much.
@Suite struct MemoryBudgetTests {
  private static let megabyte = 1 << 20

  @Test func oneUserGetsAQuarter() {
    var budget = MemoryBudget(megabytes: 64)
    let user = UserMemory(uid: 1)
    #expect(budget.share == 16 * Self.megabyte)
    #expect(budget.hasRoom(for: budget.share, of: user))
    #expect(!budget.hasRoom(for: budget.share + 1, of: user))
    budget.register(budget.share, of: user)
    #expect(!budget.hasRoom(for: 1, of: user))
    #expect(budget.hasRoom(for: 0, of: user) && budget.hasRoom(for: -1, of: user), "what shrinks is welcome")
    #expect(budget.hasRoom(for: budget.share, of: UserMemory(uid: 2)))
  }

  @Test func theLastQuarterIsForThoseWhoHoldLittle() {
    var budget = MemoryBudget(megabytes: 64)
    for uid in 1...3 { budget.register(budget.share, of: UserMemory(uid: UInt32(uid))) }
    let fourth = UserMemory(uid: 4)
    #expect(budget.hasRoom(for: Self.megabyte, of: fourth))
    #expect(!budget.hasRoom(for: Self.megabyte + 1, of: fourth))
  }

  /// However many users there are, and whatever they try.
  @Test func thereIsNeverMoreThanTheMaximum() {
    var random = SeededGenerator()
    var budget = MemoryBudget(megabytes: 16)
    let users = (0..<200).map { UserMemory(uid: UInt32($0)) }
    for _ in 0..<20_000 {
      let user = random.one(of: users)
      let bytes = random.below(400_000) - (random.oneIn(4) ? user.registered : 0)
      if budget.hasRoom(for: bytes, of: user) { budget.register(max(bytes, -user.registered), of: user) }
      #expect(budget.registered <= budget.maximum && user.registered <= budget.share, "\(random.note)")
    }
    #expect(users.reduce(0) { $0 + $1.registered } == budget.registered)
  }

  @Test func whoseAnswersWaitIsReadMoreSlowly() {
    var budget = MemoryBudget(megabytes: 64)
    let (greedy, modest) = (UserMemory(uid: 1), UserMemory(uid: 2))
    budget.move(budget.share + 1, of: greedy)
    budget.move(1000, of: modest)
    #expect(budget.mustWait(greedy) && !budget.mustWait(modest))
    budget.move(-2, of: greedy)
    #expect(!budget.mustWait(greedy))
    for uid in 3...5 { budget.move(budget.share - 1, of: UserMemory(uid: UInt32(uid))) }
    #expect(budget.mustWait(greedy) && !budget.mustWait(modest), "the last quarter is for those who hold little")
  }
}
