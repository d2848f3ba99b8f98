internal import GuardModel
package import URLRules
internal import URLStandard

/// A question in the making. A nil value is not demanded yet.
struct WitnessDraft: Hashable {
  /// Relation of the viewer's document to the URL.
  enum Document: Hashable {
    case same
    case otherQuery
    case otherPath
    case otherHost
    case page(String)
  }

  var scheme: String?
  var host: String?
  var port: UInt16?
  var path: String?
  /// With its `?`.
  var query: String?
  /// A URL that cannot be taken apart and put together again.
  var whole: String?
  var hasUserName = false
  var from: String?
  var document: Document?
  var hop: Bool?

  /// A site that no rule is likely to name (RFC 2606, section 3).
  static let site = "site.example"

  var href: String {
    if let whole { return whole }
    let user = hasUserName ? "user@" : ""
    return "\(scheme ?? (port == 80 ? "http" : "https"))://\(user)\(authority)\(path ?? "/")\(query ?? "")"
  }

  private var authority: String { (host ?? Self.site) + (port.map { ":\($0)" } ?? "") }

  func question(for purpose: Purposes) -> RuleQuestion {
    RuleQuestion(url: href, document: documentText, from: from, hop: hop, purpose: purpose)
  }

  /// The URL of the document; nil when none is demanded.
  var documentText: String? {
    guard let document else { return nil }
    if case .page(let href) = document { return href }
    guard whole == nil else { return whole }
    var page = self
    page.hasUserName = false
    switch document {
    case .same, .page: break
    case .otherQuery: page.query = "?version=2"
    case .otherPath: (page.path, page.query) = ("/another/page", nil)
    case .otherHost: (page.host, page.path, page.query) = ("www." + (host ?? Self.site), "/", nil)
    }
    return page.href
  }

  /// Takes a URL apart into its demands; keeps it whole when the parts do not make the same URL again.
  mutating func take(url href: String) {
    var parts = self
    parts.whole = nil
    guard let record = URLRecord(href), record.hasAuthority, !record.hostname.isEmpty else {
      whole = href
      return
    }
    parts.takeParts(of: record)
    if parts.href == href { self = parts } else { whole = href }
  }

  mutating func takeParts(of record: URLRecord) {
    scheme = record.schemeName
    host = record.hostname
    port = record.portNumber
    takePath(of: record)
  }

  mutating func takePath(of record: URLRecord) {
    path = record.pathname.hasPrefix("/") ? record.pathname : "/" + record.pathname
    query = record.search.isEmpty ? nil : record.search
  }
}

extension WitnessDraft {
  /// The draft with one thing changed: for URLs that a `not`, or an earlier rule, leaves over.
  var variations: [WitnessDraft] {
    var changed: [WitnessDraft] = []
    func add(_ change: (inout WitnessDraft) -> Void) {
      var draft = self
      change(&draft)
      if draft != self { changed.append(draft) }
    }
    if whole == nil {
      add { $0.host = "www." + ($0.host ?? Self.site) }
      add { $0.path = ($0.path ?? "/").hasSuffix("/") ? ($0.path ?? "/") + "page" : ($0.path ?? "/") + "/page" }
      add { $0.query = $0.query.map { $0 + "&x=1" } ?? "?x=1" }
      add { $0.scheme = $0.scheme == "http" ? "https" : "http" }
      add { $0.port = $0.port == nil ? 8443 : nil }
      add { $0.host = "a.b." + ($0.host ?? Self.site) }
      add { $0.scheme = "ftp" }
      add { $0.hasUserName = true }
    }
    if self == WitnessDraft(hop: hop) {
      add { $0.whole = "mailto:someone@\(Self.site)" }
      add { $0.whole = "file:///page" }
    }
    add { $0.from = $0.from == nil ? "https://\(Self.site)/" : nil }
    add { $0.hop = $0.hop != true }
    add { $0.document = $0.document == nil ? .otherPath : nil }
    add { $0.document = .page("https://document.example/") }
    return changed
  }

