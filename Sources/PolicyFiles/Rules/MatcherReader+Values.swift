internal import Bytes
internal import GuardModel
internal import URLRules
internal import URLStandard

extension MatcherReader {
  static var port: YAMLDecoder<Condition> {
    .converting(.int(in: 1...65_535)) { .port(UInt16(truncatingIfNeeded: $0)) }
  }

  /// No URL has more bytes.
  static var queryOver: YAMLDecoder<Condition> {
    let hint = "write a number of bytes, as in `queryOver: 1024`; `regex: '[?].'` takes every query"
    return .converting(.int(in: 1...65_535, hint: hint)) { .queryOver(UInt16(truncatingIfNeeded: $0)) }
  }

  static var scheme: YAMLDecoder<Condition> {
    YAMLDecoder("a scheme") { node, diagnostics in
      guard let name = node.decode(.scheme, into: &diagnostics) else { return nil }
      if let judged = unmatchable[name] {
        diagnostics.warning(
          .neverMatches, at: node.location, "no URL that is judged has the scheme \(name.quoted)", hint: judged)
      }
      return .scheme(Array(name.utf8))
    }
  }

  /// Schemes that are gone before rules are asked, and why (architecture, section 5).
  private static let unmatchable = [
    "ws": "`ws` is judged as `http`", "wss": "`wss` is judged as `https`",
    "view-source": "the URL behind `view-source:` is judged", "blob": "the URL behind `blob:` is judged",
    "filesystem": "the URL behind `filesystem:` is judged", "javascript": "a script moves no document",
    "data": "a `data:` URL is judged as the page that made it",
  ]

  /// An exact URL, stored as the judged URL will be: without fragment, without a dot behind the host.
  static var url: YAMLDecoder<Condition> {
    YAMLDecoder("a URL") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      var subject = URLSubject()
      subject.read(text)
      guard subject.kind == .url else {
        diagnostics.error(.invalidURL, at: node.location, "\(text.quoted) is not a URL", hint: urlHint(text))
        return nil
      }
      guard !subject.hadCredentials else {
        diagnostics.error(
          .invalidURL, at: node.location, "a URL with a user name or password cannot be matched",
          hint: "leave out everything before `@`")
        return nil
      }
      guard !subject.judged.hostname.utf8.contains(UInt8(ascii: "*")) else {
        diagnostics.error(
          .invalidURL, at: node.location, "`url` takes one whole URL, and no wildcards",
          hint: "use `domain` for a host and all below it, or `regex`")
        return nil
      }
      if text.utf8.contains(UInt8(ascii: "*")) {
        diagnostics.warning(
          .neverMatches, at: node.location, "`*` in a `url` is an ordinary character", hint: "use `regex` for wildcards"
        )
      }
      return .url(subject.judged.bytes)
    }
  }

  private static func urlHint(_ text: String) -> String {
    if text.hasPrefix("*") { return "use `domain` for a host and all below it, or `regex`" }
    return text.contains("://") ? "write it as a browser shows it" : "begin with the scheme, as in `https://`"
  }

  /// A pattern that PCRE2 compiles; the error stands where it is inside the pattern, as far as the file shows it.
  var regex: YAMLDecoder<Condition> {
    YAMLDecoder("a regular expression") { node, diagnostics in
      guard let pattern = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      warn(of: pattern, at: node.location, into: &diagnostics)
      do throws(RegexError) {
        return .regex(try Regex(pattern))
      } catch {
        diagnostics.error(
          .invalidRegex, at: source.location(ofByte: error.offset, in: pattern, at: node.location),
          "wrong regular expression: \(error)", hint: error.hint)
        return nil
      }
    }
  }

  private func warn(of pattern: String, at location: SourceLocation, into diagnostics: inout Diagnostics) {
    if let offset = pattern.utf8.enumerated().first(where: { $0.element >= 0x80 })?.offset {
      diagnostics.warning(
        .nonASCIIRegex, at: source.location(ofByte: offset, in: pattern, at: location),
        "URLs hold ASCII characters only, so this character is in none",
        hint: "write hosts in punycode (`xn--`), and other characters percent-encoded")
    }
    if pattern.utf8.last == UInt8(ascii: "\n"), !pattern.hasPrefix("(?x") {
      diagnostics.warning(
        .neverMatches, at: location, "the pattern ends in a line break, which no URL holds",
        hint: "write `>-` or `|-` instead of `>` or `|`, or put the pattern in quotes")
    }
  }
}

