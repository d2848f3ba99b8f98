import GuardModel
import GuardService
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// What the event loop counts by: places in tables, which must be the right ones.
@Suite struct CountingTests {
  @Test func theOrdinalOfAReasonIsItsPlace() {
    #expect(Reason.allCases.map(\.ordinal) == Array(Reason.allCases.indices))
  }

  @Test(
    arguments: [
      (0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (1024, 1024), (1025, 2048), (1 << 24, 1 << 24),
    ] as [(UInt64, UInt64)])
  func aDurationFallsIntoTheFirstBucketThatHoldsIt(_ microseconds: UInt64, _ bound: UInt64) {
    var histogram = LatencyHistogram()
    histogram.observe(microseconds)
    #expect(histogram.cumulative.first { $0.count == 1 }?.bound == bound)
    #expect(histogram.cumulative.last?.count == 1)
    #expect((histogram.count, histogram.sum) == (1, microseconds))
  }

  @Test(arguments: [(1 << 24) + 1, UInt64.max] as [UInt64]) func aLongerOneIsOnlyCounted(_ microseconds: UInt64) {
    var histogram = LatencyHistogram()
    histogram.observe(microseconds)
    #expect(histogram.cumulative.allSatisfy { $0.count == 0 })
    #expect(histogram.count == 1)
  }

  @Test func theLagIsThatOfARecordThatStillWaits() {
    var lag = LogLag()
    #expect(lag.milliseconds(at: 5) == 0)
    lag.submitted(7, at: 100)
    lag.submitted(9, at: 120)
    #expect(lag.milliseconds(at: 130) == 30)
    lag.written(6, of: 9, at: 135)
    #expect(lag.milliseconds(at: 140) == 40)
    lag.written(7, of: 9, at: 140)
    #expect(lag.milliseconds(at: 150) == 10)
    lag.written(9, of: 9, at: 160)
    #expect(lag.milliseconds(at: 170) == 0)
    #expect(lag.milliseconds(at: 0) == 0)
  }

  @Test func rulesAreToldApartUpToALimit() {
    let more = RuleHits.maximumTold + 3
    let snapshot = Self.snapshot(rules: more)
    var hits = RuleHits(of: snapshot)
    for rule in (0..<more).reversed() { hits.count(ruleSet: 1, rule: RuleNumber(rule)) }
    hits.count(ruleSet: 1, rule: 0)
    hits.count(ruleSet: 1, rule: RuleNumber(more - 1))
    hits.count(ruleSet: 0, rule: nil)
    let rows = hits.rows(in: snapshot)
    #expect(rows.rules.count == RuleHits.maximumTold + 1)
    #expect(rows.rules.first == .init(["b", "r\(more - 1)", "internal", "4"], 2))
    #expect(rows.rules.last == .init(["b", "other", "", "4"], 4))
    #expect(rows.defaults == [.init(["a", "external", "4"], 1), .init(["b", "external", "4"], 0)])
  }

  /// A number that is no rule's counts nothing, and ends nothing.
  @Test(arguments: [(-1, 0), (2, 0), (0, 99), (0, -1), (Int(Int32.max), 0x7FFF_FFFF)] as [(Int, RuleNumber)])
  func whatIsNoRuleIsNotCounted(_ ruleSet: Int, _ rule: RuleNumber) {
    let snapshot = Self.snapshot(rules: 1)
    var hits = RuleHits(of: snapshot)
    hits.count(ruleSet: RuleSetIndex(ruleSet), rule: rule)
    #expect(hits.rows(in: snapshot).rules.isEmpty)
  }

  private static func snapshot(rules: Int) -> Snapshot {
    let rule = { (id: String) in Rule(id: id, verdict: .internal, condition: .all([])) }
    let few = RuleSet(name: "a", default: .external, rules: [])
    let many = RuleSet(name: "b", default: .external, rules: (0..<rules).map { rule("r\($0)") })
    return Snapshot(generation: Generation(number: 4, digest: "d"), ruleSets: [few, many])
  }
}