  /// The draft with every fact that an app can tell: an external rule matches on unknown facts.
  var told: [WitnessDraft] {
    var draft = self
    if draft.from == nil { draft.from = "https://\(Self.site)/" }
    if draft.document == nil { draft.document = .page("https://document.example/") }
    draft.hop = hop ?? false
    var redirected = draft
    redirected.hop = hop != true
    return [draft, redirected]
  }
}

/// Turns conditions into drafts of questions that may fulfil them. Whether they do is for the rule set to say.
struct WitnessDrafter {
  /// The names that stand for each list, by its number.
  let examples: [[String]]

  /// Maximum drafts that are followed at a time.
  private static let maximumDrafts = 48
  /// Maximum pages that are tried for one `from`.
  private static let maximumPages = 6

  /// The draft with a condition's demands added. Those of `http:` come last: a shown URL is read as an example.
  func drafts(for condition: Condition, from start: WitnessDraft = WitnessDraft()) -> [WitnessDraft] {
    let all = drafts(for: condition, from: [start])
    return all.filter { $0.scheme != "http" } + all.filter { $0.scheme == "http" }
  }

  /// The drafts with a condition's demands added, in every way that comes to mind. A new matcher is one line here.
  private func drafts(for condition: Condition, from drafts: [WitnessDraft]) -> [WitnessDraft] {
    switch condition {
    case .all(let parts): Self.lengthsLast(parts).reduce(drafts) { self.drafts(for: $1, from: $0) }
    case .any(let parts):
      interleaved(parts.prefix(Self.maximumDrafts).map { self.drafts(for: $0, from: drafts) })
    case .not: drafts
    case .domain(let name): each(drafts, HostShape.isAddress(name) ? [""] : ["", "www."]) { $0.below(name.text, $1) }
    case .host(let name): drafts.map { $0.with(\.host, name.text) }
    case .url(let href): drafts.map { $0.taking(url: href.text) }
    case .scheme(let name): drafts.map { $0.with(\.scheme, name.text) }
    case .port(let port): drafts.map { $0.with(\.port, port) }
    case .queryOver(let bytes): drafts.map { $0.with(\.query, $0.query(longerThan: Int(bytes))) }
    case .list(let list, _): each(drafts, examples(of: list)) { $0.with(\.host, $1) }
    case .network(let network): drafts.map { $0.with(\.host, network.exampleHost) }
    case .regex(let regex): interleaved(drafts.map { draft in interleaved(regex.samples.map(draft.holding)) })
    case .pattern(let pattern): each(drafts, pattern.samples) { $0.merged(with: $1) }
    case .filter(let filter): drafts.map { $0.merged(with: filter.sample) }
    case .filters(let filters, _): each(drafts, filters.samples) { $0.merged(with: $1) }
    case .same(let sameness): each(drafts, sameness.examples) { $0.with(\.document, $1) }
    case .sameSite: each(drafts, [.same, .otherPath, .otherHost]) { $0.with(\.document, $1) }
    case .from(let part): each(drafts, pages(for: part)) { $0.coming(from: $1) }
    case .hop(let wanted): drafts.map { $0.with(\.hop, wanted) }
    }
  }

  /// The other matchers say how the query begins.
  private static func lengthsLast(_ parts: [Condition]) -> [Condition] {
    let lengths = parts.filter(\.isLength)
    return lengths.isEmpty ? parts : parts.filter { !$0.isLength } + lengths
  }

  private func examples(of list: HostListNumber) -> [String] {
    examples.indices.contains(Int(list.place)) ? examples[Int(list.place)] : []
  }

  private func pages(for condition: Condition) -> [WitnessDraft] {
    Array(drafts(for: condition).prefix(Self.maximumPages))
  }

  private func each<Sample>(
    _ drafts: [WitnessDraft], _ samples: [Sample], _ change: (WitnessDraft, Sample) -> WitnessDraft
  ) -> [WitnessDraft] {
    interleaved(samples.map { sample in drafts.map { change($0, sample) } })
  }

  /// The first of each, then the second of each, and so on: no value keeps another one from its turn.
  private func interleaved(_ rows: [[WitnessDraft]]) -> [WitnessDraft] {
    var all: [WitnessDraft] = []
    for column in 0..<(rows.map(\.count).max() ?? 0) {
      for row in rows where column < row.count {
        all.append(row[column])
        if all.count == Self.maximumDrafts { return all }
      }
    }
    return all
  }
}

