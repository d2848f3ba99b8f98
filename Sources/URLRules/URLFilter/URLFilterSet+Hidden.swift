internal import URLStandard

extension URLFilterSet {
  /// Number of filters of a list that Chromium looks at: 1,500 in release 156, 1,000 in older ones.
  ///
  /// Source: asked of the browser itself (`make oracle`, `beyond-the-limit`).
  package static let chromiumLimit = 1_500

  /// Filters that Chromium would hide from the administrator of these two lists, in the order of the filters.
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

/// Looks for mistakes in two lists.
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

/// Something about a filter in a list that Chromium does not tell its administrator.
package struct HiddenFilter: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Behind the 1,500th of its list: Chromium ignores it without a word. Here it counts.
    case beyondLimit
    /// The same filter stands in the same list before.
    case duplicate
    /// Another filter of its list matches all that it matches, and no decision depends on it; the pages of the browser
    /// itself apart, which a `*` leaves alone.
    case shadowed
    /// The same filter stands in the allow list, and wins.
    case contradiction
    /// A star that stands for itself: in a host, in a path, or within a token of the query.
    case literalStar
    /// No web URL has this host; an address is written in another way than browsers write it, say.
    case noWebHost
    /// URLs of this scheme are never judged as such: `wss:` is judged as `https:`, `blob:` as the URL inside.
    case neverJudged
  }

  /// The filter.
  package var filter: URLFilterSet.Place
  package var kind: Kind
  /// The other filter, where there is one.
  package var by: URLFilterSet.Place?
  /// A URL that shows it: one that the filter matches, and for `literalStar` and `noWebHost` one that it looks to match
  /// and does not.
  package var witness: String?

  package init(
    _ filter: URLFilterSet.Place, _ kind: Kind, by: URLFilterSet.Place? = nil, witness: String? = nil
  ) {
    self.filter = filter
    self.kind = kind
    self.by = by
    self.witness = witness
  }
}

/// The common form of two filters that differ only in spelling.
///
///     Example.com?a&b  =  example.com?b&a
struct FilterMeaning: Hashable {
  private let components: FilterComponents
  private let query: [[UInt8]]

  init(_ filter: URLFilter) {
    var components = filter.components
    let tokens = components.query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    query = tokens.map { Array($0) }.sorted { $0.lexicographicallyPrecedes($1) }
    components.query = []
    self.components = components
  }
}

extension URLFilter {
  /// Whether this filter makes another of its list superfluous, as far as this list goes: it matches all that the other
  /// matches. Between two that match the same the lower in rank is superfluous, between equal ones the later.
  func hides(_ other: URLFilter, isBefore: Bool) -> Bool {
    guard covers(other) else { return false }
    if !other.covers(self) { return true }
    return rank == other.rank ? isBefore : rank > other.rank
  }

  /// Whether this filter certainly matches every URL that `other` matches.
  func covers(_ other: URLFilter) -> Bool {
    guard components.scheme.isEmpty || components.scheme == other.components.scheme else { return false }
    guard components.port == 0 || components.port == other.components.port else { return false }
    guard other.components.path.starts(with: components.path), coversHost(of: other) else { return false }
    return conditions.allSatisfy { condition in other.conditions.contains { $0.implies(condition) } }
  }

  private func coversHost(of other: URLFilter) -> Bool {
    if components.takesEveryHost { return true }
    if other.components.takesEveryHost { return false }
    if other.components.matchesSubdomains, !components.matchesSubdomains { return false }
    return components.takes(host: other.components.host.span)
  }

  /// Whether some URL may be matched by both. True when in doubt.
  func mayMeet(_ other: URLFilter) -> Bool {
    let (ours, theirs) = (components, other.components)
    guard ours.scheme.isEmpty || theirs.scheme.isEmpty || ours.scheme == theirs.scheme else { return false }
    guard ours.port == 0 || theirs.port == 0 || ours.port == theirs.port else { return false }
    return ours.path.starts(with: theirs.path) || theirs.path.starts(with: ours.path)
  }
}

extension QueryCondition {
  /// Whether a query that fulfils this condition certainly fulfils `other`.
  fileprivate func implies(_ other: QueryCondition) -> Bool {
    if self == other { return true }
    guard !other.isEvery, other.isPrefix else { return false }
    return text.starts(with: other.text)
  }
}

/// Filters by the host they name.
struct FiltersByHost {
  private var lists: [Host: [URLFilter]] = [:]

  private struct Host: Hashable {
    var name: ArraySlice<UInt8>
    /// Two bits: every host, and hosts below it.
    var takesEvery: Bool
    var below: Bool
  }

  /// Number of filters that are looked at for one question; where there are more the answer is "maybe".
  private static let patience = 1_000

  init(_ filters: [URLFilter]) {
    for filter in filters {
      let components = filter.components
      let name = components.host[ComparedHost(components.host.span).range]
      let host = Host(name: name, takesEvery: components.takesEveryHost, below: components.matchesSubdomains)
      lists[host, default: []].append(filter)
    }
  }

  /// Whether a filter of this list might decide some URL that `upper` decides now and `lower` would have to without it.
  ///
  /// Such a filter's rank lies between theirs; its host is then that of `upper`, or one above it.
  func mayDecide(between lower: URLFilter, and upper: URLFilter) -> Bool {
    guard lower.rank < upper.rank, !lists.isEmpty else { return false }
    var patience = Self.patience
    for host in hosts(over: upper.components) {
      guard let list = lists[host] else { continue }
      patience -= list.count
      if patience < 0 { return true }
      if list.contains(where: { lower.rank < $0.rank && $0.rank < upper.rank && $0.mayMeet(upper) }) { return true }
    }
    return false
  }

  private func hosts(over components: FilterComponents) -> [Host] {
    let name = components.host[ComparedHost(components.host.span).range]
    var hosts = [Host(name: [], takesEvery: true, below: true)]
    if !components.matchesSubdomains { hosts.append(Host(name: name, takesEvery: false, below: false)) }
    if components.takesEveryHost { return hosts }
    hosts.append(Host(name: name, takesEvery: false, below: true))
    for index in name.indices where name[index] == UInt8(ascii: ".") {
      hosts.append(Host(name: name[(index + 1)...], takesEvery: false, below: true))
    }
    return hosts
  }
}
