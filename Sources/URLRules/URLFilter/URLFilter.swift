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
    guard components.scheme.isEmpty || equal(record.schemeBytes, components.scheme.span) else { return false }
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
