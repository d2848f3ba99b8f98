import GuardModel
import TestSupport
import Testing
import URLRules

/// What a search reports.
struct TextSearchTests {
  private func found(_ search: TextSearch, _ text: String, _ runner: RegexRunner = RegexRunner()) -> [Int32] {
    var indices: [Int32] = []
    let bytes = Array(text.utf8)
    #expect(search.scan(bytes.span, runner) { indices.append($0) })
    return indices.sorted()
  }

  @Test
  func patternsAreReportedOnceWhereTheirLiteralsAre() {
    let search = TextSearch([
      "/ads/", "[?&]utm_[a-z]+=", "x|yy|zzz", "a", "[0-9]+", "(a)\\1", "(", "(?i)/ADS/", "a{,3}",
    ])
    #expect(search.alwaysChecked == [4, 5, 6, 8])
    #expect(found(search, "https://h.test/ads/ads/?utm_q=1&utm_z=2") == [0, 1, 3, 7])
    #expect(found(search, "x yy zzz x") == [2])
    #expect(found(search, "/Ads") == [3])
    #expect(found(search, "") == [])
    #expect(found(search, "A") == [3])
  }

  @Test
  func anEmptySearchFindsNothing() {
    let search = TextSearch([])
    #expect(search.alwaysChecked.isEmpty)
    #expect(found(search, "https://h.example/") == [])
  }

  @Test
  func aSearchInsideASearchDisturbsNeither() {
    let outer = TextSearch((0..<100).map { "name\($0)/" })
    let inner = TextSearch(["name1", "name2", "nothing"])
    let text = Array((0..<100).map { "name\($0)/" }.joined().utf8)
    let runner = RegexRunner()
    for _ in 0..<3 {
      var seen: [Int32] = []
      var nested: Set<Int32> = []
      let done = outer.scan(text.span, runner) { index in
        seen.append(index)
        _ = inner.scan(text.span, runner) { nested.insert($0 + 1_000 * index) }
      }
      #expect(done)
      #expect(seen.sorted() == Array(0..<100))
      #expect(nested.count == 200 && nested.allSatisfy { $0 % 1_000 < 2 })
    }
  }

  @Test
  func theLiteralThatTellsPatternsApartIsLookedFor() {
    let search = TextSearch((0..<1_000).map { "^https?://[^/]+/tracking-pixel/.*name\($0)[.]gif" })
    #expect(found(search, "https://h.example/tracking-pixel/x/index.html").isEmpty)
    #expect(found(search, "https://h.example/tracking-pixel/x/name17.gif") == [17])
  }

  @Test
  func literalsOfEveryLengthAreFoundAtEveryPlace() {
    for length in 1...40 {
      let literal = (0..<length).map { String(UnicodeScalar(UInt8(0x61 + ($0 * 7 + length) % 26))) }.joined()
      let search = TextSearch([literal, literal.uppercased(), "[.]" + literal, "nothing"])
      for place in 0..<80 {
        let text = String(repeating: "-", count: place) + literal + String(repeating: "-", count: 79 - place)
        #expect(Set(found(search, text)).isSuperset(of: [0]), "`\(literal)` at \(place)")
        #expect(!found(search, text).contains(3))
      }
    }
  }

  @Test
  func literalsThatAreTooMuchAlikeAreReportedTogether() {
    let search = TextSearch((4..<400).map { String(repeating: "a", count: $0) })
    #expect(search.alwaysChecked.isEmpty)
    #expect(found(search, "https://h.example/aaa").isEmpty)
    #expect(found(search, "https://h.example/aaaaaaaa").contains(4))
    #expect(found(search, String(repeating: "a", count: 500)).count == 396)
  }

  @Test
  func noTextMakesASearchSlow() {
    let search = TextSearch(
      (1..<2_000).map { "x" + String(repeating: "a", count: $0 % 90) + "b\($0)" }
        + (4..<400).map { "[0-9]" + String(repeating: "a", count: $0) })
    let runner = RegexRunner()
    for text in [
      String(repeating: "a", count: 65_536), String(repeating: "xab1", count: 16_384),
      String(repeating: "a", count: 65_536) + "b",
    ] {
      let bytes = Array(text.utf8)
      let cost = Yardstick.cost { #expect(search.scan(bytes.span, runner) { _ in }) }
      #expect(cost < 1_000)
    }
  }

  @Test
  func tenThousandPatternsAreReadyInNoTime() {
    let families: [(Int) -> String] = [
      { "^https?://[^/]+/tracking/name\($0)/" }, { "[/_-]ad\($0)[._-]" }, { "(?i)[?&]utm_name\($0)=" },
      { "name\($0)[.](?:js|css)$" }, { "^https?://(?:[^/]+[.])?name\($0)[.]com/" },
    ]
    let patterns = (0..<10_000).map { families[$0 % families.count]($0) }
    var search = TextSearch([])
    #expect(Yardstick.cost(runs: 1) { search = TextSearch(patterns) } < 20_000)
    #expect(search.alwaysChecked.isEmpty)
    #expect(search.size < 2_000_000)
    #expect(found(search, "https://x.name4.com/tracking/name5/ad6_?UTM_NAME7=1&name8.js") == [4, 5, 6, 7, 8])
  }
}
