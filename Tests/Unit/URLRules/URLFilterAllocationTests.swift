import CAllocationCounter
import TestSupport
import Testing
import URLRules
import URLStandard

/// Asking filters allocates nothing.
struct URLFilterAllocationTests {
  private static let isMeasured = callocation_counter_works() && !Effort.isReduced

  @Test(.enabled(if: isMeasured, "skipped: debug builds and sanitizers allocate on their own account"))
  func matchingAllocatesNothing() {
    var random = SeededGenerator()
    let world = RandomFilters()
    let block = (0..<500).map { _ in world.filter(.block, &random) }
    let allow = (0..<500).map { _ in world.filter(.allow, &random) }
    let set = URLFilterSet(block: block, allow: allow)
    let records = (0..<500).map { _ in world.record(&random) }
    var matched = countMatches(of: records, in: set, allow)
    let before = callocation_counter_count()
    matched -= countMatches(of: records, in: set, allow)
    let allocations = callocation_counter_count() - before
    #expect(allocations == 0)
    #expect(matched == 0)
  }
}
