import GuardService
import PolicyEngine
import Testing
import URLRules

/// When exceptions end: at their time, and never later than as much time has passed as they had left.
@Suite struct ExceptionBookTests {
  private func exception(_ id: String, until: UInt64) throws -> TimedException {
    TimedException(
      id: id, host: try #require(HostName("files.example")), takesHostsBelow: false, since: 1_000, until: until,
      grantor: Administrator(uid: 0, user: nil), cause: "a tender")
  }

  @Test func eachEndsAtItsTime() throws {
    var book = ExceptionBook()
    book.begin(try exception("late", until: 9_000), at: 1_000, uptime: 50)
    book.begin(try exception("soon", until: 5_000), at: 1_000, uptime: 50)
    #expect(book.nextEnd == 5_000)
    #expect(book.endOverdue(at: 4_999, uptime: 4_049).isEmpty)
    #expect(book.endOverdue(at: 5_000, uptime: 4_049).map(\.exception.id) == ["soon"])
    #expect(book.inForce.map(\.id) == ["late"] && book.nextEnd == 9_000)
    #expect(book.ended.first?.endedAt == 5_000)
    let noticedLate = book.endOverdue(at: 99_000, uptime: 4_050)
    #expect(noticedLate.first?.endedAt == 9_000, "when it ended")
    #expect(book.nextEnd == .max)
  }

  /// Somebody set the system's clock back, so that the steady one stands still.
  @Test func aClockThatStandsStillMakesNoneLonger() throws {
    var book = ExceptionBook()
    book.begin(try exception("a", until: 5_000), at: 1_000, uptime: 50)
    #expect(!book.hasOverstayed(uptime: 4_049))
    #expect(book.hasOverstayed(uptime: 4_050))
    #expect(book.endOverdue(at: 1_000, uptime: 4_050).map(\.endedAt) == [1_000])
    #expect(book.inForce.isEmpty && !book.hasOverstayed(uptime: .max))
  }

  @Test func whatIsTakenBackNamesWhoDid() throws {
    var book = ExceptionBook()
    book.begin(try exception("a", until: 5_000), at: 1_000, uptime: 50)
    let bob = Administrator(uid: 7, user: "bob")
    #expect(book.remove("b", at: 2_000, by: bob) == nil)
    #expect(book.remove("a", at: 2_000, by: bob)?.remover == bob)
    #expect(book.remove("a", at: 2_000, by: bob) == nil)
    #expect(book.nextEnd == .max && book.ended.count == 1)
  }

  @Test func onlyTheLastThatEndedAreRemembered() throws {
    var book = ExceptionBook()
    for number in 0..<(ExceptionBook.maximumEnded + 2) {
      book.begin(try exception("\(number)", until: UInt64(2_000 + number)), at: 1_000, uptime: 0)
      _ = book.endOverdue(at: UInt64(2_000 + number), uptime: 0)
    }
    #expect(book.forgetOldest() == ["1", "0"])
    #expect(book.ended.count == ExceptionBook.maximumEnded && book.forgetOldest().isEmpty)
  }
}
