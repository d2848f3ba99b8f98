/// A URL pattern, parsed: eight part lists. Other modules match it.
///
/// Source: URL Pattern Standard, section 1.4, create.
package struct URLPatternSyntax: Sendable {
  /// Maximum length of a pattern in bytes: that of the longest URL.
  package static let maximumLength = URLRecord.maximumLength

  /// Whether a protocol takes one of the ``specialSchemes``. Asked before the rest is read, because the rest depends on
  /// it.
  package typealias ProtocolTest = (_ protocol: PatternComponent) throws(URLPatternError) -> Bool

  package static let specialSchemes = ["http", "https", "ws", "wss", "ftp", "file"].map { Array($0.utf8) }

  private var components: [PatternComponent] = []

  /// Reads a constructor string.
  ///
  ///     https://*.example.com/docs/*          // any query, port 443
  ///     /docs/:id          base https://example.com
  package init(
    _ text: String, base: String?, ignoresCase: Bool, isSpecial test: ProtocolTest
  ) throws(URLPatternError) {
    try Self.checkLength(text)
    var texts = try ConstructorStringParser.components(of: text) { (text) throws(URLPatternError) in
      let component = try PatternComponent(.protocol, text, options: .options(), encoding: .protocol)
      return try test(component)
    }
    if base == nil, texts[.protocol] == nil { throw Self.missingScheme(text) }
    var parts = URLPatternInit(baseURL: base)
    for (component, text) in texts { parts[component] = text.text }
    texts = try Self.process(parts, places: texts)
    try self.init(texts, ignoresCase: ignoresCase, isSpecial: test)
  }

  /// Reads the dictionary form; a base stands in it.
  package init(
    _ parts: URLPatternInit, base: String?, ignoresCase: Bool, isSpecial test: ProtocolTest
  ) throws(URLPatternError) {
    if base != nil { throw URLPatternError("a pattern by components has its base among them") }
    for component in URLComponent.allCases { try Self.checkLength(parts[component] ?? "", component) }
    try self.init(try Self.process(parts, places: [:]), ignoresCase: ignoresCase, isSpecial: test)
  }

  package subscript(component: URLComponent) -> PatternComponent {
    // INVARIANT: one for each case, in the order of the cases.
    components[URLComponent.allCases.firstIndex(of: component) ?? 0]
  }

  /// Whether any group has a regular expression of the author's.
  package var hasRegExpGroups: Bool { components.contains(where: \.hasRegExpGroups) }

  private init(
    _ processed: [URLComponent: ShiftedText], ignoresCase: Bool, isSpecial test: ProtocolTest
  ) throws(URLPatternError) {
    let text = { (component: URLComponent) in processed[component] ?? ShiftedText(text: "*") }
    let `protocol` = try PatternComponent(.protocol, text(.protocol), options: .options(), encoding: .protocol)
    let isStandard = try test(`protocol`)
    for name in URLComponent.allCases {
      components.append(
        try PatternComponent(
          name, Self.withoutDefaultPort(name, processed) ?? text(name),
          options: Self.options(name, isStandard: isStandard, ignoresCase: ignoresCase),
          encoding: Self.encoding(name, text(name).text, isStandard: isStandard)))
    }
  }

  private static func checkLength(_ text: String, _ component: URLComponent? = nil) throws(URLPatternError) {
    guard text.utf8.count > maximumLength else { return }
    throw URLPatternError("a pattern has at most \(maximumLength) bytes", component: component, offset: maximumLength)
  }

  /// The error for a text without scheme. `data:text` reads as the group `text` behind `data`.
  private static func missingScheme(_ text: String) -> URLPatternError {
    let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == ".") }
    let rest = text.dropFirst(scheme.count)
    guard !scheme.isEmpty, rest.first == ":" else {
      return URLPatternError("a pattern without a base begins with the scheme, as in `https://`")
    }
    return URLPatternError("`:` begins a group here; write `\(scheme)\\:`", offset: scheme.utf8.count)
  }
}

