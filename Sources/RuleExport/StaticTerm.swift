internal import URLRules
internal import URLStandard

/// A set of web URLs that a browser engine may be able to say: all of it must hold.
///
///     domain: contoso.com, scheme: https      ->  schemes https, hosts contoso.com and below
///     filter: "contoso.com:8443/team?v=1"     ->  hosts, port 8443, path from /team, query v=1
///
/// It speaks of http and https. The writer for an engine adds ws and wss, which are judged as these.
package struct StaticTerm: Sendable, Hashable {
  package struct Schemes: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let http = Schemes(rawValue: 1)
    package static let https = Schemes(rawValue: 2)
    package static let web: Schemes = [.http, .https]

    /// One set for each scheme in it.
    package var single: [Schemes] { [.http, .https].filter(contains) }
    /// The port of a URL that names none.
    var defaultPort: UInt16? { self == .http ? 80 : self == .https ? 443 : nil }
  }

  /// The part behind host and port.
  package enum Place: Sendable, Hashable {
    case any
    /// The path begins so.
    case prefix([UInt8])
    /// Path and query are exactly this.
    case exactly([UInt8])
  }

  package var schemes = Schemes.web
  package var hosts = HostSet.every
  /// The port, or the scheme's own when the URL names none; nil: any.
  package var port: UInt16?
  package var place = Place.any
  var query: [QueryCondition] = []
  var texts: [StaticText] = []
  /// `hosts` follows from a text and need not be said beside it.
  var hostsAreImplied = false

  init() {}

  init(hosts: HostSet) { self.hosts = hosts }

  /// The same but for the hosts.
  var withoutHosts: StaticTerm {
    var copy = self
    copy.hosts = .every
    return copy
  }

  /// The same with the query that another demands.
  func withQuery(of other: StaticTerm) -> StaticTerm {
    var copy = self
    copy.query = other.query
    return copy
  }

  func with(hosts: HostSet) -> StaticTerm {
    var copy = self
    copy.hosts = hosts
    return copy
  }

  var isEmpty: Bool { schemes.isEmpty || hosts.isEmpty }

  /// Number of its hosts; every host counts as one.
  var hostCount: Int { hosts.entries?.count ?? 1 }

  /// The term of one of its hosts, by its place.
  func singleHost(_ place: Int) -> StaticTerm {
    guard let entries = hosts.entries, entries.count > 1 else { return self }
    return with(hosts: HostSet([entries[place]]))
  }

  /// One term for each host, but no more than so many.
  func singleHosts(atMost maximum: Int = .max) -> [StaticTerm] {
    (0..<min(hostCount, maximum)).map(singleHost)
  }
}

extension StaticTerm {
  /// The URLs of both; nil when there are none. With texts, there may be none all the same.
  package func intersection(_ other: StaticTerm) -> StaticTerm? {
    var both = self
    both.schemes.formIntersection(other.schemes)
    both.hosts = hosts.intersection(other.hosts)
    guard !both.isEmpty else { return nil }
    if let port, let theirs = other.port, port != theirs { return nil }
    both.port = port ?? other.port
    guard let place = place.intersection(other.place) else { return nil }
    both.place = place
    both.query += other.query.filter { !query.contains($0) }
    both.texts += other.texts.filter { !texts.contains($0) }
    both.hostsAreImplied =
      hostsAreImplied && both.hosts == hosts || other.hostsAreImplied && both.hosts == other.hosts
    return both.holdsItsQuery ? both : nil
  }

  package func intersects(_ other: StaticTerm) -> Bool {
    guard !schemes.isDisjoint(with: other.schemes) else { return false }
    if let port, let theirs = other.port, port != theirs { return false }
    return place.intersection(other.place) != nil && hosts.intersects(other.hosts)
  }

  /// Whether every URL of `other` is certainly one of these.
  package func contains(_ other: StaticTerm) -> Bool {
    guard schemes.isSuperset(of: other.schemes), hosts.contains(other.hosts) else { return false }
    if let port, port != other.port { return false }
    guard place.contains(other.place), texts.allSatisfy(other.texts.contains) else { return false }
    return query.allSatisfy { other.query.contains($0) || other.place.holds($0) }
  }

