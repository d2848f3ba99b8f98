internal import URLRules
internal import URLStandard

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

extension ByteSet {
  func subtracting(_ byte: UInt8) -> ByteSet { inverted.union(ByteSet(byte...byte)).inverted }

  func intersection(_ other: ByteSet) -> ByteSet { inverted.union(other.inverted).inverted }
}
