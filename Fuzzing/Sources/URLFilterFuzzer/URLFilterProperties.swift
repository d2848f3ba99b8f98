import FuzzSupport
import TestSupport
import URLRules
import URLStandard

/// What holds of every URL filter. Lines: a URL, then filters; one that begins with `+` stands in the allow list.
enum URLFilterProperties {
  private static let maximumFilters = 12

  static func check(_ bytes: [UInt8]) {
    let lines = bytes.allLines(maximum: 1 + maximumFilters)
    let texts = lines.dropFirst()
    let record = lines.first.flatMap { URLRecord($0) } ?? URLRecord()
    let judged = lines.first.flatMap { URLSubject.judged($0) }
    let allow = texts.filter { $0.hasPrefix("+") }.compactMap { try? URLFilter(String($0.dropFirst()), side: .allow) }
    let block = texts.filter { !$0.hasPrefix("+") }.compactMap { try? URLFilter($0, side: .block) }
    for filter in block + allow {
      checkOne(filter, record)
      if let judged { checkKeys(filter, judged) }
    }
    checkSets(block, allow, record)
    if let judged { checkSets(block, allow, judged) }
  }

  private static func checkOne(_ filter: URLFilter, _ record: URLRecord) {
    let matches = filter.matches(record)
    let reference = ReferenceFilters(anyOf: [filter])
    require(matches == !reference.matching(record).isEmpty, "`\(filter.text)` on `\(record.href)` as in the reference")
    require(
      URLFilterSet(anyOf: [filter]).matches(record) == matches, "a set of `\(filter.text)` alone on `\(record.href)`")
    guard let witness = filter.witness else { return }
    require(URLRecord(witness).map { filter.matches($0) } == true, "`\(filter.text)` matches its witness `\(witness)`")
  }

  private static func checkKeys(_ filter: URLFilter, _ judged: URLRecord) {
    guard filter.matches(judged), let keys = filter.keys else { return }
    require(keys.contains { $0.holds(of: judged) }, "`\(filter.text)` takes `\(judged.href)`, but none of \(keys)")
  }

  private static func checkSets(_ block: [URLFilter], _ allow: [URLFilter], _ record: URLRecord) {
    let sets = [
      (URLFilterSet(block: block, allow: allow), ReferenceFilters(block: block, allow: allow)),
      (URLFilterSet(anyOf: block + allow), ReferenceFilters(anyOf: block + allow)),
    ]
    for (set, reference) in sets {
      let answer = set.answer(for: record)
      let expected = reference.answer(for: record)
      require(
        answer.state == expected.state && answer.filter == expected.filter,
        "\(answer) for `\(record.href)`, expected \(expected), of \((block + allow).map(\.text))")
    }
  }
}