  /// False when the place is one URL whose query is another one.
  private var holdsItsQuery: Bool {
    guard case .exactly = place else { return true }
    return query.allSatisfy(place.holds)
  }
}

extension StaticTerm.Place {
  func intersection(_ other: Self) -> Self? {
    switch (self, other) {
    case (.any, _): other
    case (_, .any): self
    case (.prefix(let one), .prefix(let two)): one.starts(with: two) ? self : two.starts(with: one) ? other : nil
    case (.exactly(let one), .exactly(let two)): one == two ? self : nil
    case (.exactly(let text), .prefix(let start)): Self.path(of: text).starts(with: start) ? self : nil
    case (.prefix(let start), .exactly(let text)): Self.path(of: text).starts(with: start) ? other : nil
    }
  }

  func contains(_ other: Self) -> Bool { self == .any || intersection(other) == other }

  /// Whether it is one text, whose query fulfils a condition.
  fileprivate func holds(_ condition: QueryCondition) -> Bool {
    guard case .exactly(let text) = self, let mark = text.firstIndex(of: UInt8(ascii: "?")) else { return false }
    return condition.holds(in: Array(text[(mark + 1)...]).span)
  }

  private static func path(of text: [UInt8]) -> ArraySlice<UInt8> { text.prefix { $0 != UInt8(ascii: "?") } }
}

/// The demand of a regular expression or a URL pattern on the text of a judged URL.
struct StaticText: Sendable, Hashable {
  /// Alternatives; each is found somewhere in the URL unless it begins with `.start`.
  let branches: [[RegexItem]]

  /// Nil when the pattern is not understood in full, or never gives back text that it took.
  init?(_ regex: Regex) {
    let shape = RegexShape(regex.pattern)
    guard RegexAutomaton.reads(shape) else { return nil }
    branches = shape.branches.map { $0.filter { $0.node != .option } }
  }

  /// Nil when the pattern holds regular expressions, or asks for parts that no judged URL has.
  init?(_ pattern: URLPattern) {
    guard let items = PatternText(pattern.syntax).items else { return nil }
    branches = items
  }
}

/// A URL pattern without regular expressions, as a demand on the whole URL.
private struct PatternText {
  let syntax: URLPatternSyntax

  init(_ syntax: URLPatternSyntax) { self.syntax = syntax }

  /// Nil when there is none; empty when no web URL can match.
  var items: [[RegexItem]]? {
    guard !syntax.hasRegExpGroups, takesNothing(.username), takesNothing(.password), takesNothing(.hash) else {
      return nil
    }
    guard let schemes = syntax[.protocol].parts.finiteTexts ?? everyScheme else { return nil }
    guard let host = hostItems, let port = portItems, let path = pathItems, let search = searchItems else { return nil }
    return schemes.filter { $0 == Array("http".utf8) || $0 == Array("https".utf8) }.map { scheme in
      [RegexItem(node: .start)] + Self.literals(scheme + Array("://".utf8)) + host + port + path + search
        + [RegexItem(node: .end)]
    }
  }

  /// Neither the bytes that end a host nor the colons and brackets of addresses.
  private static let hostBytes = ByteSet(
    0x2F...0x2F, 0x3F...0x3F, 0x23...0x23, 0x40...0x40, 0x3A...0x3A, 0x5B...0x5B, 0x5D...0x5D
  ).inverted
  private static let pathBytes = ByteSet(0x3F...0x3F, 0x23...0x23).inverted
  private static let searchBytes = ByteSet(0x23...0x23).inverted

  private var everyScheme: [[UInt8]]? { takesAnything(.protocol) ? ["http", "https"].map { Array($0.utf8) } : nil }

  private func takesAnything(_ component: URLComponent) -> Bool { syntax[component].text == "*" }

