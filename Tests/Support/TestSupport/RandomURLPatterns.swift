package import URLStandard

/// Random URL patterns, and URLs that have a chance to match them.
package struct RandomURLPatterns {
  private static let texts = [
    "a", "b", "ab", "aa", "foo", "bar", ".", "-", "/", "/a", "/foo", "A", "Foo", "é", "%41", "..", "\\.", "\\:", "\\*",
    "1",
    "80", "=", "&", "~",
  ]
  private static let names = [":a", ":b", ":id", ":foo", ":é"]
  private static let modifiers = ["", "", "", "?", "*", "+"]
  private static let regexps = [
    "(.*)", "([^/]+?)", "([^.]+?)", "(a|b)", "(\\d+)", "([a-z]+)", "([[a-z]--b])", "((?:a|b)c?)", "((?=a).*)",
    "((?i:A)b)",
    "((?<!a)b)", "(\\p{Lu})", "(foo|bar)", "((?:|a))", "((?<n>a)\\k<n>)", "([^]+)", "(a*)",
  ]
  private static let hosts = [
    "example.com", "*.example.com", "{*.}?example.com", ":sub.example.com", "{:s.}*example.com", "{:s.}+example.com",
    "*",
    "a.*.com", "(www|m).example.com", "*example.com", "ex*.com", "127.0.0.1", "[::1]", "*.com", "localhost",
    "{x-}?a.example.com",
    "*.a.:b.com", "EXAMPLE.com", "é.com",
  ]
  private static let protocols = [
    "https", "https", "https", "http", "http{s}?", "(https|http)", "*", "foo", "ht*", ":p", "ftp",
  ]

  package init() {}

  /// The dictionary form, or a constructor string in the member `baseURL`'s place of nil.
  package func parts(_ random: inout SeededGenerator) -> URLPatternInit {
    var parts = URLPatternInit()
    if !random.oneIn(5) { parts[.protocol] = random.one(of: Self.protocols) }
    if !random.oneIn(5) { parts[.hostname] = random.oneIn(8) ? component(&random) : random.one(of: Self.hosts) }
    if random.oneIn(3) { parts[.port] = random.one(of: ["", "*", "8080", "443", ":port", "(\\d+)"]) }
    if !random.oneIn(5) { parts[.pathname] = path(&random) }
    if random.oneIn(3) { parts[.search] = component(&random) }
    if random.oneIn(8) { parts[.hash] = random.one(of: ["", "*", ":a"]) }
    if random.oneIn(8) { parts[.username] = random.one(of: ["", "*", ":a"]) }
    return parts
  }

  /// A pattern that is written like a URL.
  package func text(_ random: inout SeededGenerator) -> String {
    let host = random.oneIn(8) ? component(&random) : random.one(of: Self.hosts)
    let port = random.oneIn(6) ? ":" + random.one(of: ["*", "8080", "443"]) : ""
    let search = random.oneIn(3) ? random.one(of: ["?", "\\?"]) + component(&random) : ""
    return random.one(of: Self.protocols) + "://" + host + port + path(&random) + search
  }

  package func component(_ random: inout SeededGenerator) -> String {
    (0..<random.below(6)).map { _ in piece(&random, isInside: false) }.joined()
  }

  private func path(_ random: inout SeededGenerator) -> String {
    "/" + (0..<random.below(4)).map { _ in random.one(of: ["/", ""]) + piece(&random, isInside: false) }.joined()
  }

  private func piece(_ random: inout SeededGenerator, isInside: Bool) -> String {
    switch random.below(20) {
    case 0...8: random.one(of: Self.texts)
    case 9...11: random.one(of: Self.names) + random.one(of: Self.modifiers)
    case 12...14: "*" + random.one(of: Self.modifiers)
    case 15, 16: random.one(of: Self.regexps) + random.one(of: ["", "", "?"])
    case 17...18 where !isInside:
      "{" + (0..<random.below(3)).map { _ in piece(&random, isInside: true) }.joined() + "}"
        + random.one(of: Self.modifiers)
    case 19: random.one(of: ["{", "}", "(", ":", "\\", "?", "+", "#"])
    default: random.one(of: Self.texts)
    }
  }
}

// URLs.
extension RandomURLPatterns {
  /// A URL of the same small world.
  package func url(_ random: inout SeededGenerator) -> String {
    let scheme = random.one(of: ["https", "https", "http", "foo", "ftp", "HTTPS"])
    let host = random.one(of: [
      "example.com", "www.example.com", "m.example.com", "a.b.example.com", "evilexample.com", "127.0.0.1", "[::1]",
      "a.b.com",
      "localhost", "x-a.example.com", "example.com.", "xn--9ca.com", "ex.com", "c.a.d.com",
    ])
    let segments = (0..<random.below(4)).map { _ in
      random.one(of: ["a", "b", "ab", "foo", "bar", "A", "1", "", "aab", "a.b"])
    }
    let port = random.oneIn(6) ? ":8080" : ""
    let search = random.one(of: ["", "", "?", "?a", "?a=b", "?foo&bar"])
    return "\(scheme)://\(host)\(port)/\(segments.joined(separator: "/"))\(search)\(random.oneIn(6) ? "#a" : "")"
  }

  /// A URL that the pattern with these components may match: its own text, with what is variable filled in.
  package func url(like parts: URLPatternInit, _ random: inout SeededGenerator) -> String {
    let scheme = filled(parts[.protocol] ?? "https", &random).filter { $0 != "/" }
    let port = parts[.port].map { filled($0, &random) } ?? ""
    let path = filled(parts[.pathname] ?? "/a", &random)
    let search = parts[.search].map { "?" + filled($0, &random) } ?? ""
    let host = filled(parts[.hostname] ?? "example.com", &random)
    return "\(scheme)://\(host)\(port.isEmpty ? "" : ":8080")\(path.hasPrefix("/") ? "" : "/")\(path)\(search)"
  }

  private func filled(_ text: String, _ random: inout SeededGenerator) -> String {
    var output = ""
    var rest = Substring(text)
    while let first = rest.popFirst() {
      switch first {
      case "*": output += random.one(of: ["", "a", "b/a", "aab", "foo"])
      case ":":
        rest = rest.drop { $0.isLetter }
        output += random.one(of: ["a", "b", "foo", "ab"])
      case "(":
        rest = rest.drop { $0 != ")" }.dropFirst()
        output += random.one(of: ["a", "b", "foo", "1", "ac", "", "https"])
      case "{", "}", "?", "+", "\\": break
      default: output.append(first)
      }
    }
    return output
  }
}
