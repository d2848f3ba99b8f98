internal import Bytes
internal import GuardModel
package import URLStandard

/// Many URL filters as one matcher, at the cost of a few.
///
///     URLFilterSet(block: [`*`, `contoso.com/old`], allow: [`contoso.com`])
///       https://contoso.com/new   ->  allowed, by `contoso.com`
///       https://contoso.com/old   ->  blocked, by the longer path
///       https://else.example/     ->  blocked, by `*`
///
/// Chromium ignores the filters behind the 1,500th of a list. Here every filter counts; `hidden` names those that
/// Chromium would not see.
///
/// Source: Chromium, components/policy/core/browser/url_list/url_blocklist_manager.cc, as of 2026.
package final class URLFilterSet: Sendable {
  /// The common answer of a block list and an allow list on a URL.
  package enum State: String, Sendable, Hashable {
    /// No filter matches, or the one that decides is the `*` of the allow list.
    case neutral
    case allowed
    case blocked
  }

  /// The place of a filter.
  package struct Place: Sendable, Hashable {
    package var side: FilterSide
    /// Its number in its list.
    package var index: Int

    package init(_ side: FilterSide, _ index: Int) {
      self.side = side
      self.index = index
    }
  }

  package struct Answer: Sendable, Hashable {
    package var state = State.neutral
    /// The filter that decided. It may stand in the list of the other side: `allowed` by the `*` of the block list
    /// means that this never blocks such a URL.
    package var filter: Place?
    /// Number of filters looked at one by one: the cost of matching, which does not grow with the lists.
    package var examined = 0

    package init(state: State = .neutral, filter: Place? = nil, examined: Int = 0) {
      self.state = state
      self.filter = filter
      self.examined = examined
    }
  }

  private enum Use { case blockAndAllow, anyOf }

  package let index: FilterIndex
  private let use: Use
  private let blockCount: Int
  /// Number of filters given.
  package let count: Int
  /// The filters of `chromium` as they were written. A list's filters stand in its file; here they would take memory
  /// again.
  package let blockTexts: [String]
  package let allowTexts: [String]

  /// `chromium: {block: …, allow: …}`: the filters of both lists with Chromium's precedence.
  ///
  /// Expects filters that were read for the side they are given for.
  package init(block: [URLFilter], allow: [URLFilter]) {
    use = .blockAndAllow
    blockCount = block.count
    count = block.count + allow.count
    index = FilterIndexBuilder.build(block + allow)
    blockTexts = block.map(\.text)
    allowTexts = allow.map(\.text)
  }

  /// A list of filters, of which any may match; `*` matches everything then.
  package init(anyOf filters: [URLFilter]) {
    use = .anyOf
    blockCount = filters.count
    count = filters.count
    index = FilterIndexBuilder.build(filters)
    (blockTexts, allowTexts) = ([], [])
  }

  /// Each filter matches for itself, whichever side it was read for.
  package var isAnyOf: Bool { use == .anyOf }

  /// Number of filters of one side's list.
  package func count(of side: FilterSide) -> Int { side == .block ? blockCount : count - blockCount }

  /// The memory that the compiled filters take.
  package var stateBytes: Int { index.stateBytes }

  /// Whether the URL is blocked, or matches any filter of the list. Allocates nothing.
  package func matches(_ record: borrowing URLRecord) -> Bool { answer(for: record).state == .blocked }

  /// The same within the limits of a decision: unknown when the search is too long. Only lists and URLs chosen for that
  /// reach the limit, such as 4,000 paths that begin one another, each with a query.
  func matches(_ record: borrowing URLRecord, _ runner: RegexRunner) -> Ternary {
    guard runner.spend(0, subjectBytes: record.bytes.count) else { return .unknown }
    var best = BestMatch(room: Self.bytesPerSearch)
    index.search(record, &best)
    let isPaid = runner.spend(Self.bytesPerSearch - best.room, subjectBytes: record.bytes.count)
    if let entry = best.entry, use == .anyOf || isPaid && !best.isSpent {
      return Ternary(state(record, entry) == .blocked)
    }
    return isPaid && !best.isSpent ? .no : .unknown
  }

  /// Maximum number of bytes that one search may look at: some milliseconds.
  private static let bytesPerSearch = 1 << 22

  /// The filters' answer on the URL, and the filter that decided. Allocates nothing.
  ///
  /// For a list (`anyOf`) `blocked` says that a filter matches, and `filter` which one: the most specific, of equal
  /// ones the first.
  ///
  /// `blob:` URLs are never blocked, as in Chromium. Rules do not see them: they see the URL inside.
  package func answer(for record: borrowing URLRecord) -> Answer {
    var best = BestMatch()
    index.search(record, &best)
    guard let entry = best.entry else { return Answer(examined: best.examined) }
    let number = Int(entry.number)
    let place = number < blockCount ? Place(.block, number) : Place(.allow, number - blockCount)
    return Answer(state: state(record, entry), filter: place, examined: best.examined)
  }

  private func state(_ record: borrowing URLRecord, _ entry: FilterIndex.Entry) -> State {
    if use == .anyOf { return .blocked }
    if entry.flags.contains(.allows) { return entry.flags.contains(.isWildcard) ? .neutral : .allowed }
    if entry.flags.contains(.isWildcard), Self.isInternal(record) { return .allowed }
    return record.schemeBytes.matches("blob") ? .neutral : .blocked
  }

  /// The pages of the browser itself, which the `*` of a block list never blocks.
  private static func isInternal(_ record: borrowing URLRecord) -> Bool {
    let scheme = record.schemeBytes
    return scheme.matches("chrome") || scheme.matches("chrome-extension") || scheme.matches("chrome-native")
      || scheme.matches("chrome-search")
  }
}

/// The filter of the highest rank; of equal ones the first.
private struct BestMatch: FilterMatches {
  var entry: FilterIndex.Entry?
  var examined = 0
  /// Bytes that may yet be looked at.
  var room = Int.max

  func wants(_ rank: UInt64, _ number: Int32) -> Bool {
    guard let entry else { return true }
    return rank > entry.rank || (rank == entry.rank && number < entry.number)
  }

  mutating func take(_ entry: FilterIndex.Entry) { self.entry = entry }

  mutating func count() { examined += 1 }

  mutating func spend(_ bytes: Int) { room -= bytes }

  var isSpent: Bool { room < 0 }
}
