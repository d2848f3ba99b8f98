internal import PolicyTools
import TestSupport
import Testing
import webviewguard

/// What `diff` counts, and what becomes of it at the bounds.
@Suite struct ChangeTallyTests {
  private typealias Tally = ChangeTally<String>

  private static func limits(kinds: Int = 2, sites: Int = 3, pairs: Int = 4, examples: Int = 2) -> ChangeLimits {
    var limits = ChangeLimits()
    (limits.kinds, limits.sites, limits.pairs, limits.examples) = (kinds, sites, pairs, examples)
    limits.exampleBytes = 8
    return limits
  }

  @Test func countsByKindAndBySite() {
    var tally = Tally()
    for (kind, site) in [("a", "x"), ("b", "x"), ("a", "y"), ("a", "y"), ("b", "z")] {
      tally.note(kind, isChange: true, site: site, example: .init(site))
    }
    #expect(tally.kinds.map(\.change) == ["a", "b"])
    #expect(tally.kinds.map(\.count) == [3, 2])
    #expect(tally.kinds.map(\.sites) == [2, 2])
    #expect(tally.kinds.map(\.sitesAreExact) == [true, true])
    #expect(tally.topSites(9).map(\.name) == ["x", "y", "z"])
    #expect(tally.topSites(9).map(\.count) == [2, 2, 1])
    #expect(tally.topSites(1).flatMap { $0.kinds.map(\.kind) } == [0, 1])
    #expect((tally.furtherChanges, tally.furtherOthers, tally.onFurtherSites) == (0, 0, 0))
  }

  @Test func theFirstExamplesAreKeptAndLongOnesCut() {
    var tally = Tally(Self.limits())
    for text in ["123456789", "two", "three"] { tally.note("a", isChange: true, site: "x", example: .init(text)) }
    #expect(tally.kinds.first?.examples.map(\.text) == ["12345678...", "two"])
  }

  @Test func examplesThatAreNotKeptAreNotMade() {
    var tally = Tally(Self.limits(examples: 0))
    var made = 0
    func example() -> ChangeExample {
      made += 1
      return ChangeExample("x")
    }
    tally.note("a", isChange: true, site: "x", example: example())
    #expect(made == 0)
  }

  @Test func kindsBeyondTheBoundAreCountedTogether() {
    var tally = Tally(Self.limits())
    for number in 0..<10 { tally.note("c\(number)", isChange: true, site: "x", example: .init("")) }
    for number in 0..<7 { tally.note("o\(number)", isChange: false, site: "x", example: .init("")) }
    #expect(tally.kinds.map(\.change) == ["c0", "c1", "o0", "o1"])
    #expect((tally.furtherChanges, tally.furtherOthers) == (8, 5))
    #expect(tally.topSites(1).map(\.count) == [10])
  }

  @Test func whatIsNoChangeTakesNoRoomFromChanges() {
    var tally = Tally(Self.limits())
    for number in 0..<10 { tally.note("o\(number)", isChange: false, site: "s\(number)", example: .init("")) }
    tally.note("c", isChange: true, site: "x", example: .init(""))
    #expect(tally.kinds.last?.change == "c")
    #expect(tally.topSites(9).map(\.name) == ["x"])
  }

  @Test func sitesBeyondTheBoundAreCountedTogether() {
    var tally = Tally(Self.limits())
    for number in 0..<10 { tally.note("a", isChange: true, site: "s\(number)", example: .init("")) }
    #expect(tally.siteCount == 3)
    #expect(tally.onFurtherSites == 7)
    #expect(tally.kinds.map(\.sites) == [3])
    #expect(tally.kinds.map(\.sitesAreExact) == [false])
    #expect(tally.kinds.map(\.count) == [10])
  }

  @Test func pairsBeyondTheBoundLeaveTheCountsOfKindsAndSitesExact() {
    var tally = Tally(Self.limits(kinds: 3, pairs: 4))
    for kind in ["a", "b", "c"] {
      for site in ["x", "y", "z"] { tally.note(kind, isChange: true, site: site, example: .init("")) }
    }
    #expect(tally.kinds.map(\.count) == [3, 3, 3])
    #expect(tally.topSites(3).map(\.count) == [3, 3, 3])
    #expect(tally.kinds.map(\.sites) == [3, 1, 0])
    #expect(tally.kinds.map(\.sitesAreExact) == [true, false, false])
    #expect(tally.topSites(3).map { $0.kinds.reduce(0) { $0 + $1.count } } == [2, 1, 1])
  }

  /// However many come, the sum of all that is told is what came, and what is kept stays within the bounds.
  @Test(arguments: [0 as UInt64, 7, 42]) func nothingIsLost(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let limits = Self.limits(kinds: 5, sites: 20, pairs: 30)
    var tally = Tally(limits)
    let total = 20_000
    for _ in 0..<total {
      let (kind, site) = (generator.next() % 50, generator.next() % 400)
      tally.note("\(kind)", isChange: kind % 3 != 0, site: "\(site)", example: .init(""))
    }
    let changes = tally.kinds.filter(\.isChange).reduce(tally.furtherChanges) { $0 + $1.count }
    let others = tally.kinds.filter { !$0.isChange }.reduce(tally.furtherOthers) { $0 + $1.count }
    let onSites = tally.topSites(.max).reduce(tally.onFurtherSites) { $0 + $1.count }
    #expect(changes + others == total)
    #expect(onSites == changes)
    #expect(tally.siteCount <= limits.sites)
    #expect(tally.kinds.count <= 2 * limits.kinds)
    #expect(tally.kinds.reduce(0) { $0 + $1.sites } <= limits.pairs)
  }
}
