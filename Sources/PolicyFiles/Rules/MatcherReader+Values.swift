internal import GuardModel
internal import URLRules
internal import URLStandard

extension MatcherReader {
  static var port: YAMLDecoder<Condition> {
    .converting(.int(in: 1...65_535)) { .port(UInt16(truncatingIfNeeded: $0)) }
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
    return text.utf8.allSatisfy { $0.isASCIILetter || $0.isDecimalDigit || "+-.".utf8.contains($0) }
  }
}

extension UInt8 {
  fileprivate var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
