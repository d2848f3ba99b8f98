internal import Bytes
internal import GuardModel
package import URLStandard

/// One URL filter in the format that administrators of Chrome, Edge and ChromeOS know (`filter:` in a rule file).
///
///     try URLFilter("contoso.com", side: .block)                 // the host and all below it, any scheme, any port
///     try URLFilter("https://.mail.contoso.com/owa", side: .block)  // exactly that host, path from /owa
///     try URLFilter("youtube.com/watch?v=A1", side: .allow)      // when every `v` of the query is A1
///
/// It decides as Chromium's code does, which is not always what its documentation says: `example.com/*` is the path
/// `/*` with its star, `*.example.com` a host whose first label is a star, `[::1]` must be written as browsers write
/// it.
///
/// Trap: the URL Standard's serialisation is compared. Where Chromium's own parser differs from the standard (it writes
/// `chrome://Settings` in lower case, say), the standard wins. Where there is no URL at all only `*` matches; for
/// Chromium `http:*` does as well, by an accident of its scheme filter.
///
/// Source: Chromium, components/url_matcher/url_util.cc and url_matcher.cc, as of 2026.
package struct URLFilter: Sendable, Hashable {
  package let text: String
  package let side: FilterSide
  package let components: FilterComponents
  package let conditions: [QueryCondition]

  /// Reads `text`; throws where Chromium drops the filter, and where it keeps one that no URL can match.
  package init(_ text: String, side: FilterSide) throws(URLFilterError) {
    let components = try FilterReader.read(text)
    let conditions = QueryCondition.list(components.query, side: side)
    if let error = FilterReach(text, components, conditions).error { throw error }
    self.text = text
    self.side = side
    self.components = components
    self.conditions = conditions
  }

  /// The filter's place among others that match the same URL; the greatest decides.
  package var rank: UInt64 { components.rank(side: side, conditions: conditions.count) }

  /// Whether the filter matches. Allocates nothing.
  package func matches(_ record: borrowing URLRecord) -> Bool {
    takes(allButQuery: record) && (conditions.isEmpty || queryHolds(record))
  }

  /// The same within the budget of a decision, since one URL can have ten thousand filters look through its query:
  /// unknown when that is spent.
  func matches(_ record: borrowing URLRecord, _ runner: RegexRunner) -> Ternary {
    guard takes(allButQuery: record) else { return .no }
    guard !conditions.isEmpty, let query = record.queryRange else { return Ternary(conditions.isEmpty) }
    let bytes = query.count * conditions.count
    return runner.spend(bytes, subjectBytes: record.bytes.count) ? Ternary(queryHolds(record)) : .unknown
  }

  private func takes(allButQuery record: borrowing URLRecord) -> Bool {
    guard components.scheme.isEmpty || record.schemeBytes.matches(components.scheme.span) else { return false }
    guard components.port == 0 || record.effectivePort == components.port else { return false }
    return components.takes(host: record.hostBytes) && begins(record.pathBytes, with: components.path.span)
  }

  private func queryHolds(_ record: borrowing URLRecord) -> Bool {
    guard let range = record.queryRange else { return false }
    let query = record.bytes.span.extracting(range)
    for condition in conditions where !condition.holds(in: query) { return false }
    return true
  }
}

extension URLFilter {
  /// Filing keys of the filter, for judged URLs; nil for a filter of every host, or of none.
  ///
  ///     contoso.com/x       ->  host contoso.com and below, path from /x; and the same with a dot behind the host
  ///     https://.a.example  ->  host a.example, and .a.example
  ///
  /// A dot at either end of a host means nothing to a filter. Judged web URLs have none at the end, but those of other
  /// schemes may; hence the twins.
  package var keys: [IndexKey]? {
    let range = ComparedHost(components.host.span).range
    guard !components.host.isEmpty, !range.isEmpty else { return nil }
    let name = Array(components.host[range])
    let dot = [UInt8(ascii: ".")]
    var names = [name]
    if !components.matchesSubdomains { names.append(dot + name) }
    let isStripped = Self.losesTrailingDot.contains(components.scheme) && name.last != dot[0]
    if !isStripped { names += names.map { $0 + dot } }
    return names.map { .host($0, below: components.matchesSubdomains, path: components.path) }
  }