extension YAMLDecoder where Value == String {
  /// A scheme name, in lower case (RFC 3986, section 3.1).
  ///
  ///     HTTPS      // "https"
  ///     https://   // error; hint: write `https`
  static var scheme: Self {
    Self("a scheme") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      guard !isScheme(text) else { return text.lowercased() }
      let name = text.prefix { $0 != ":" }
      diagnostics.error(
        .invalidScheme, at: node.location, "\(text.quoted) is not a scheme",
        hint: isScheme(String(name))
          ? "write \(name.lowercased().quoted)" : "a scheme is letters, digits, `+`, `-` and `.`")
      return nil
    }
  }

  private static func isScheme(_ text: String) -> Bool {
    guard let first = text.utf8.first, first.isASCIILetter, text.utf8.count <= 64 else { return false }
    return text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
  }
}

/// The value of `domain` or `host`: a host as the URL parser would give it.
///
///     domain: Bücher.Example.    // xn--bcher-kva.example
///     domain: "*.contoso.com"    // error; hint: `domain` takes everything below, too: write `contoso.com`
enum HostValue: String, Sendable {
  /// The host and everything below it.
  case domain
  /// Exactly this host.
  case host

  var decoder: YAMLDecoder<Condition> {
    YAMLDecoder("a host name") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      guard let problem = problem(with: text) else { return condition(text, node, &diagnostics) }
      diagnostics.error(.invalidHost, at: node.location, problem.message, hint: problem.hint)
      return nil
    }
  }

  private func condition(_ text: String, _ node: YAMLNode, _ diagnostics: inout Diagnostics) -> Condition? {
    guard let name = HostName(text) else {
      diagnostics.error(.invalidHost, at: node.location, "\(text.quoted) is not a host name")
      return nil
    }
    return self == .domain ? .domain(name.bytes) : .host(name.bytes)
  }

  /// The problem of a text that is more, or less, than a host, with the matcher that was meant.
  private func problem(with text: String) -> (message: String, hint: String)? {
    let key = rawValue.quoted
    if text.contains("*") || text.hasPrefix(".") { return wildcard(text) }
    if text.contains("://") {
      return ("\(key) takes a host name and no URL", "use `url` for one whole URL, or `scheme` beside \(key)")
    }
    if text.contains(where: { "/\\?#".contains($0) }) {
      return ("\(key) takes a host name without a path", "use `url` for one whole URL, or `regex` for a part of one")
    }
    if text.contains("@") {
      return ("\(key) takes a host name without a user name", "leave out everything up to `@`")
    }
    return colons(text)
  }

  private func wildcard(_ text: String) -> (message: String, hint: String) {
    let rest = String(text.drop { $0 == "*" || $0 == "." })
    let isBelow = text.hasPrefix("*.") || text.hasPrefix(".")
    guard isBelow, !rest.contains("*"), HostName(rest) != nil else {
      return ("\(rawValue.quoted) takes no wildcards", "use `domain` for a host and all below it, or `regex`")
    }
    return switch self {
    case .domain:
      ("`domain` takes no wildcards", "`domain` takes the sub-domains already: write \(rest.quoted)")
    case .host:
      ("`host` takes no wildcards", "write `domain: \(rest)` for the host and all below it")
    }
  }

  private func colons(_ text: String) -> (message: String, hint: String)? {
    guard !text.hasPrefix("["), let colon = text.lastIndex(of: ":") else { return portBehindAddress(text) }
    if HostName("[\(text)]") != nil {
      return ("an IPv6 address stands in brackets", "write \("\"[\(text)]\"".quoted)")
    }
    return port(text[..<colon], text[colon...].dropFirst())
  }

  private func portBehindAddress(_ text: String) -> (message: String, hint: String)? {
    guard text.hasPrefix("["), let end = text.range(of: "]:") else { return nil }
    return port(text[...end], text[text.index(end, offsetBy: 2)...])
  }

  private func port(_ host: Substring, _ port: Substring) -> (message: String, hint: String)? {
    guard !port.isEmpty, port.allSatisfy(\.isNumber) else { return nil }
    return ("\(rawValue.quoted) takes a host name without a port", "write `port: \(port)` beside it")
  }
}

