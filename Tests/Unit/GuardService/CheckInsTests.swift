import GuardProtocol
import GuardService
import Testing

/// The last word from the distributor of the policy: its age, its problems, and its form in the state file.
@Suite struct CheckInsTests {
  private let digest = String(repeating: "ab", count: 32)
  private static let noon: UInt64 = 1_795_000_000_000
  private static let hour: UInt64 = 3_600_000

  @Test("the age is that of the last success, and none when nothing is on record or its time lies ahead")
  func age() {
    var checkIns = CheckIns()
    #expect(checkIns.age(at: Self.noon) == nil)
    checkIns.fail(because: "no route to host", at: Self.noon)
    #expect(checkIns.age(at: Self.noon) == nil, "a failure makes nothing fresh")
    checkIns.succeed(with: digest, at: Self.noon)
    for (now, age) in [(Self.noon, 0), (Self.noon + 999, 0), (Self.noon + Self.hour, 3600)] as [(UInt64, UInt64)] {
      #expect(checkIns.age(at: now) == age)
    }
    #expect(checkIns.age(at: Self.noon - 1) == nil)
    #expect(checkIns.failure == nil, "a success ends the failure")
    checkIns.fail(because: "x", at: Self.noon + Self.hour)
    #expect(checkIns.age(at: Self.noon + 2 * Self.hour) == 7200, "a failure takes no check-in away")
  }

  @Test(
    "late is more than a day after the last, and never before the first",
    arguments: [(0, []), (24, []), (25, [.checkInLate]), (24 * 90, [.checkInLate])] as [(Int, [HealthProblemCode])])
  func lateness(hours: Int, codes: [HealthProblemCode]) {
    var checkIns = CheckIns()
    let now = Self.noon + UInt64(hours) * Self.hour
    #expect(checkIns.problems(at: now).isEmpty)
    checkIns.succeed(with: digest, at: Self.noon)
    #expect(checkIns.problems(at: now).map(\.code) == codes)
    checkIns.fail(because: "no route", at: now)
    #expect(checkIns.problems(at: now).map(\.code) == [.checkInFailed] + codes)
    #expect(checkIns.problems(at: Self.noon - 1).map(\.code) == [.checkInFailed, .checkInLate], "the clock is behind")
  }

  @Test("both times come back from the state file as they went there")
  func marks() {
    var checkIns = CheckIns()
    #expect(CheckIns(marks: checkIns.marks) == checkIns)
    checkIns.succeed(with: digest, at: Self.noon)
    #expect(CheckIns(marks: checkIns.marks) == checkIns)
    checkIns.fail(because: "no route to\nhost \u{1B}[2J " + String(repeating: "é", count: 500), at: Self.noon + 1)
    #expect(CheckIns(marks: checkIns.marks) == checkIns)
    #expect(checkIns.failure.map { $0.cause.utf8.count <= CheckIns.maximumCause && !$0.cause.contains("\n") } == true)
  }

  @Test(
    "another form counts as no check-in",
    arguments: [
      "", " ", "1795000000000", "1795000000000 abc", "x DIGEST", "-1 DIGEST", "1795000000000  DIGEST",
      "99999999999999999999 DIGEST", "1795000000000 DIGEST0", "1795000000000 digest",
    ])
  func otherForms(mark: String) {
    #expect(CheckIns(marks: ["checkIn": "1795000000000 \(digest)"]) != CheckIns(), "the right form is one")
    let read = CheckIns(marks: ["checkIn": mark.replacing("DIGEST", with: digest)])
    #expect(read == CheckIns())
  }
}