// The particulars of each component.
extension URLPatternSyntax {
  /// The empty port when the pattern names the default one of its scheme.
  private static func withoutDefaultPort(
    _ name: URLComponent, _ processed: [URLComponent: ShiftedText]
  ) -> ShiftedText? {
    guard name == .port, let scheme = processed[.protocol]?.text, let port = processed[.port]?.text else { return nil }
    let bytes = Array(scheme.utf8)
    guard let standard = URLScheme(bytes.span).defaultPort, port == String(standard) else { return nil }
    return ShiftedText(text: "")
  }

  private static func options(_ name: URLComponent, isStandard: Bool, ignoresCase: Bool) -> PatternOptions {
    switch name {
    case .protocol, .username, .password, .port: .options()
    case .hostname: .options(delimiter: ASCII.dot)
    case .pathname where isStandard:
      .options(delimiter: ASCII.slash, prefix: ASCII.slash, ignoresCase: ignoresCase)
    case .pathname, .search, .hash: .options(ignoresCase: ignoresCase)
    }
  }

  private static func encoding(_ name: URLComponent, _ text: String, isStandard: Bool) -> ComponentEncoding {
    switch name {
    case .protocol: .protocol
    case .username, .password: .userinfo
    case .hostname: isIPv6(text) ? .ipv6Hostname : .hostname
    case .port: .port(of: .other)
    case .pathname: isStandard ? .pathname : .opaquePathname
    case .search: .search
    case .hash: .hash
    }
  }

  private static func isIPv6(_ text: String) -> Bool {
    text.unicodeScalars.count >= 2 && ["[", "{[", "\\["].contains { text.utf8.starts(with: $0.utf8) }
  }
}

/// One of the eight parts of a URL in a pattern, under the standard's name.
///
/// The order is the one in which the standard compiles and reports them.
///
/// Source: URL Pattern Standard, section 1.3.
package enum URLComponent: String, CaseIterable, Sendable, Hashable {
  case `protocol`
  case username
  case password
  case hostname
  case port
  case pathname
  case search
  case hash
}

extension URLRecord {
  /// The component's range in `bytes`, without the marks around it; empty when the URL has none.
  ///
  ///     https://example.com:8080/a?b#c      protocol `https`, port `8080`, search `b`, hash `c`
  ///
  /// Source: URL Pattern Standard, section 1.4, match.
  package func range(of component: URLComponent) -> Range<Int> {
    switch component {
    case .protocol: schemeRange
    case .username: usernameRange
    case .password: passwordRange
    case .hostname: hostRange
    case .port: portNumber == nil ? 0..<0 : hostRange.upperBound + 1..<pathRange.lowerBound
    case .pathname: pathRange
    case .search: queryRange ?? 0..<0
    case .hash: fragmentRange ?? 0..<0
    }
  }
}

/// Why a text is no URL pattern, and where.
///
///     "https://x.example/:id/:id"    ->  pathname, 23: the group name `id` is used twice
///     "/inbox"                       ->  0: a pattern without a base begins with the scheme, as in `https://`
///
/// Chromium throws a `TypeError` for the same texts.
package struct URLPatternError: Error, Hashable, CustomStringConvertible {
  /// The component with the error; nil for an error of the whole pattern.
  package var component: URLComponent?
  /// Byte offset in the author's text: the constructor string, or the component of a dictionary.
  package var offset: Int
  package var description: String

  package init(_ description: String, component: URLComponent? = nil, offset: Int = 0) {
    self.component = component
    self.offset = offset
    self.description = description
  }

  /// The same error as one of `component`, its place moved by `distance` bytes.
  package func moved(by distance: Int, in component: URLComponent) -> URLPatternError {
    URLPatternError(description, component: component, offset: max(0, offset + distance))
  }
}
