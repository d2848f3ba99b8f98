internal import GuardModel
internal import URLRules
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
