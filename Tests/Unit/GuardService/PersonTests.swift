import GuardService
import TestSupport
import Testing

/// Whose a uid is.
@Suite struct PersonTests {
  private static let users: [String: UInt32] = ["alice": 1000, "bob": 1001]
  private static let text = """
    alice:100000:65536
    1001:165536:65536
    gone:300000:65536
    # alice:400000:1
    bob:4294901760:65536
    alice:500000:0
    alice:500001
    alice:x:1
    bob:600000:10
    alice:600005:10

    """

  private static let ranges = SubordinateRanges(text: text) { users[$0] }

  @Test(
    arguments: [
      (99_999, []), (100_000, [1000]), (165_535, [1000]), (165_536, [1001]), (231_071, [1001]), (231_072, []),
      (300_000, []), (400_000, []), (500_000, []), (500_001, []), (4_294_901_759, []), (4_294_901_760, [1001]),
      (4_294_967_295, [1001]), (600_004, [1001]), (600_005, [1000, 1001]), (600_010, [1000]), (0, []),
    ] as [(UInt32, [UInt32])])
  func aRangeBelongsToItsUser(_ uid: UInt32, _ owners: [UInt32]) {
    #expect(Self.ranges.owners(of: uid) == owners)
  }

  /// The user database wins; one range makes a person; none and several make nobody.
  @Test(
    arguments: [
      (1000, true, .known(1000)), (100_001, true, .known(100_001)), (600_005, true, .known(600_005)),
      (100_001, false, .known(1000)), (165_536, false, .known(1001)), (600_005, false, .ambiguous),
      (77, false, .unknown), (300_000, false, .unknown),
      // The database does not answer.
      (1000, nil, .known(1000)), (100_001, nil, .known(1000)), (600_005, nil, .ambiguous), (77, nil, .known(77)),
    ] as [(UInt32, Bool?, Person)])
  func aSubordinateUIDIsItsOwners(_ uid: UInt32, _ isUser: Bool?, _ person: Person) {
    let lookUp = PersonLookUp(isUser: { _ in isUser }, owners: Self.ranges.owners(of:))
    #expect(lookUp.person(of: uid) == person)
  }

  /// Any text at all: a uid has an owner only where some line says so.
  @Test func noTextGivesAwayWhatItDoesNotSay() {
    var random = SeededGenerator()
    for _ in 0..<2000 {
      let pieces = ["alice", "bob", "1000", ":", ":", "\n", "0", "10", "4294967295", "4294967296", "-1", " ", "é"]
      let text = (0..<random.below(14)).map { _ in random.one(of: pieces) }.joined()
      let ranges = SubordinateRanges(text: text) { Self.users[$0] }
      for uid in [0, 5, 10, 1000, .max] as [UInt32] where !ranges.owners(of: uid).isEmpty {
        #expect(text.split(separator: "\n").contains { $0.split(separator: ":").count == 3 }, "\(random.note) \(text)")
      }
    }
  }

  // MARK: What is remembered

  @Test func anAnswerHoldsForItsTime() {
    let clock = Counter()
    let asked = Counter()
    let names = Remembered<Int, Int>(seconds: 60, capacity: 3, uptime: { UInt64(clock.value) }) { key in
      asked.add(1)
      return key * 10 + asked.value
    }
    #expect((names[1], names[1]) == (11, 11))
    clock.add(59_999)
    #expect(names[1] == 11)
    clock.add(1)
    #expect(names[1] == 12, "looked up again")
    #expect((names[2], names[3], names[1]) == (23, 34, 12))
    #expect(names[4] == 45, "no room: all are forgotten")
    #expect(names[1] == 16)
  }
}

/// A number that closures share.
private final class Counter: @unchecked Sendable {
  private(set) var value = 0

  func add(_ count: Int) { value += count }
}

/// Places for connections.
@Suite struct QuotasTests {
  @Test func onePersonHasItsPart() {
    var quotas = Quotas(perUser: 8, maximum: 64)
    #expect(Self.places(1, &quotas) == 8)
    quotas.release(1)
    #expect(Self.places(1, &quotas) == 1)
    #expect(quotas.total == 8)
  }

  /// Three persons hold three quarters; others get in all the same, and nobody holds much of the rest.
  @Test func theLastQuarterIsForThoseWhoHoldLittle() {
    var quotas = Quotas(perUser: 16, maximum: 64)
    let held = (1...8).map { Self.places(UInt32($0), &quotas) }
    #expect(held == [16, 16, 16, 4, 4, 4, 4, 0])
    #expect(Self.places(1, &quotas) == 0)
  }

  /// How many more places a person gets.
  private static func places(_ person: UInt32, _ quotas: inout Quotas) -> Int {
    var count = 0
    while quotas.admit(person) { count += 1 }
    return count
  }

  @Test func thereAreNeverMoreThanTheMaximum() {
    var random = SeededGenerator()
    var quotas = Quotas(perUser: 9, maximum: 50)
    var held: [UInt32: Int] = [:]
    for _ in 0..<20_000 {
      let person = UInt32(random.below(30))
      if random.oneIn(3), held[person, default: 0] > 0 {
        quotas.release(person)
        held[person, default: 0] -= 1
      } else if quotas.admit(person) {
        held[person, default: 0] += 1
      }
      let total = held.values.reduce(0, +)
      #expect(quotas.total == total && total <= 50 && held.values.allSatisfy { $0 <= 9 }, "\(random.note)")
    }
  }
}

/// What AppArmor and SELinux call a process.
@Suite struct ProcessLabelTests {
  @Test(
    arguments: [
      ("webkit (enforce)", "webkit"), ("webkit (kill)", "webkit"), ("webkit (complain)", nil), ("webkit (prompt)", nil),
      ("webkit (unconfined)", nil), ("webkit (mixed)", nil), ("webkit (audit)", nil), ("unconfined", nil), ("", nil),
      ("/usr/bin/web kit (enforce)", "/usr/bin/web kit"), ("a//&b (enforce)", "a//&b"), ("webkit(enforce)", nil),
      (" (enforce)", nil), ("(enforce)", nil), ("webkit (enforce) (complain)", nil),
      ("webkit (enforce", "webkit (enforce"),
      ("system_u:system_r:kiosk_t:s0", "system_u:system_r:kiosk_t:s0"),
    ] as [(String, String?)])
  func onlyAProfileThatIsEnforcedIsALabel(_ label: String, _ name: String?) {
    #expect(ProcessLabel.name(of: label) == name)
  }
}
