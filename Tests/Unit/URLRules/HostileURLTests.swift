import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// A URL made to do harm is read and judged at little cost by rules of every kind, and never crashes.
@Suite struct HostileURLTests {
  /// In loops of the yardstick; less than one is usual.
  private static let limit = 10.0
  private static let runs = 15

  private static let names = ["contoso.com", "ads.example", "a.a", "evil.example"]

  /// All kinds of rules; none of them takes the URLs, so that every one is asked.
  private static func ruleSet() throws -> RuleSet {
    let filters = try ["contoso.com/x?v=1*", ".a.example", "a.a/%25", "*?q=%00"].map { try URLFilter($0, side: .block) }
    let suffixes = PublicSuffixes()
    let conditions: [Condition] = [
      .domain("contoso.com"), .host("a.example"), .url("https://a.example/x"), .list(0),
      .network(try IPNetwork("10.0.0.0/8")),
      .all([.scheme("ftp"), .port(8080)]), .same(.document), .sameSite(suffixes), .not(.all([])),
      .all([.queryOver(9), .host("c.example")]),
      .from(.domain("contoso.com")), .all([.not(.hop(true)), .host("b.example")]), .filter(filters[0]),
      .filter(filters[3]),
      .filters(URLFilterSet(block: filters, allow: [])), .filters(URLFilterSet(anyOf: filters)),
      .pattern(try URLPattern("https://*.contoso.com/:a/*")), .pattern(try URLPattern("*://*:*/(.*)x(.*)y(.*)z")),
      .pattern(try URLPattern("http{s}?://{:sub.}*a.example/{:p/}*end")),
      .regex(try Regex("^https?://[^/]+/owa/")), .regex(try Regex("(a|a)*b$")), .regex(try Regex("(?:%25)+x")),
      .regex(try Regex("([^/.]+[/.])+!$")), .regex(try Regex("(?i)tracking[0-9]+[.]gif")),
    ]
    let rules = conditions.enumerated().map { Rule(id: "r\($0)", verdict: .internal, condition: $1) }
    return RuleSet(name: "every kind", default: .external, rules: rules, lists: HostLists.of([names]))
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
      testDescription = name
      self.bytes = bytes
    }

    /// A path of one text again and again, up to the longest URL.
    init(_ name: String, _ repeated: String) { self.init(name, "https://a.example/", repeated) }