  /// A pattern may ask for parts that judged URLs lack only as `*` or as nothing.
  private func takesNothing(_ component: URLComponent) -> Bool {
    takesAnything(component) || syntax[component].parts.isEmpty
  }

  private var hostItems: [RegexItem]? {
    guard takesAnything(.hostname) else { return items(of: .hostname, Self.hostBytes) }
    let name = [RegexItem(node: .bytes(Self.hostBytes), times: .some)]
    let address = [
      .set("["), RegexItem(node: .bytes(ByteSet.word.union(ByteSet(0x3A...0x3A))), times: .some), .set("]"),
    ]
    return [RegexItem(node: .group([name, address]))]
  }

  /// The path of a web URL begins with `/`. Nil when the pattern leaves open whether it does.
  private var pathItems: [RegexItem]? {
    if takesAnything(.pathname) {
      return Self.literals([UInt8(ascii: "/")]) + [RegexItem(node: .bytes(Self.pathBytes), times: .any)]
    }
    let parts = syntax[.pathname].parts
    guard let first = parts.first, !first.modifier.isOptional || parts.count == 1 else { return nil }
    let start = first.kind == .fixedText ? first.value.first : first.prefix.first
    return start == UInt8(ascii: "/") ? items(of: .pathname, Self.pathBytes) : nil
  }

  private var portItems: [RegexItem]? {
    if takesAnything(.port) {
      let digits = RegexItem(node: .bytes(.digits), times: RegexRepeat(least: 1, most: nil))
      return [RegexItem(node: .group([Self.literals([UInt8(ascii: ":")]) + [digits]]), times: Self.maybe)]
    }
    guard let texts = syntax[.port].parts.finiteTexts, texts.count == 1, let text = texts.first else { return nil }
    return text.isEmpty ? [] : Self.literals([UInt8(ascii: ":")] + text)
  }

  private var searchItems: [RegexItem]? {
    let mark = Self.literals([UInt8(ascii: "?")])
    if syntax[.search].parts.isEmpty { return [RegexItem(node: .group([mark]), times: Self.maybe)] }
    guard let search = items(of: .search, Self.searchBytes) else { return nil }
    guard takesAnything(.search) else { return mark + search }
    return [RegexItem(node: .group([mark + search]), times: Self.maybe)]
  }

  private func items(of component: URLComponent, _ allowed: ByteSet) -> [RegexItem]? {
    let options = syntax[component].options
    var items: [RegexItem] = []
    for part in syntax[component].parts {
      guard part.kind != .regexp else { return nil }
      items += Self.items(of: part, options, allowed)
    }
    return items
  }

  private static func items(of part: PatternPart, _ options: PatternOptions, _ allowed: ByteSet) -> [RegexItem] {
    var inner: [RegexItem] = []
    switch part.kind {
    case .fixedText, .regexp: inner = literals(part.value, options.ignoresCase)
    case .fullWildcard: inner = [RegexItem(node: .bytes(allowed), times: RegexRepeat(least: 0, most: nil))]
    case .segmentWildcard:
      var bytes = allowed
      if let delimiter = options.delimiter { bytes = bytes.subtracting(delimiter) }
      inner = [RegexItem(node: .bytes(bytes), times: RegexRepeat(least: 1, most: nil))]
    }
    let all = literals(part.prefix, options.ignoresCase) + inner + literals(part.suffix, options.ignoresCase)
    guard part.modifier != .none else { return all }
    let times = RegexRepeat(least: part.modifier.isOptional ? 0 : 1, most: part.modifier.repeats ? nil : 1)
    return [RegexItem(node: .group([all]), times: times)]
  }

  private static let maybe = RegexRepeat(least: 0, most: 1)

  private static func literals(_ bytes: [UInt8], _ ignoresCase: Bool = false) -> [RegexItem] {
    bytes.map { byte in
      let set = ByteSet(byte...byte)
      return RegexItem(node: .bytes(ignoresCase ? set.caseless : set))
    }
  }
}
