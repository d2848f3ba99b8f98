import TestSupport
import Testing
import URLRules
import URLStandard

/// What single filters match, beyond the facts that Chromium's tests state.
struct URLFilterTests {
  private func matches(_ filter: String, _ url: String, _ side: FilterSide = .block) throws -> Bool {
    try URLFilter(filter, side: side).matches(try #require(URLRecord(url)))
  }

  @Test(arguments: [
    // Hosts, with the dots that nobody sees.
    ("a.example", "https://a.example./", true), ("a.example.", "https://a.example/", true),
    (".a.example", "https://.a.example/", true), ("a.example", "https://b.a.example/", true),
    (".a.example", "https://b.a.example/", false), ("a.example", "https://ba.example/", false),
    ("..a.example", "https://a.example/", true), ("A.Example", "https://a.example/", true),
    ("x", "x://y.x/", true), ("1.2.3.4", "https://1.2.3.4/", true), ("1.2.3.4", "x://y.1.2.3.4/", false),
    ("[::1]", "http://[0:0::1]/", true), ("xn--bcher-kva.example", "https://bücher.example/", true),
    (".", "mailto:a@a.example", true), (".", "file:///etc", true), (".", "https://a.example/", false),
    ("*", "mailto:a@a.example", true), (":*", "https://a.example/", true),
    // Ports are those a browser connects to.
    ("a.example:443", "https://a.example/", true), ("a.example:443", "http://a.example/", false),
    ("a.example:080", "http://a.example/", true), ("http://a.example:+80", "http://a.example/", true),
    ("*:21", "ftp://x/", true), ("a.example:", "x://a.example:99/", true), ("a:", "http://a/", false),
    // Paths begin as they are written.
    ("a.example/A", "https://a.example/a", false), ("a.example/%41", "https://a.example/A", false),
    ("a.example/%41", "https://a.example/%41b", true), ("a.example/..", "https://a.example/..b", true),
    ("a.example/*", "https://a.example/b", false), ("a.example/*", "https://a.example/*b", true),
    ("a.example/a#f", "https://a.example/a", true), ("user:pw@a.example", "https://a.example/", false),
    ("https://user:pw@a.example", "https://a.example/", true),
    // Schemes.
    ("http;//a.example", "http://a.example/", true), ("http;//a.example", "https://a.example/", false),
    ("https:a.example", "https://a.example/", true), ("HTTPS:*", "https://x/", true),
    ("custom:*", "custom:thing", true), ("chrome://settings", "chrome://settings/x", true),
    ("chrome://settings", "chrome://Settings/x", false), ("file:///home", "file:///home/x", true),
    ("file:////home//x", "file:///home/x", true), ("file:///home", "file:///hom", false),
    ("data:text/", "data:text/html,x", true), ("data:text/", "data:image/png,x", false),
    // White space around a filter is not there; seven spaces are `http://` to Chromium.
    (" a.example ", "https://a.example/", true), ("      a.example", "https://a.example/", true),
    ("       a.example", "https://a.example/", false), ("       a.example", "http://a.example/", true),
    ("\u{A0}a.example", "https://a.example/", true),
  ])
  func filtersReadAsChromiumReadsThem(_ filter: String, _ url: String, _ expected: Bool) {
    #expect((try? matches(filter, url)) ?? false == expected, "`\(filter)` on `\(url)`")
  }

  @Test(arguments: [
    ("*?v=1", "v=1", true, true), ("*?v=1", "v=2&v=1", true, false), ("*?v=1", "v=1&v=1", true, true),
    ("*?v=1", "v=12", false, false), ("*?v=1*", "v=12", true, true), ("*?v=1*", "v=12&v=2", true, false),
    ("*?v=*", "v=", true, true), ("*?v", "v", true, true), ("*?v", "v=1", false, false),
    ("*?v", "v&vw=1", true, false), ("*?v=", "v", true, true), ("*?v=", "v=", false, false),
    ("*?v*", "x&vw", true, true), ("*?*", "", true, true), ("*?v=1&v=2", "v=1", false, true),
    ("*?v=1&v=2", "v=1&v=2", true, false), ("*?a&b", "b&a", true, true), ("*?a&&b", "a&b", false, false),
    ("*?a&&b", "a&b&", true, false), ("*?a&", "a", true, true), ("*?=1", "=1", true, true),
    ("*?v=1", "V=1", false, false), ("*?v=%31", "v=1", false, false),
  ])
  func queriesDependOnTheSide(_ filter: String, _ query: String, _ block: Bool, _ allow: Bool) throws {
    #expect(try matches(filter, "https://x/?\(query)", .block) == block)
    #expect(try matches(filter, "https://x/?\(query)", .allow) == allow)
  }

  @Test
  func aStarInTheQueryAsksForAQuery() throws {
    #expect(try !matches("x?*", "https://x/"))
    #expect(try matches("x?*", "https://x/?"))
    #expect(try URLFilter("x?", side: .block).components.query.isEmpty)
  }

  @Test
  func noURLAtAllMatchesOnlyTheStar() throws {
    for (text, expected) in [("*", true), ("http:*", false), (".", true), ("*?*", false), ("a.example", false)] {
      #expect(try URLFilter(text, side: .block).matches(URLRecord()) == expected, "`\(text)`")
    }
  }

  @Test(arguments: [
    ("", "the filter is empty", 0), (" \u{A0}\n", "the filter is empty", 0), ("#", "`#` names no host", 0),
    ("custom://app", "no URL filter can name the host of a `custom:` URL (write `custom:*` for all of them)", 6),
    ("host:65536", "no URL filter can name the host of a `host:` URL", 4),
    ("https://a:65536", "`65536` is no port", 10), ("https://a:0", "`0` is no port", 10),
    ("a.example:*", "`*` is no port (a port is a number from 1 to 65535", 10), ("https://a:-1", "`-1` is no port", 10),
    ("/etc/hosts", "`/etc/hosts` is no URL of a local file", 0), ("file://server/x", "is no URL of a local file", 0),
    ("file:///a%2Fb", "is no URL of a local file", 0), ("mailto:a@b", "no URL filter can name the host", 6),
    ("data://a b/", "`data://a b/` is no URL", 0), ("http://", "`http://` names no host", 0),
  ])
  func whatChromiumDropsIsRefused(_ text: String, _ message: String, _ offset: Int) {
    let error = #expect(throws: URLFilterError.self) { try URLFilter(text, side: .block) }
    #expect(error?.kind == .ignored)
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    #expect(error?.offset == offset)
  }

  @Test(arguments: [
    ("bücher.example", "no URL has the host `bücher.example` (write `xn--bcher-kva.example`)", 0),
    (".bücher.example", "write `.xn--bcher-kva.example`", 1), ("https://[0:0::1]/", "write `[::1]`", 8),
    ("a b", "no URL has the host `a b`", 0),
    ("x/a b", "no URL has a path that begins with `/a b` (URLs have it as `/a%20b`)", 1),
    ("x/ü", "`/%C3%BC`", 1), ("x\\a", "no URL has a path", 1), ("x/a/../b", "no URL has a path", 1),
    ("x?v=a b", "no URL has the query part `v=a b` (URLs have it as `v=a%20b`)", 2),
    ("file:///a%20b", "no URL has a path", 0),
    ("wrong ://*", "no URL has the host `wrong `", 0), ("data:a?b", "no URL has a path", 5),
  ])
  func whatMatchesNothingIsRefused(_ text: String, _ message: String, _ offset: Int) {
    let error = #expect(throws: URLFilterError.self) { try URLFilter(text, side: .block) }
    #expect(error?.kind == .matchesNothing)
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    #expect(error?.offset == offset)
  }

  @Test
  func filtersLongerThanAnyURLAreRefused() {
    let error = #expect(throws: URLFilterError.self) {
      try URLFilter(String(repeating: "a", count: 65_537), side: .block)
    }
    #expect(error?.kind == .tooLong)
    let path = #expect(throws: URLFilterError.self) {
      try URLFilter("x/" + String(repeating: "a", count: 65_534), side: .block)
    }
    #expect(path?.kind == .matchesNothing)
    #expect((path?.description.utf8.count ?? 0) < 200)
  }

  @Test
  func keysNameTheHostAndThePath() throws {
    func keys(_ text: String) throws -> [IndexKey]? { try URLFilter(text, side: .block).keys }
    func host(_ name: String, _ below: Bool, _ path: String) -> IndexKey {
      .host(Array(name.utf8), below: below, path: Array(path.utf8))
    }
    #expect(try keys("https://a.example/x") == [host("a.example", true, "/x")])
    #expect(try keys("a.example") == [host("a.example", true, ""), host("a.example.", true, "")])
    #expect(try keys("http://.a.example") == [host("a.example", false, ""), host(".a.example", false, "")])
    #expect(try keys("*/x") == nil)
    #expect(try keys(".") == nil)
    #expect(try keys("file:///x") == nil)
  }

  /// Whatever the text, reading it ends in a filter that some URL matches, or in an error on one line.
  @Test
  func garbageIsReadOrRefused() throws {
    var random = SeededGenerator()
    let pieces = [
      "a", "b.example", ".", "*", ":", "/", "//", "\\", "?", "&", "=", "#", "@", "[", "]", "%", "%41", "%zz", "80",
      "99999",
      ";", " ", "\t", "\n", "\0", "ü", "\u{202E}", "\u{FFFF}", "http", "file", "data", "x", "~", "+", "-", "::1",
      "1.2.3.4", "`",
    ]
    var accepted = 0
    for _ in 0..<Effort.scaled(100_000) {
      let text = (0..<random.below(12)).map { _ in random.one(of: pieces) }.joined()
      do {
        let filter = try URLFilter(text, side: .block)
        accepted += 1
        let witness = try #require(filter.witness, "`\(text)` matches nothing; \(random.note)")
        let record = try #require(URLRecord(witness))
        #expect(
          !ReferenceFilters(anyOf: [filter]).matching(record).isEmpty, "`\(text)` on `\(witness)`; \(random.note)")
      } catch let error as URLFilterError {
        let isPlain = error.description.utf8.allSatisfy { $0 >= 0x20 }
        #expect(isPlain && error.offset <= text.utf8.count, "\(error); \(random.note)")
      }
    }
    #expect(accepted > Effort.scaled(10_000))
  }
}
