internal import URLStandard

extension URLFilterSet {
  /// How many filters of a list Chromium looks at: 1,500 in release 156, 1,000 in older ones.
  ///
  /// Source: asked of the browser itself (`make oracle`, `beyond-the-limit`).
  package static let chromiumLimit = 1_500

  /// What Chromium would hide from the administrator of these two lists, in the order of the filters.
  package static func hidden(block: [URLFilter], allow: [URLFilter]) -> [HiddenFilter] {
    var search = HiddenFilters(block: block, allow: allow)
    search.findContradictions()
    for (side, list) in [(FilterSide.block, block), (.allow, allow)] {
      search.findAll(in: list, side)
      search.findBeyondLimit(in: list, side)
    }
    return search.sorted
  }

  /// The same of a list of filters of which any may match. It is no policy of Chromium's, so it has no limit.
  package static func hidden(anyOf filters: [URLFilter]) -> [HiddenFilter] {
    var search = HiddenFilters(block: filters, allow: [])
    search.findAll(in: filters, .block)
    return search.sorted
  }
}

/// Looks for what is wrong with two lists.
private struct HiddenFilters {
  private let block: [URLFilter]
  private let allow: [URLFilter]
  private var found: [HiddenFilter] = []
  private var explained = Set<URLFilterSet.Place>()

  init(block: [URLFilter], allow: [URLFilter]) {
    self.block = block
    self.allow = allow
  }

  var sorted: [HiddenFilter] {
    found.sorted {
      ($0.filter.side.rawValue, $0.filter.index, $0.kind.rawValue)
        < ($1.filter.side.rawValue, $1.filter.index, $1.kind.rawValue)
    }
  }

  /// Notes a filter that does nothing; one reason is enough.
  private mutating func note(_ hidden: HiddenFilter) {
    explained.insert(hidden.filter)
    found.append(hidden)
  }

  mutating func findBeyondLimit(in list: [URLFilter], _ side: FilterSide) {
    for index in list.indices.dropFirst(URLFilterSet.chromiumLimit) {
      found.append(HiddenFilter(URLFilterSet.Place(side, index), .beyondLimit, witness: list[index].witness))
    }
  }

  mutating func findContradictions() {
    var allowed: [FilterMeaning: Int] = [:]
    for (index, filter) in allow.enumerated().reversed() { allowed[FilterMeaning(filter)] = index }
    for (index, filter) in block.enumerated() {
      guard let other = allowed[FilterMeaning(filter)], allow[other].rank >= filter.rank else { continue }
      note(
        HiddenFilter(
          URLFilterSet.Place(.block, index), .contradiction, by: URLFilterSet.Place(.allow, other),
          witness: allow[other].witness))
    }
  }

  mutating func findAll(in list: [URLFilter], _ side: FilterSide) {
    if list.count > 1 {
      findDuplicates(in: list, side)
      findShadowed(in: list, side)
    }
    for (index, filter) in list.enumerated() { findOddities(filter, URLFilterSet.Place(side, index)) }
  }

  private mutating func findDuplicates(in list: [URLFilter], _ side: FilterSide) {
    var first: [FilterMeaning: Int] = [:]
    for (index, filter) in list.enumerated() {
      let meaning = FilterMeaning(filter)
      if let other = first[meaning] {
        note(
          HiddenFilter(
            URLFilterSet.Place(side, index), .duplicate, by: URLFilterSet.Place(side, other), witness: filter.witness))
      } else {
        first[meaning] = index
      }
    }
  }

  private mutating func findShadowed(in list: [URLFilter], _ side: FilterSide) {
    let index = FilterIndexBuilder.build(list)
    let others = FiltersByHost(side == .block ? allow : block)
    for (number, filter) in list.enumerated() {
      let place = URLFilterSet.Place(side, number)
      guard !explained.contains(place), let witness = filter.witness, let record = URLRecord(witness) else { continue }
      var matches = AllMatches()
      index.search(record, &matches)
      let shadow = matches.numbers.first { other in
        other != number && list[other].hides(filter, isBefore: other < number)
          && !others.mayDecide(between: list[other], and: filter)
      }
      guard let shadow else { continue }
      note(HiddenFilter(place, .shadowed, by: URLFilterSet.Place(side, shadow), witness: witness))
    }
  }

  private mutating func findOddities(_ filter: URLFilter, _ place: URLFilterSet.Place) {
    if filter.hasLiteralStar {
      let looksMatched = filter.witness?.replacing("*", with: "x")
      found.append(HiddenFilter(place, .literalStar, witness: looksMatched))
    }
    if let host = filter.misspeltHost {
      found.append(HiddenFilter(place, .noWebHost, witness: host.map { "http://\(FilterReach.text($0))/" }))
    }
    if filter.isNeverJudged { found.append(HiddenFilter(place, .neverJudged, witness: filter.witness)) }
  }
}

/// Every filter that matches, in ascending order.
private struct AllMatches: FilterMatches {
  private var found: [Int] = []

  var numbers: [Int] { found.sorted() }

  func wants(_ rank: UInt64, _ number: Int32) -> Bool { true }

  mutating func take(_ entry: FilterIndex.Entry) { found.append(Int(entry.number)) }

  mutating func count() {}

  mutating func spend(_ bytes: Int) {}

  var isSpent: Bool { false }
}
