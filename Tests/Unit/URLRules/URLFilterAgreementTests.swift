import TestSupport
import Testing
import URLRules
import URLStandard

/// Single filters, compiled sets and index keys say what the plain loop over all filters says.
struct URLFilterAgreementTests {
  @Test
  func compiledListsAnswerAsThePlainLoopDoes() {
    var random = SeededGenerator()
    let world = RandomFilters()
    let records = (0..<2_000).map { _ in world.record(&random) }
    var asked = 0
    var matched = 0
    for _ in 0..<Effort.scaled(2_500) {
      let block = (0..<random.below(14)).map { _ in world.filter(.block, &random) }
      let allow = (0..<random.below(14)).map { _ in world.filter(.allow, &random) }
      let both = (URLFilterSet(block: block, allow: allow), ReferenceFilters(block: block, allow: allow))
      let list = (URLFilterSet(anyOf: block + allow), ReferenceFilters(anyOf: block + allow))
      for _ in 0..<100 {
        let record = random.one(of: records)
        for (set, reference) in [both, list] {
          let answer = set.answer(for: record)
          let expected = reference.answer(for: record)
          asked += 1
          matched += expected.filter == nil ? 0 : 1
          guard answer.state == expected.state, answer.filter == expected.filter else {
            let lists = "\(block.map(\.text)), \(allow.map(\.text))"
            Issue.record("`\(record.href)`: \(answer), expected \(expected), of \(lists); \(random.note)")
            return
          }
        }
      }
    }
    #expect(asked == Effort.scaled(2_500) * 200)
    #expect(matched * 5 > asked, "too few URLs meet a filter")
  }

  @Test
  func singleFiltersMatchAsTheirReferencesDo() {
    var random = SeededGenerator()
    let world = RandomFilters()
    let records = (0..<2_000).map { _ in world.record(&random) }
    for _ in 0..<Effort.scaled(10_000) {
      let filter = world.filter(random.oneIn(2) ? .block : .allow, &random)
      let reference = ReferenceFilters(anyOf: [filter])
      for _ in 0..<30 {
        let record = random.one(of: records)
        let expected = !reference.matching(record).isEmpty
        guard filter.matches(record) == expected else {
          Issue.record("`\(filter.text)` on `\(record.href)`: expected \(expected); \(random.note)")
          return
        }
      }
    }
  }

  /// A filter that matches a judged URL has a key that holds for it.
  @Test
  func keysHideNoFilter() {
    var random = SeededGenerator()
    let world = RandomFilters()
    let subjects = (0..<2_000).map { _ in subject(world.record(&random).href) }.filter { $0.kind == .url }
    var keyed = 0
    for _ in 0..<Effort.scaled(20_000) {
      let filter = world.filter(random.oneIn(2) ? .block : .allow, &random)
      guard let keys = filter.keys else { continue }
      #expect(!keys.isEmpty)
      for _ in 0..<30 {
        let record = random.one(of: subjects).judged
        guard filter.matches(record) else { continue }
        keyed += 1
        guard keys.contains(where: { holds($0, record) }) else {
          Issue.record("`\(filter.text)` matches `\(record.href)`, but none of \(keys) holds; \(random.note)")
          return
        }
      }
    }
    #expect(keyed > Effort.scaled(10_000))
  }

  private func subject(_ text: String) -> URLSubject {
    var subject = URLSubject()
    subject.read(text)
    return subject
  }

  /// What an index key says, in the most obvious way.
  private func holds(_ key: IndexKey, _ record: URLRecord) -> Bool {
    guard case .host(let name, let below, let path) = key else { return false }
    let host = Array(record.hostname.utf8)
    let isHost = host == name || (below && host.suffix(name.count + 1).elementsEqual([UInt8(ascii: ".")] + name))
    return isHost && record.pathname.utf8.starts(with: path)
  }
}
