import TestSupport
import Testing
import URLStandard

/// Reading patterns: where components lie, what becomes of their texts, and what is refused with which words.
struct URLPatternSyntaxTests {
  /// Enough for protocols without regular expressions and wildcards inside.
  private func isSpecial(_ component: PatternComponent) -> Bool {
    component.text == "*" || URLPatternSyntax.specialSchemes.contains { component.text.utf8.starts(with: $0) }
  }

  private func read(_ text: String, base: String? = nil) throws -> URLPatternSyntax {
    try URLPatternSyntax(text, base: base, ignoresCase: false, isSpecial: isSpecial)
  }

  private func read(_ parts: URLPatternInit) throws -> URLPatternSyntax {
    try URLPatternSyntax(parts, base: nil, ignoresCase: false, isSpecial: isSpecial)
  }

  private func texts(_ syntax: URLPatternSyntax) -> String {
    URLComponent.allCases.map { syntax[$0].text }.joined(separator: " | ")
  }

  @Test(arguments: [
    ("https://example.com", "https | * | * | example.com |  | * | * | *"),
    ("https://example.com:*/", "https | * | * | example.com | * | / | * | *"),
    ("https://example.com/?q", "https | * | * | example.com |  | / | q | *"),
    ("https://example.com?q", "https | * | * | example.com |  | / | q | *"),
    ("https://example.com#f", "https | * | * | example.com |  | / |  | f"),
    ("https://example.com:443/", "https | * | * | example.com |  | / | * | *"),
    ("https://u\\:p@example.com/", "https | u | p | example.com |  | / | * | *"),
    ("https://example.com/:id?q", "https | * | * | example.com |  | /:id?q | * | *"),
    ("https://example.com/:id\\?q", "https | * | * | example.com |  | /:id | q | *"),
    ("http{s}?://*.example.com/a", "http{s}? | * | * | *.example.com |  | /a | * | *"),
    ("https://[\\:\\:1]:80/", "https | * | * | [\\:\\:1] | 80 | / | * | *"),
    ("data\\:text/*", "data | * | * |  |  | text/* | * | *"),
    ("https://Bücher.example/ä b", "https | * | * | xn--bcher-kva.example |  | /%C3%A4%20b | * | *"),
    ("https://example.com/a/../b", "https | * | * | example.com |  | /b | * | *"),
  ])
  func componentsAreFoundAndWrittenInTheirNormalForm(_ text: String, _ expected: String) throws {
    #expect(texts(try read(text)) == expected)
  }

  @Test(arguments: [
    ("{foo}bar", "foobar"), ("/(.*)", "/*"), ("/([^\\/]+?)", "/([^\\/]+?)"), ("/:a([^\\/]+?)", "/:a"),
    (":foo\\bar", "{:foo}bar"),
    ("*\\/*", "*/{*}"), ("{:foo}(.*)", "{:foo}(.*)"), ("*{}**?", "*(.*)?"), ("/\\:a", "/\\:a"), ("{/a}?", "{/a}?"),
    ("{a:b}?", "{a:b}?"), ("/:a.", "/:a."), ("{:foo\\.bar}", "{:foo.bar}"), ("{}", ""),
  ])
  func oneComponentIsWrittenInItsNormalForm(_ text: String, _ expected: String) throws {
    let component = try read(URLPatternInit(pathname: text))[.pathname]
    #expect(component.text == expected)
    #expect(try read(URLPatternInit(pathname: expected))[.pathname].text == expected)
  }

  @Test(arguments: [
    ("/foo", "^\\/foo$"), ("/:a", "^(?:\\/([^\\/]+?))$"), ("/:a?", "^(?:\\/([^\\/]+?))?$"), ("*", "^(.*)$"),
    ("**", "^((?:.*)*)$"),
    ("{a}+", "^(?:a)+$"), ("/:a*", "^(?:\\/((?:[^\\/]+?)(?:\\/(?:[^\\/]+?))*))?$"),
    ("{a(b)c}+", "^(?:a((?:b)(?:ca(?:b))*)c)$"),
    ("(a|b)?x", "^(a|b)?x$"),
  ])
  func aComponentIsTheStandardsRegularExpression(_ text: String, _ expected: String) throws {
    let component = try read(URLPatternInit(pathname: text))[.pathname]
    #expect(String(decoding: component.regexp.text, as: UTF8.self) == expected)
  }

  /// A mark that combines with the character before it makes one character of both for people, and two for browsers.
  @Test
  func marksThatCombineDoNotHideWhatComponentsBeginWith() throws {
    #expect(try read(URLPatternInit(search: "?\u{301}x"))[.search].text == "%CC%81x")
    #expect(try read(URLPatternInit(hash: "#\u{301}x"))[.hash].text == "%CC%81x")
    let relative = URLPatternInit(pathname: "/\u{301}x", baseURL: "https://example.com/a/b")
    #expect(try read(relative)[.pathname].text == "/%CC%81x")
  }

  @Test
  func placesInTheRegularExpressionLeadToThoseInThePattern() throws {
    let component = try read("https://example.com/é/:a(b+)/(c|d)")[.pathname]
    let text = component.regexp.text
    let first = try #require(text.firstIndex(of: UInt8(ascii: "+")))
    let second = try #require(text.firstIndex(of: UInt8(ascii: "|")))
    let pattern = Array("https://example.com/é/:a(b+)/(c|d)".utf8)
    #expect(pattern[component.regexp.offset(of: first) + component.shift] == UInt8(ascii: "+"))
    #expect(pattern[component.regexp.offset(of: second) + component.shift] == UInt8(ascii: "|"))
  }