  /// Schemes whose judged URLs have no dot behind the host.
  private static let losesTrailingDot: Set<[UInt8]> = Set(["http", "https"].map { Array($0.utf8) })
}

// Parts of a filter that its author hardly meant. Chromium takes them as they stand, and so does `matches`.
extension URLFilter {
  /// A star that is only a star: `*.example.com`, `example.com/*`, `?v=*1`.
  var hasLiteralStar: Bool {
    let star = UInt8(ascii: "*")
    return components.host.contains(star) || components.path.contains(star)
      || conditions.contains { $0.text.contains(star) }
  }

  /// The host as web URLs have it when that is not how the filter writes it; an inner nil when they cannot have it.
  var misspeltHost: [UInt8]?? {
    let host = components.host[ComparedHost(components.host.span).range]
    guard !host.isEmpty, components.scheme.isEmpty || Self.webSchemes.contains(components.scheme) else { return nil }
    let web = FilterReach.webHost(Array(host))
    return web == Array(host) ? nil : .some(web)
  }

  /// The scheme is one that rules never see.
  var isNeverJudged: Bool { Self.neverJudged.contains(components.scheme) }

  private static let webSchemes = names(["http", "https", "ws", "wss", "ftp"])

  private static let neverJudged = names([
    "ws", "wss", "blob", "filesystem", "view-source", "javascript", "data",
  ])

  private static func names(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }
}

extension URLFilter {
  /// A URL that the filter matches; nil when none was found, as for an allowed `*?v=1&v*&v`, which asks too much.
  ///
  ///     .example.com:8080/a?v=1*   ->  https://example.com:8080/a?v=1
  package var witness: String? {
    for text in witnesses {
      if let record = URLRecord(text), matches(record) { return text }
    }
    return nil
  }

  /// Texts of which one should do: with and without a letter behind the path, as a web URL and as another.
  private var witnesses: [String] {
    let path = FilterReach.text(components.path)
    let ends = path.isEmpty ? ["/"] : [path, path + "x"]
    return fronts.flatMap { front in ends.map { front + $0 + query } }
  }

  private var query: String {
    let texts = conditions.map { FilterReach.text($0.text) }
    return texts.isEmpty ? "" : "?" + texts.joined(separator: "&")
  }

  private var fronts: [String] {
    let scheme = FilterReach.text(components.scheme)
    let host = components.takesEveryHost ? "example.com" : FilterReach.text(components.host)
    let port = components.port == 0 ? "" : ":\(components.port)"
    let schemes = scheme.isEmpty ? ["https", "x"] : [scheme]
    let withHosts = schemes.map { "\($0)://\(host)\(port)" }
    let withoutHosts = schemes.flatMap { ["\($0):", "\($0)://", "\($0)://.\(port)"] }
    return components.host.isEmpty ? withHosts + withoutHosts + ["file://"] : withHosts
  }
}