extension Condition {
  fileprivate var isLength: Bool {
    switch self {
    case .queryOver: true
    case .any(let parts): !parts.isEmpty && parts.allSatisfy(\.isLength)
    default: false
    }
  }
}

extension [UInt8] {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

extension WitnessDraft {
  fileprivate func with<Value>(_ part: WritableKeyPath<WitnessDraft, Value>, _ value: Value) -> WitnessDraft {
    var draft = self
    draft[keyPath: part] = value
    return draft
  }

  /// The query, with a value behind it when it is too short.
  fileprivate func query(longerThan bytes: Int) -> String {
    let start = query.map { $0 + "&x=" } ?? "?x="
    if let query, query.utf8.count > bytes + 1 { return query }
    return start + String(repeating: "a", count: max(1, bytes + 2 - start.utf8.count))
  }

  fileprivate func taking(url href: String) -> WitnessDraft {
    var draft = self
    draft.take(url: href)
    return draft
  }

  /// A host that is demanded already and lies below the domain stays.
  fileprivate func below(_ name: String, _ prefix: String) -> WitnessDraft {
    guard let host, host == name || host.hasSuffix("." + name) else { return with(\.host, prefix + name) }
    return self
  }

  fileprivate func coming(from page: WitnessDraft) -> WitnessDraft {
    var draft = with(\.from, page.href)
    if let document = page.documentText { draft.document = .page(document) }
    return draft
  }

  /// The sample's demands, with its open parts taken from this draft.
  fileprivate func merged(with sample: WitnessDraft) -> WitnessDraft {
    var draft = self
    if let host = sample.host, self.host?.hasSuffix("." + host) != true { draft.host = host }
    draft.scheme = sample.scheme ?? scheme
    draft.port = sample.port ?? port
    draft.path = sample.path ?? path
    draft.query = sample.query ?? query
    return draft
  }
}

extension IPNetwork {
  /// The first address, as a URL writes it.
  fileprivate var exampleHost: String { base.isIPv6 ? "[\(base)]" : "\(base)" }
}

extension Sameness {
  fileprivate var examples: [WitnessDraft.Document] {
    switch self {
    case .document: [.same]
    case .documentPath: [.same, .otherQuery]
    case .origin: [.same, .otherPath]
    }
  }
}

/// One of several values of a matcher, of which any may hold.
///
///     internal: { host: [a.example, b.example], scheme: https }   ->   host `a.example`, host `b.example`
///
/// Values behind `not` are none of these: a rule matches because they do not hold. Nor are the lines of a list file.
package struct RuleValue: Sendable {
  /// For people: ``host `a.example` ``, or `from, group 2`.
  package let words: String
  /// The condition that holds when this value does.
  package let condition: Condition
  /// The rule's condition if this were its only value.
  let narrowed: Condition

  /// All values of all lists in a rule, in the order of the file.
  package static func all(in rule: Rule) -> [RuleValue] { all(in: rule.condition) }

  private static func all(in condition: Condition) -> [RuleValue] {
    switch condition {
    case .all(let parts):
      return parts.indices.flatMap { index in
        all(in: parts[index]).map { value in
          var narrowed = parts
          narrowed[index] = value.narrowed
          return RuleValue(words: value.words, condition: value.condition, narrowed: .all(narrowed))
        }
      }
    case .any(let parts): return parts.count > 1 ? parts.indices.flatMap { values(of: parts[$0], $0 + 1) } : []
    case .from(let part):
      return all(in: part).map { value in
        RuleValue(words: "from \(value.words)", condition: .from(value.condition), narrowed: .from(value.narrowed))
      }
    default: return []
    }
  }

  /// The value itself, and those in it where it is a group.
  private static func values(of part: Condition, _ number: Int) -> [RuleValue] {
    if let words = part.words { return [RuleValue(words: words.sentence, condition: part, narrowed: part)] }
    var words = "group \(number)"
    if case .from = part { words = "from, group \(number)" }
    return [RuleValue(words: words, condition: part, narrowed: part)] + all(in: part)
  }
}
