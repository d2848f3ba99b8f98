internal import Bytes
internal import URLStandard

/// Filing keys of a pattern: one of these holds of every judged URL that the pattern takes.
///
///     https://x.example/a/*            ->  host x.example, path from /a/
///     https://{*.}?example.com/        ->  host example.com, and below
///     https://x.example/a?b            ->  that URL
///     *://*:*/download/*               ->  text /download/
///     *://*.example.com:*/             ->  text .example.com, because other schemes have hosts that are no domains
///
/// Judged URLs have no credentials and no fragment, and no dot behind the host.
enum PatternFiling: Sendable {
  case urls([[UInt8]])
  case host([UInt8], below: Bool, path: [UInt8])
  /// In lower case when case is ignored.
  case text([UInt8], ignoresCase: Bool)

  /// Nil when the pattern has nothing to be filed under.
  init?(_ syntax: URLPatternSyntax) {
    if let urls = syntax.exactURLs {
      self = .urls(urls)
    } else if let host = syntax.exactText(.hostname), !host.isEmpty {
      self = .host(host, below: false, path: syntax.pathPrefix)
    } else if let parent = syntax.parentHost, syntax.takesOnlySpecialSchemes {
      self = .host(parent, below: true, path: syntax.pathPrefix)
    } else if let text = syntax.longestText {
      let ignoresCase = syntax[.pathname].options.ignoresCase
      self = .text(ignoresCase ? text.map(\.asciiLowercased) : text, ignoresCase: ignoresCase)
    } else {
      return nil
    }
  }

  var keys: [IndexKey] {
    switch self {
    case .urls(let urls): urls.map { .url($0) }
    case .host(let name, let below, let path): [.host(name, below: below, path: path)]
    case .text(let text, let ignoresCase): [.text((ignoresCase ? "(?i)" : "") + Self.pattern(of: text))]
    }
  }

  /// PCRE2 for exactly these bytes.
  private static func pattern(of text: [UInt8]) -> String {
    text.map { byte in
      let character = Unicode.Scalar(byte)
      return ByteSet.word.contains(byte) ? String(character) : "\\\(character)"
    }.joined()
  }
}

// The same asked of a URL, without an index.
extension PatternFiling {
  /// Whether one of the keys holds of a judged URL.
  func holds(of record: borrowing URLRecord) -> Bool {
    switch self {
    case .urls(let urls):
      for url in urls {
        if record.bytes.span.matches(url.span) { return true }
      }
      return false
    case .host(let name, let below, let path):
      guard record.hasHost(name, orBelow: below) else { return false }
      let text = record.pathBytes
      guard text.count >= path.count else { return false }
      return text.begins(with: path, at: 0, ignoresCase: false)
    case .text(let text, let ignoresCase): return record.bytes.span.holds(text, ignoresCase: ignoresCase)
    }
  }
}

extension URLRecord {
  fileprivate func hasHost(_ name: [UInt8], orBelow: Bool) -> Bool {
    let host = hostBytes
    if host.matches(name.span) { return true }
    let start = host.count - name.count
    guard orBelow, hostKind == .domain, start > 0, host[start - 1] == UInt8(ascii: ".") else { return false }
    return host.extracting(start...).matches(name.span)
  }
}

extension Span<UInt8> {
  fileprivate func holds(_ text: [UInt8], ignoresCase: Bool) -> Bool {
    guard count >= text.count else { return false }
    for start in 0...count - text.count {
      if begins(with: text, at: start, ignoresCase: ignoresCase) { return true }
    }
    return false
  }
}

// Exact URLs.
extension URLPatternSyntax {
  /// The text of a component, when it is one text.
  fileprivate func exactText(_ component: URLComponent) -> [UInt8]? {
    guard !self[component].options.ignoresCase else { return nil }
    let parts = self[component].parts
    if parts.isEmpty { return [] }
    return parts.count == 1 && parts[0].isFixed ? parts[0].value : nil
  }

  /// The one URL that the pattern takes, without and with an empty query: the pattern cannot tell these apart.
  fileprivate var exactURLs: [[UInt8]]? {
    guard let scheme = exactText(.protocol), let host = exactText(.hostname), let port = exactText(.port),
      let path = exactText(.pathname), let search = exactText(.search)
    else { return nil }
    var href = scheme + Array("://".utf8) + host
    if !port.isEmpty { href += Array(":".utf8) + port }
    href += path
    let query = Array("?".utf8) + search
    if !search.isEmpty { return Self.isNormal(href + query) ? [href + query] : nil }
    return Self.isNormal(href) ? [href, href + query] : nil
  }