/// The demand of one token of a filter's query on a URL's query, whose elements lie between `&` signs.
///
///     v=1    ->  an element `v=1`            v=1*  ->  an element that begins with `v=1`
///     flag   ->  an element `flag`           fl*   ->  an element that begins with `fl`
///     *      ->  a query, though it be empty
///
/// In an allow list every element that begins with the key (`v=`, or `flag`) must match, and there must be one. An
/// allowed `flag` is lost to `flag&flagged=1`, as in Chromium. Percent-encoding and case are compared as they are.
///
/// Source: Chromium, components/url_matcher/url_matcher.cc, `URLQueryElementMatcherCondition`.
package struct QueryCondition: Sendable, Hashable {
  /// The key, the sign `=` when there is a value, and the value.
  package var text: [UInt8]
  /// Length of the key with its `=` in the text.
  package var keyCount: Int
  /// An element need only begin with the text.
  package var isPrefix: Bool
  /// Every element with this key must match.
  package var isEvery: Bool

  /// The conditions of a filter's query; of two that Chromium takes for the same only the first.
  ///
  /// For Chromium two conditions of an allow list are the same when their keys are: `v=1&v=2` demands `v=1` alone.
  static func list(_ query: [UInt8], side: FilterSide) -> [QueryCondition] {
    var conditions: [QueryCondition] = []
    var seen = Set<QueryCondition>()
    var rest = query[...]
    while !rest.isEmpty {
      let token = rest.prefix { $0 != UInt8(ascii: "&") }
      rest = rest.dropFirst(token.count + 1)
      let condition = QueryCondition(token, side: side)
      if seen.insert(condition.identity).inserted { conditions.append(condition) }
    }
    return conditions
  }

  private init(_ token: ArraySlice<UInt8>, side: FilterSide) {
    let equals = UInt8(ascii: "=")
    let key = token.prefix { $0 != equals }
    let value = token.dropFirst(key.count + 1)
    var text = value.isEmpty ? Array(key) : Array(token)
    isPrefix = text.last == UInt8(ascii: "*")
    if isPrefix { text.removeLast() }
    keyCount = value.isEmpty ? text.count : key.count + 1
    isEvery = side == .allow && !(isPrefix && keyCount == text.count)
    self.text = text
  }

  /// The identity by which Chromium drops a second condition.
  private var identity: QueryCondition {
    var copy = self
    guard isEvery else { return copy }
    copy.text.removeSubrange(keyCount...)
    copy.isPrefix = false
    return copy
  }

  /// Whether the query fulfils this condition.
  package func holds(in query: Span<UInt8>) -> Bool {
    QueryDemand(text: text.span, keyCount: keyCount, isPrefix: isPrefix, isEvery: isEvery).holds(in: query)
  }
}

/// A ``QueryCondition`` wherever its bytes lie.
struct QueryDemand: ~Escapable {
  let text: Span<UInt8>
  let keyCount: Int
  let isPrefix: Bool
  let isEvery: Bool

  @_lifetime(copy text)
  init(text: Span<UInt8>, keyCount: Int, isPrefix: Bool, isEvery: Bool) {
    self.text = text
    self.keyCount = keyCount
    self.isPrefix = isPrefix
    self.isEvery = isEvery
  }

  /// Whether the query fulfils the demand. One pass.
  ///
  /// An empty token of an allow list is never fulfilled: the delimiter that Chromium puts behind the last element has
  /// the empty key too, and nothing follows it.
  func holds(in query: Span<UInt8>) -> Bool {
    if isEvery, keyCount == 0 { return false }
    var found = false
    var start = 0
    while start <= query.count {
      let end = endOfElement(in: query, from: start)
      let element = query.extracting(start..<end)
      if isMatch(element) {
        if !isEvery { return true }
        found = true
      } else if isEvery, begins(element, with: text.extracting(0..<keyCount)) {
        return false
      }
      start = end + 1
    }
    return found
  }

  private func isMatch(_ element: Span<UInt8>) -> Bool {
    isPrefix ? begins(element, with: text) : element.matches(text)
  }
}

/// The end of the query element that begins at `start`.
func endOfElement(in query: Span<UInt8>, from start: Int) -> Int {
  var end = start
  while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
  return end
}

extension QueryCondition {
  package init(text: [UInt8], keyCount: Int, isPrefix: Bool, isEvery: Bool) {
    self.text = text
    self.keyCount = keyCount
    self.isPrefix = isPrefix
    self.isEvery = isEvery
  }
}
