import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// What patterns take, what they are filed under, and what they cost.
struct URLPatternTests {
  private func truth(_ pattern: URLPattern, _ url: String) throws -> Ternary {
    let record = try #require(URLRecord(url))
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: record.bytes.count)
    return pattern.matches(record, runner)
  }

  @Test(arguments: [
    ("https://*.example.com", "https://a.example.com/x?y", Ternary.yes),
    ("https://*.example.com", "https://example.com/", .no),
    ("https://{*.}?example.com", "https://example.com/", .yes),
    ("https://{*.}?example.com", "https://evilexample.com/", .no),
    ("https://*example.com", "https://evilexample.com/", .yes),
    ("https://:sub.example.com", "https://a.b.example.com/", .no),
    ("https://example.com/*", "https://example.com:8443/", .no),
    ("https://example.com:*/*", "https://example.com:8443/", .yes),
    ("https://example.com/docs/:id", "https://example.com/docs/a%2Fb", .yes),
    ("https://example.com/docs/:id", "https://example.com/docs/a/b", .no),
    ("https://example.com/docs/:id", "https://example.com/docs/", .no),
    ("https://example.com/docs/:id?", "https://example.com/docs", .yes),
    ("https://example.com/docs/:path+", "https://example.com/docs/a/b/c", .yes),
    ("https://example.com/docs/:path+", "https://example.com/docs//c", .no),
    ("https://example.com/{a:x-}+b", "https://example.com/a1-a2-b", .yes),
    ("https://example.com/{a:x-}+b", "https://example.com/a1-2-b", .yes),
    ("https://example.com/{a:x-}+b", "https://example.com/1-b", .no),
    ("https://example.com/:a(\\d+)", "https://example.com/123", .yes),
    ("https://example.com/:a(\\d+)", "https://example.com/12x", .no),
    ("https://example.com/a?b", "https://example.com/a", .no),
    ("https://example.com/a", "https://example.com/a?b", .yes),
    ("http{s}?://example.com/", "http://example.com/", .yes),
    ("*://example.com/", "ftp://example.com/", .yes),
    ("data\\:text/*", "data:text/html,x", .yes),
    ("https://b\u{FC}cher.example/\u{E4}", "https://xn--bcher-kva.example/%C3%A4", .yes),
    ("https://[\\:\\:1]/", "https://[::1]/", .yes),
    ("https://example.com/", "https://user@example.com/#top", .yes),
    ("https://:user@example.com/", "https://example.com/", .no),
  ])
  func patternsTakeWhatBrowsersTake(_ text: String, _ url: String, _ expected: Ternary) throws {
    #expect(try truth(URLPattern(text), url) == expected)
    #expect((try URLPattern(text).exec(url) != .noMatch) == (expected == .yes))
  }

  @Test
  func caseIsIgnoredInPathQueryAndFragmentOnly() throws {
    let pattern = try URLPattern("https://example.com/Docs/:id?Q", ignoreCase: true)
    #expect(try truth(pattern, "https://example.com/dOCS/x?q") == .no)
    let escaped = try URLPattern("https://example.com/Docs/:id\\?Q", ignoreCase: true)
    #expect(try truth(escaped, "https://EXAMPLE.com/dOCS/x?q") == .yes)
    #expect(try truth(URLPattern("https://example.com/Docs", ignoreCase: true), "https://example.com/dOCS") == .yes)
    #expect(try truth(URLPattern("https://example.com/Docs*Z", ignoreCase: true), "https://example.com/docsz") == .yes)
    #expect(try truth(URLPattern("https://example.com/Docs"), "https://example.com/docs") == .no)
  }

  @Test
  func groupsSayWhatTheyTook() throws {
    let pattern = try URLPattern("https://:sub.example.com/:kind(mail|docs)/*/:id?")
    guard case .match(let found) = pattern.exec("https://a.example.com/docs/x/y/z") else {
      Issue.record("no match")
      return
    }
    #expect(found[.hostname] == .init(input: "a.example.com", groups: ["sub": "a"]))
    #expect(found[.pathname] == .init(input: "/docs/x/y/z", groups: ["kind": "docs", "0": "x/y/z", "id": nil]))
    #expect(pattern.hasRegExpGroups)
    #expect(
      pattern.componentText == "protocol https, hostname :sub.example.com, port \"\", pathname /:kind(mail|docs)/*/:id?"
    )
  }

  @Test(
    arguments: [
      (
        "https://x.example/a/*",
        [.host(URLPatternTests.bytes("x.example"), below: false, path: URLPatternTests.bytes("/a/"))]
      ),
      (
        "https://*.x.example/a:id",
        [.host(URLPatternTests.bytes("x.example"), below: true, path: URLPatternTests.bytes("/a"))]
      ),
      (
        "https://{*.}?x.example/",
        [.host(URLPatternTests.bytes("x.example"), below: true, path: URLPatternTests.bytes("/"))]
      ),
      ("https://a*.x.example/:id?", [.host(URLPatternTests.bytes("x.example"), below: true, path: [])]),
      ("https://*x.example/", [.host(URLPatternTests.bytes("example"), below: true, path: URLPatternTests.bytes("/"))]),
      (
        "https://(a|b).x.example/c(d)?",
        [.host(URLPatternTests.bytes("x.example"), below: true, path: URLPatternTests.bytes("/c"))]
      ),
      ("https://x.example/a?b#*", [.url(URLPatternTests.bytes("https://x.example/a?b"))]),
      (
        "https://x.example/a?",
        [.url(URLPatternTests.bytes("https://x.example/a")), .url(URLPatternTests.bytes("https://x.example/a?"))]
      ),
      ("https://x.example:8080/a?b", [.url(URLPatternTests.bytes("https://x.example:8080/a?b"))]),
      (
        "https://x.example/a",
        [.host(URLPatternTests.bytes("x.example"), below: false, path: URLPatternTests.bytes("/a"))]
      ),
      (
        "foo://x.example/a?b",
        [.host(URLPatternTests.bytes("x.example"), below: false, path: URLPatternTests.bytes("/a"))]
      ),
      ("*://*.x.example/", [.text("\\.x\\.example")]),
      ("https://*/download/*", [.text("\\/download\\/")]),
      ("https://*/*?session=*", [.text("session\\=")]),
      ("https://*/a/*", nil), ("https://*.7/", "refused"), ("https://*:*/", nil),
    ] as [(String, KeyList)])
  func patternsAreFiledUnderWhatTheyNeed(_ text: String, _ expected: KeyList) throws {
    guard expected != .refused else {
      #expect(throws: URLPatternError.self) { try URLPattern(text) }
      return
    }
    #expect(try URLPattern(text).keys == expected.keys, "\(text)")
  }

  @Test
  func ignoredCaseIsNoKeyInThePath() throws {
    let host = try URLPattern("https://x.example/A/*", ignoreCase: true)
    #expect(host.keys == [.host(Self.bytes("x.example"), below: false, path: [])])
    let text = try URLPattern("https://*/Download/*", ignoreCase: true)
    #expect(text.keys == [.text("(?i)\\/download\\/")])
    let exact = try URLPattern("https://x.example/A?b", ignoreCase: true)
    #expect(exact.keys == [.host(Self.bytes("x.example"), below: false, path: [])])
  }

  @Test(arguments: [
    "/*a*a*a*a*a*b", "/*a*:x*b*:y*c", "/:x*/:y*/:z*", "/*a:x{a}b*c", "/{a}*{a}*{a}*{a}*{a}*b", "/*:a*:b*:c*:d*:e*:f",
    "/:a{a:b}+{b:c}+z", "/*aaaaaaaaaaaaaaaaaaaaaaaaaaab*c", "/(a+)+b", "/*(.*a)*b", "/{*a}+{*a}+b", "/((?:a|aa)+)+/b",
  ])
  func hostilePathsCostLittle(_ path: String) throws {
    let pattern = try URLPattern("https://x.example" + path)
    let runner = RegexRunner()
    for filler in ["a", "b", "/", "a/", "ab", "x"] {
      let body = String(String(repeating: filler, count: 65_000).prefix(65_000))
      let record = try #require(URLRecord("https://x.example/" + body))
      let cost = Yardstick.cost {
        runner.beginDecision(subjectBytes: record.bytes.count)
        _ = pattern.matches(record, runner)
      }
      #expect(cost < 40, "\(filler): \(cost)")
    }
  }

  @Test
  func patternsOfManyStepsAreBounded() throws {
    let pattern = try URLPattern("https://x.example/" + String(repeating: "*a{b}?c", count: 8_000))
    let body = String(repeating: "abc", count: 20_000)
    #expect(try truth(pattern, "https://x.example/" + body) == .unknown)
    #expect(try truth(pattern, "https://y.example/" + body) == .no)
  }

  @Test
  func withoutABudgetCostlyComponentsAreUnknownAndOthersAreNot() throws {
    let record = try #require(URLRecord("https://a.x.example/docs/1"))
    let runner = RegexRunner()
    #expect(try URLPattern("https://*.x.example/docs/*").matches(record, runner) == .yes)
    #expect(try URLPattern("https://*.x.example/docs/:id").matches(record, runner) == .unknown)
    #expect(try URLPattern("https://*.x.example/docs/(\\d)").matches(record, runner) == .unknown)
    // Unknown, but filed under what the URL is not: certainly no.
    #expect(try URLPattern("https://*.x.example/mail/:id").matches(record, runner) == .no)
    #expect(try URLPattern("https://:a.y.example/:id").matches(record, runner) == .no)
  }

  @Test
  func noURLMatchesNothing() throws {
    let runner = RegexRunner()
    #expect(try URLPattern(URLPatternInit()).matches(URLRecord(), runner) == .no)
    #expect(try URLPattern(URLPatternInit()).exec("no url") == .noMatch)
    #expect(try URLPattern(URLPatternInit()).exec("/a", base: "no url") == .noMatch)
  }

  @Test(arguments: [
    ("https://x.example/:a/(\\m)", 22, "`\\m` is not an escape of regular expressions of the web"),
    ("https://x.example/(a)(b{2,1})", 23, "the counts are in the wrong order"),
    ("(https|\\h)://x.example/", 7, "`\\h` is not an escape of regular expressions of the web"),
    ("https://x.example/?é=([z-a])", 24, "the range is in the wrong order"),
  ])
  func wrongRegularExpressionsAreRefusedWithTheirPlace(_ text: String, _ offset: Int, _ description: String) {
    #expect {
      try URLPattern(text)
    } throws: { error in
      guard let error = error as? URLPatternError else { return false }
      return error.offset == offset && error.description == description
    }
  }

  @Test
  func whatPCRE2CannotHoldIsRefused() {
    #expect(throws: URLPatternError.self) { try URLPattern("https://x.example/((?:(?:ab){60000}){60000})") }
  }

  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}

/// The keys a pattern should have, written briefly in a table.
enum KeyList: Equatable, Sendable, ExpressibleByArrayLiteral, ExpressibleByNilLiteral, ExpressibleByStringLiteral {
  case listed([IndexKey])
  case none
  case refused

  init(arrayLiteral keys: IndexKey...) { self = .listed(keys) }
  init(nilLiteral: ()) { self = .none }
  init(stringLiteral: String) { self = .refused }

  var keys: [IndexKey]? { if case .listed(let keys) = self { keys } else { nil } }
}