  @Test(arguments: [
    ("/inbox", nil, 0, "a pattern without a base begins with the scheme, as in `https://`"),
    ("example.com/inbox", nil, 0, "a pattern without a base begins with the scheme, as in `https://`"),
    ("data:text", nil, 4, "`:` begins a group here; write `data\\:`"),
    ("https://x.example/:id/:id", URLComponent.pathname, 21, "the group name `id` is used twice"),
    ("https://x.example/{a", .pathname, 18, "`{` is never closed"),
    ("https://x.example/a}", .pathname, 19, "`}` closes nothing; the character itself is `\\}`"),
    ("https://x.example/{a{b}}", .pathname, 20, "`{` cannot stand inside `{…}`"),
    ("https://x.example/{:a:b}", .pathname, 21, "`{…}` holds at most one group"),
    ("https://x.example/a+", .pathname, 19, "`+` has nothing before it; the character itself is `\\+`"),
    ("https://x.example/é/:", .pathname, 21, "`:` begins a group, and no name follows; a colon is `\\:`"),
    ("https://x.example/\\", .pathname, 18, "`\\` at the end escapes nothing"),
    ("https://x.example/(a", .pathname, 18, "`(` is never closed"),
    ("https://x.example/()", .pathname, 18, "`()` holds no regular expression"),
    ("https://x.example/(é)", .pathname, 18, "a regular expression in a pattern holds ASCII characters only"),
    // The `?` begins the query, so that the bracket stands alone.
    ("https://x.example/(?:a)", .pathname, 18, "`(` is never closed"),
    (
      "https://x.example/(a(b))", .pathname, 18,
      "inside a regular expression, groups begin with `(?`, as in `(?:a|b)`"
    ),
    ("https://x y.example/", .hostname, 8, "`x y.example` is not part of a host"),
    ("https://x.example:99999/", .port, 18, "`99999` is not a port"),
    ("ht tp://x.example/", .protocol, 0, "`ht tp` is not part of a scheme"),
    ("https://[\\:\\:g]/", .hostname, 8, "`[::g]` is not part of an IPv6 address"),
    ("https://x.example/?a\\", .search, 20, "`\\` at the end escapes nothing"),
  ])
  func wrongPatternsAreRefusedWithAPlace(
    _ text: String, _ component: URLComponent?, _ offset: Int, _ description: String
  ) {
    #expect(throws: URLPatternError(description, component: component, offset: offset)) { try read(text) }
  }

  @Test
  func basesThatAreNoneAreRefused() {
    #expect(throws: URLPatternError("the base `example.com` is not a URL")) { try read("/a", base: "example.com") }
    #expect(throws: URLPatternError("a pattern by components has its base among them")) {
      try URLPatternSyntax(URLPatternInit(), base: "https://x.example", ignoresCase: false, isSpecial: isSpecial)
    }
  }

  @Test
  func placesInARelativePatternAreThoseOfTheAuthor() {
    #expect(throws: URLPatternError("`{` is never closed", component: .pathname, offset: 2)) {
      try read("a/{b", base: "https://x.example/long/folder/page")
    }
  }

  @Test
  func longPatternsAreRefused() {
    let text = "https://x.example/" + String(repeating: "a", count: URLPatternSyntax.maximumLength)
    #expect(throws: URLPatternError("a pattern has at most 65536 bytes", offset: 65_536)) { try read(text) }
    let parts = URLPatternInit(search: text)
    #expect(throws: URLPatternError("a pattern has at most 65536 bytes", component: .search, offset: 65_536)) {
      try read(parts)
    }
  }

  @Test
  func hostilePatternsAreReadInLinearTime() throws {
    for piece in ["(", "(a)", "(a", "{", ":a", "\\", "*", "(a(?:", "{a}?", "[", ":"] {
      let text = "https://x.example/" + String(repeating: piece, count: 30_000 / piece.utf8.count)
      let cost = Yardstick.cost { _ = try? read(text) }
      #expect(cost < 2_000, "`\(piece)` \(cost)")
    }
  }

  @Test(arguments: [
    ("pathname without base", URLPatternInit(pathname: "a"), "|||||a||"),
    (
      "relative pathname", URLPatternInit(pathname: "a", baseURL: "https://x.example/b/c?q#f"),
      "https|||x.example||/b/a||"
    ),
    (
      "query only", URLPatternInit(search: "?z", baseURL: "https://u:p@x.example:8080/b"),
      "https|u|p|x.example|8080|/b|z|"
    ),
    ("everything inherited", URLPatternInit(baseURL: "https://x.example/b?q#f"), "https|||x.example||/b|q|f"),
    ("default port of the scheme", URLPatternInit(protocol: "http", port: "80"), "http|||||||"),
    ("no default port without a scheme", URLPatternInit(port: "443"), "||||443|||"),
  ])
  func inputsByComponentsBecomeThoseOfAURL(_ note: String, _ parts: URLPatternInit, _ expected: String) throws {
    let texts = try parts.componentsOfInput().map { String(decoding: $0, as: UTF8.self) }
    let joined = texts.joined(separator: "|")
    #expect(joined == expected, Comment(rawValue: note))
  }
}