    /// A beginning, a text again and again up to the longest URL, and an end.
    init(_ name: String, _ beginning: String, _ repeated: String, _ end: String = "") {
      let room = URLRecord.maximumLength - beginning.utf8.count - end.utf8.count
      let middle = String(repeating: repeated, count: room / repeated.utf8.count)
      self.init(name, Array((beginning + middle + end).utf8))
    }
  }

  static let cases = [
    Case("a long path", "a"), Case("a path that backtracks", "https://a.example/", "a", "!"), Case("slashes", "/"),
    Case("backslashes", "\\"), Case("steps up", "../"), Case("encoded steps up", "%2e%2E/"),
    Case("steps down and up", "a/../"), Case("many segments", "a/"), Case("empty path parameters", ";"),
    Case("nested percent-encoding", "https://a.example/%", "25"), Case("percent-encoding", "%41"),
    Case("percent signs", "%"), Case("what must be encoded", "\u{FFFD}"),
    Case("spaces", "https://a.example/", " ", "x"),
    Case("tabs and newlines", "https://a.exa", "\t\n", "mple/"), Case("a long query", "https://a.example/?", "v=1&"),
    Case("a query of stars", "https://a.example/?", "v=1*"), Case("empty elements", "https://a.example/?", "&"),
    Case("a long fragment", "https://a.example/#", "x"), Case("question marks", "?"), Case("number signs", "#"),
    Case("dots in the host", "https://", ".", "/"), Case("labels", "https://", "a.", "/"),
    Case("labels of a list", "https://", "a.a.", "contoso.com/"), Case("a long label", "https://", "a", ".example/"),
    Case("a long foreign label", "https://", "\u{FC}", ".example/"),
    Case("foreign labels", "https://", "\u{FC}.", "example/"),
    Case("full-width dots", "https://", "a\u{3002}", "example/"),
    Case("soft hyphens", "https://a", "\u{AD}", "b.example/"),
    Case("marks without end", "https://a", "\u{301}", ".example/"),
    Case("joiners", "https://a", "\u{200D}", ".example/"),
    Case("a long ligature", "https://", "\u{FDFA}", ".example/"),
    Case("Hangul", "https://", "\u{1100}\u{1161}\u{11A8}", ".example/"),
    Case("punycode", "https://", "xn--bcher-kva.", "example/"),
    Case("a long punycode", "https://xn--", "a", "-9999b.example/"),
    Case("an encoded host", "https://", "%61", ".example/"), Case("a nested encoded host", "https://%", "25", "/"),
    Case("numbers", "http://", "0", "1/"), Case("hexadecimal numbers", "http://0x", "f", "/"),
    Case("colons", "https://a", ":"),
    Case("an address without end", "http://[", "1:", "]/"), Case("zeroes in an address", "http://[::", "0", "]/"),
    Case("ports", "https://a.example:", "0", "1/"), Case("signs of credentials", "https://", "@", "a.example/"),
    Case("credentials", "https://", "a:b@", "a.example/"), Case("wrappers", "", "view-source:", "https://a.example/"),
    Case("blobs", "", "blob:", "https://a.example/"), Case("a script", "javascript:", "a"),
    Case("an opaque path", "x:", " ", "#"),
    Case("a long scheme", "", "a", "://b/"), Case("file paths", "file://", "/C|/.."),
    Case("look-alikes", "https://a.example/", "//contoso.com"),
    Case("a million dots", [UInt8](repeating: UInt8(ascii: "."), count: 1_000_000)),
    Case("a host of a million dots", Array("https://".utf8) + [UInt8](repeating: UInt8(ascii: "."), count: 1_000_000)),
    Case("every byte", Array("https://a.example/".utf8) + every),
    Case("every byte in the host", Array("https://".utf8) + every),
    Case("every byte first", every), Case("broken UTF-8", Array("https://a.example/".utf8) + broken),
    Case("broken UTF-8 in the host", Array("https://".utf8) + broken + Array("/".utf8)), Case("nothing", []),
    Case("NUL", [0]),
  ]

  /// Every byte value, up to the longest URL.
  private static let every = (0..<65_000).map { UInt8(truncatingIfNeeded: $0) }
  /// First bytes of sequences that do not go on.
  private static let broken = (0..<65_000).map { UInt8(0xC0 + $0 % 0x40) }

  @Test(arguments: cases) func costsLittle(_ hostile: Case) throws {
    let ruleSet = try Self.ruleSet()
    let runner = RegexRunner()
    var input = MatchInput()
    input.from.read("https://www.contoso.com/")
    input.document = URLRecord("https://docs.contoso.com/d")
    let cost = Yardstick.cost(runs: Self.runs) {
      input.url.read(hostile.bytes.span)
      runner.beginDecision(subjectBytes: input.subjectBytes)
      _ = ruleSet.verdict(on: input, runner)
    }
    #expect(cost < Self.limit, "\(hostile): \(cost)")
  }

  /// The default is internal here; what is no URL, or could not be decided, is external all the same.
  @Test(arguments: cases) func whatIsNoURLIsExternal(_ hostile: Case) throws {
    let ruleSet = RuleSet(
      name: "open", default: .internal,
      rules: [Rule(id: "costly", verdict: .external, condition: .regex(try Regex("(a|a|a?)+(a+)+[^/]$")))])
    var input = MatchInput()
    input.url.read(hostile.bytes.span)
    let verdict = ruleSet.verdict(on: input)
    if input.url.kind != .url { #expect(verdict.verdict == .external) }
    let again = ruleSet.verdict(on: input)
    #expect(again == verdict)
  }
}