  /// Whether the text is an http(s) URL as the parser writes it, so that no other serialisation has these components.
  private static func isNormal(_ href: [UInt8]) -> Bool {
    var record = URLRecord()
    guard record.parse(href.span) == .valid, record.isWeb, record.bytes == href else { return false }
    return !record.hasCredentials && record.fragmentRange == nil
  }
}

// Hosts.
extension URLPatternSyntax {
  /// The name that every host of the pattern is, or ends in behind a dot.
  ///
  ///     *.example.com, x*.example.com     ->  example.com
  ///     {*.}?example.com                  ->  example.com
  ///     *example.com                      ->  com
  fileprivate var parentHost: [UInt8]? {
    let parts = self[.hostname].parts
    let tail = parts.mandatoryTail
    let isWholeName = parts.count == 2 && parts[0].isOptionalLabels && parts[1].isFixed
    guard let start = isWholeName ? 0 : tail.firstIndex(of: UInt8(ascii: ".")).map({ $0 + 1 }) else { return nil }
    let name = Array(tail[start...])
    return Self.canOnlyBeDomain(name) ? name : nil
  }

  /// Whether a host that ends in this is neither an address nor judged without its last dot.
  private static func canOnlyBeDomain(_ name: [UInt8]) -> Bool {
    guard let last = name.last, last != UInt8(ascii: "."), last != UInt8(ascii: "]") else { return false }
    let label = name.split(separator: UInt8(ascii: ".")).last
    return label?.first.map { !ByteSet.digits.contains($0) } ?? false
  }

  /// Other schemes have hosts that are no domains, and a key for hosts below a name holds of domains only.
  fileprivate var takesOnlySpecialSchemes: Bool {
    self[.protocol].parts.finiteTexts?.allSatisfy { Self.special.contains($0) } ?? false
  }

  private static let special = Set(["http", "https", "ws", "wss", "ftp", "file"].map { Array($0.utf8) })

  fileprivate var pathPrefix: [UInt8] {
    self[.pathname].options.ignoresCase ? [] : self[.pathname].parts.mandatoryHead
  }
}

// Texts.
extension URLPatternSyntax {
  /// Shorter texts occur in too many URLs to be worth a search.
  private static let leastText = 4
  /// The beginning of a longer one is enough.
  private static let mostText = 16

  /// The longest fixed text of host, path or query.
  fileprivate var longestText: [UInt8]? {
    let texts = [URLComponent.hostname, .pathname, .search].flatMap { self[$0].parts.mandatoryTexts }
    guard let longest = texts.max(by: { $0.count < $1.count }), longest.count >= Self.leastText else { return nil }
    return Array(longest.prefix(Self.mostText))
  }
}

// Text that everything a part list takes begins with, ends in, or holds.
extension [PatternPart] {
  var mandatoryHead: [UInt8] {
    var head: [UInt8] = []
    for part in self {
      if part.isFixed {
        head += part.value
      } else {
        return part.modifier.isOptional ? head : head + (part.kind == .fixedText ? part.value : part.prefix)
      }
    }
    return head
  }

  var mandatoryTail: [UInt8] {
    var tail: [UInt8] = []
    for part in reversed() {
      if part.isFixed {
        tail = part.value + tail
      } else {
        return part.modifier.isOptional ? tail : (part.kind == .fixedText ? part.value : part.suffix) + tail
      }
    }
    return tail
  }

  var mandatoryTexts: [[UInt8]] {
    var texts: [[UInt8]] = []
    var current: [UInt8] = []
    for part in self {
      guard !part.isFixed else {
        current += part.value
        continue
      }
      guard !part.modifier.isOptional else {
        texts.append(current)
        current = []
        continue
      }
      texts.append(current + (part.kind == .fixedText ? part.value : part.prefix))
      current = part.kind == .fixedText ? part.value : part.suffix
    }
    return texts + [current]
  }

  /// Everything the parts take, when that is little; nil when it is not.
  package var finiteTexts: [[UInt8]]? {
    var texts: [[UInt8]] = [[]]
    for part in self {
      guard part.kind == .fixedText, !part.modifier.repeats, texts.count <= 8 else { return nil }
      let longer = texts.map { $0 + part.value }
      texts = part.modifier == .optional ? texts + longer : longer
    }
    return texts
  }
}

extension PatternPart {
  /// Fixed text that is there once.
  var isFixed: Bool { kind == .fixedText && modifier == .none }

  /// A group that takes whole labels with the dot behind them, or is not there.
  var isOptionalLabels: Bool {
    kind != .fixedText && modifier.isOptional && prefix.isEmpty && suffix.last == UInt8(ascii: ".")
  }
}
