internal import GuardModel
internal import URLRules
internal import URLStandard

/// One matcher of a rule in the words of a rule file: its key, its stated value, and the part of a URL that it looks
/// at.
///
///     domain: contoso.com    ->  MatcherWords("domain", "contoso.com", .host)
struct MatcherWords {
  /// The part that a matcher looks at.
  enum Aspect {
    case host
    case scheme
    case port
    /// The whole judged URL.
    case url
    /// The viewer's document.
    case document
    case hop
    /// The host, which is in a set of hosts or not.
    case membership
  }

  /// The key of a rule file.
  let key: String
  let value: [UInt8]
  let aspect: Aspect
  /// The value is too long to be repeated, and only described.
  var isDescribed = false

  init(_ key: String, _ value: [UInt8], _ aspect: Aspect) {
    self.key = key
    self.value = value
    self.aspect = aspect
  }

  init(_ key: String, _ value: String, _ aspect: Aspect) { self.init(key, Array(value.utf8), aspect) }

  /// A `chromium` matcher with so many filters.
  static func chromium(_ count: Int) -> MatcherWords {
    var words = MatcherWords("chromium", "\(count) \(count == 1 ? "filter" : "filters")", .url)
    words.isDescribed = true
    return words
  }

  /// The stated value as text.
  var text: String { String(decoding: value, as: UTF8.self) }

  /// ``domain `contoso.com` ``, or `chromium (3 filters)`
  var sentence: String { isDescribed ? "\(key) (\(text))" : "\(key) \(text.shown)" }
}

extension Condition {
  /// This matcher in words; nil for conditions that only hold matchers together. A new matcher is one line here.
  var words: MatcherWords? {
    switch self {
    case .domain(let name): MatcherWords("domain", name, .host)
    case .host(let name): MatcherWords("host", name, .host)
    case .url(let href): MatcherWords("url", href, .url)
    case .scheme(let name): MatcherWords("scheme", name, .scheme)
    case .port(let port): MatcherWords("port", String(port), .port)
    case .regex(let regex): MatcherWords("regex", regex.pattern, .url)
    case .pattern(let pattern): MatcherWords("pattern", pattern.componentText, .url)
    case .filter(let filter): MatcherWords("filter", filter.text, .url)
    case .filters(let filters, ""): .chromium(filters.count)
    case .filters(_, let file): MatcherWords("list", file, .url)
    case .list(_, let file): MatcherWords("list", file, .membership)
    case .network(let network): MatcherWords("cidr", "\(network)", .membership)
    case .same(let sameness): MatcherWords("same", sameness.rawValue, .document)
    case .sameSite: MatcherWords("same", "site", .document)
    case .hop(let wanted): MatcherWords("hop", String(wanted), .hop)
    case .all, .any, .not, .from: nil
    }
  }
}

extension MatchInput {
  /// The part of the judged URL that failed a matcher.
  func found(_ words: MatcherWords) -> String {
    let record = url.judged
    switch words.aspect {
    case .host where !record.isWeb: return "this is no page of the web but \((record.schemeName + ":").shown)"
    case .host:
      let likeness = HostProbe(url).likeness(to: words.value).words
      return ["the host is \(record.hostname.shown)", likeness].compactMap(\.self).joined(separator: ", ")
    case .membership where !record.isWeb: return "this is no page of the web but \((record.schemeName + ":").shown)"
    case .membership: return "which does not hold \(record.hostname.shown)"
    case .scheme: return "this is \(record.schemeName.shown)"
    case .port: return record.effectivePort.map { "this is port \($0)" } ?? "this has no port"
    case .url where words.key == "url": return "this is \(record.href.shown)"
    case .url: return "which \(record.href.shown) does not match"
    case .document: return document.map { "the document is \($0.href.shown)" } ?? "the document is not known"
    case .hop: return hop == .yes ? "this is a redirect" : "this is no redirect"
    }
  }

  /// The missing fact that a matcher needs.
  func unknown(_ words: MatcherWords) -> String {
    switch words.aspect {
    case .document where document == nil: "the document, which nobody told"
    case .document: "a document of the web, the document is \(document?.href.shown ?? "")"
    case .hop: "`hop`, which nobody told"
    case .host, .scheme, .port, .url, .membership: "\(words.sentence), which reached its limit"
    }
  }

  /// The question with the page or hop that led here in the place of the URL, as the matchers of `from` see it.
  var ofPage: MatchInput {
    var input = self
    input.url = from
    return input
  }
}

extension URLRecord {
  var schemeName: String { String(self.protocol.dropLast()) }
}

extension String {
  /// Most Unicode scalars of a text that an explanation repeats.
  private static let maximumShown = 200

  /// The text in backticks, cut when it is long.
  var shown: String {
    let scalars = unicodeScalars.prefix(Self.maximumShown + 1)
    return scalars.count > Self.maximumShown ? "`\(String(scalars.dropLast()))...`" : "`\(self)`"
  }
}