extension String {
  /// The index at which `other` begins.
  fileprivate func range(of other: String) -> Index? {
    indices.first { self[$0...].hasPrefix(other) }
  }
}

/// The value of `pattern`: a URLPattern as one text, or by its components.
///
///     pattern: "https://*.contoso.com/docs/*"
///     pattern: { hostname: "*.contoso.com", pathname: "/docs/*", ignoreCase: true }
///     pattern: { pattern: "/docs/*", baseURL: "https://www.contoso.com" }
struct PatternValue: Sendable {
  let source: RuleSource

  var decoder: YAMLDecoder<Condition> {
    YAMLDecoder("a URL pattern") { node, diagnostics in
      node.mapping == nil
        ? text(node, &diagnostics) : node.decode(.mapping { components(&$0) }, into: &diagnostics)
    }
  }

  private func text(_ node: YAMLNode, _ diagnostics: inout Diagnostics) -> Condition? {
    guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
    return pattern(at: { source.location(ofByte: $0, in: text, at: node.location) }, &diagnostics) {
      () throws(URLPatternError) in try URLPattern(text)
    }
  }

  private func components(_ reader: inout MappingReader) -> Condition? {
    let whole = reader.optional("pattern", .located(.nonEmptyString))
    let base = reader.optional("baseURL", .nonEmptyString)
    let ignoreCase = reader.optional("ignoreCase", .bool) ?? false
    var parts = URLPatternInit(baseURL: base)
    var places: [URLComponent: Located<String>] = [:]
    for component in URLComponent.allCases {
      guard let part = reader.optional(component.rawValue, .located(.string)) else { continue }
      places[component] = part
      parts[component] = part.value
    }
    warnOfUnseen(places, &reader.diagnostics)
    if let whole {
      guard places.isEmpty else {
        reader.error(
          .conflictingKeys, at: "pattern", "a pattern is either one text or components",
          hint: "remove `pattern`, or the components")
        return nil
      }
      return pattern(
        at: { source.location(ofByte: $0, in: whole.value, at: whole.location) }, &reader.diagnostics
      ) { () throws(URLPatternError) in try URLPattern(whole.value, base: base, ignoreCase: ignoreCase) }
    }
    guard !places.isEmpty || base != nil else {
      reader.diagnostics.error(
        .emptyMatcher, at: reader.location, "a pattern without components would match every URL",
        hint: "name a component, as in `hostname: \"*.contoso.com\"`")
      return nil
    }
    let location = reader.location
    return pattern(at: { _ in location }, of: { places[$0]?.location }, &reader.diagnostics) {
      () throws(URLPatternError) in try URLPattern(parts, ignoreCase: ignoreCase)
    }
  }

  private func pattern(
    at place: (Int) -> SourceLocation, of component: (URLComponent) -> SourceLocation? = { _ in nil },
    _ diagnostics: inout Diagnostics, _ make: () throws(URLPatternError) -> URLPattern
  ) -> Condition? {
    do throws(URLPatternError) {
      return .pattern(try make())
    } catch {
      let location = error.component.flatMap(component) ?? place(error.offset)
      diagnostics.error(.invalidPattern, at: location, "wrong URL pattern: \(error)")
      return nil
    }
  }

  /// Components that are gone from a URL before rules see it.
  private func warnOfUnseen(_ places: [URLComponent: Located<String>], _ diagnostics: inout Diagnostics) {
    for component in [URLComponent.username, .password, .hash] {
      guard let part = places[component], part.value != "*", !part.value.isEmpty else { continue }
      diagnostics.warning(
        .neverMatches, at: part.location, "no URL that is judged has a \(component.rawValue)",
        hint: "rules see URLs without user name, password and fragment")
    }
  }
}
