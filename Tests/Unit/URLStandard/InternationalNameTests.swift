import TestSupport
import Testing
import URLStandard

/// The IDNA data of the web platform tests, through the URL host parser as `IdnaTestV2.window.js` and
/// `toascii.window.js` do: `https://<input>/x`, with the code points encoded that would end the host.
@Suite(.enabled(if: SharedData.isExpected, Comment(rawValue: SharedData.absence)))
struct InternationalNameTests {
  /// Cases that need newer character data than ICU 72 has (Unicode 15.0): ideographs of CJK extension J, which came
  /// with Unicode 17. They are refused. When one passes, the list is out of date and the test fails.
  private static let newerThanICU: Set<String> = [
    "\u{32931}20.\u{97F3}.\u{A866}1.",
    "\u{32B9A}9\u{A369}\u{17D3}.ss",
    "\u{32B9A}9\u{A369}\u{17D3}.SS",
  ]

  @Test(arguments: [
    ("wpt/url/toascii.json", 87, Set<String>()),
    ("wpt/url/IdnaTestV2.json", 2670, newerThanICU),
    ("wpt/url/IdnaTestV2-removed.json", 20, Set<String>()),
  ])
  func everyHostIsReadAsTheStandardSays(file: String, count: Int, known: Set<String>) throws {
    // The empty input is no host at all; the web platform tests leave it out as well.
    let cases = try SharedData.cases(file).filter { $0["input"] != "" }
    #expect(cases.count == count)
    var differing: Set<String> = []
    for hostCase in cases {
      let input = try #require(hostCase["input"])
      let expected = hostCase["output"].map { "https://\($0)/x" }
      let href = URLRecord("https://\(encodingHostEnds(input))/x")?.href
      if href != expected { differing.insert(input) }
      if !known.contains(input) { #expect(href == expected, "`\(input)`: \(hostCase["comment"] ?? "")") }
    }
    #expect(differing == known)
  }

  private func encodingHostEnds(_ input: String) -> String {
    let encoded: [Unicode.Scalar: String] = [":": "%3A", "/": "%2F", "?": "%3F", "#": "%23", "\\": "%5C"]
    return input.unicodeScalars.map { encoded[$0] ?? String($0) }.joined()
  }
}

/// Hosts where ICU 72 and UTS 46 of today differ, and what is done about it here rather than by ICU.
struct DomainNameTests {
  @Test(arguments: [
    ("EXAMPLE.com", "example.com"),
    ("B\u{FC}cher.Example", "xn--bcher-kva.example"),
    ("xn--a", "xn--a"),
    ("xn--xn---epa", "xn--xn---epa"),
    ("10.1", "10.1"),
    ("a%b", nil),
    ("a b", nil),
    ("", nil),
    ("\u{AD}", nil),
    ("stra\u{1E9E}e.example", "xn--strae-oqa.example"),
    ("\u{4C0}.com", "xn--s5a.com"),
    ("\u{10A0}.example", "xn--rkj.example"),
    ("a\u{180E}b.example", "ab.example"),
    ("a\u{115F}\u{2061}\u{206F}\u{3164}\u{1D17A}b.example", "ab.example"),
    ("\u{E9}.xn--xn---epa", nil),
    ("\u{E9}.xn--a", nil),
    ("\u{E9}.xn--abc-", nil),
    ("\u{E9}.ab--c", "xn--9ca.ab--c"),
    ("\u{E9}.xn--xn--a-gua", nil),
    ("\u{5D0}.\u{1F4A9}", nil),
    ("\u{915}\u{94D}\u{200D}", "xn--11b6iy14e"),
    ("\u{915}\u{200D}", nil),
  ])
  func domainIsWrittenInASCII(name: String, expected: String?) {
    #expect(domainToASCII(name) == expected)
  }

  @Test
  func aLabelOfThousandsOfCharactersIsAnsweredQuickly() {
    let name = String(repeating: "\u{FDFA}", count: 21_000)
    let cost = Yardstick.cost { #expect(URLRecord("https://\(name)/") == nil) }
    #expect(cost < 2_000)
  }
}
