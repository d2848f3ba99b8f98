import TestSupport
import Testing
import URLRules
import URLStandard

/// What Chromium hides from administrators.
struct URLFilterHiddenTests {
  private func filters(_ texts: [String], _ side: FilterSide) throws -> [URLFilter] {
    try texts.map { try URLFilter($0, side: side) }
  }

  private func hidden(_ block: [String], _ allow: [String] = []) throws -> [HiddenFilter] {
    URLFilterSet.hidden(block: try filters(block, .block), allow: try filters(allow, .allow))
  }

  private func place(_ side: FilterSide, _ index: Int) -> URLFilterSet.Place { URLFilterSet.Place(side, index) }

  @Test
  func duplicatesNameTheFirst() throws {
    #expect(
      try hidden(["a.example", "b.example?a&b", "A.example", "b.example?b&a"]) == [
        HiddenFilter(place(.block, 2), .duplicate, by: place(.block, 0), witness: "https://a.example/"),
        HiddenFilter(place(.block, 3), .duplicate, by: place(.block, 1), witness: "https://b.example/?b&a"),
      ])
  }

  @Test
  func whatAnotherFilterTakesIsShadowed() throws {
    #expect(
      try hidden(["b.a.example/x", "a.example"]) == [
        HiddenFilter(place(.block, 0), .shadowed, by: place(.block, 1), witness: "https://b.a.example/x")
      ])
    #expect(try hidden([".a.example", "a.example/x"]).isEmpty)
    #expect(try hidden(["a.example?v=1", "a.example?v=*"]).map(\.filter) == [place(.block, 0)])
    #expect(try hidden(["a.example", "a.example."]).map(\.filter) == [place(.block, 0)])
  }

  /// Without the longer filter the allowed one would win.
  @Test
  func anExceptionInBetweenKeepsAFilterAlive() throws {
    #expect(try hidden(["a.example", "b.a.example"], ["a.example/x"]).isEmpty)
    #expect(try hidden(["a.example", "https://b.a.example"], ["http://a.example/x"]).map(\.kind) == [.shadowed])
  }

  @Test
  func theAllowListWinsContradictions() throws {
    #expect(
      try hidden(["x", "a.example/x"], ["a.example/x"]) == [
        HiddenFilter(place(.block, 1), .contradiction, by: place(.allow, 0), witness: "https://a.example/x")
      ])
  }

  @Test
  func starsThatAreOnlyStarsAreSeen() throws {
    let found = try hidden(["*.a.example", "b.example/*", "c.example?v=*1", "*", "d.example?v=1*"])
    let stars = found.filter { $0.kind == .literalStar }
    #expect(stars.map(\.filter.index) == [0, 1, 2])
    #expect(
      stars.map(\.witness) == [
        "https://x.a.example/", "https://b.example/x", "https://c.example/?v=x1",
      ])
  }

  @Test
  func hostsThatNoWebURLHasAreSeen() throws {
    let found = try hidden(["0x7f.1", ":8080", "1.2.3.4", "chrome://0x7f.2", "ex%61mple.com"])
    #expect(found.map(\.kind) == [.noWebHost, .noWebHost, .noWebHost])
    #expect(found.map(\.witness) == ["http://127.0.0.1/", "http://0.0.31.144/", "http://example.com/"])
  }

  @Test
  func schemesThatAreNeverJudgedAreSeen() throws {
    let found = try hidden(["wss://a.example", "blob:*", "https://b.example"])
    #expect(found.map(\.kind) == [.neverJudged, .neverJudged])
    #expect(found.first?.witness == "wss://a.example/")
  }

  @Test
  func everythingBehindChromiumsLimitIsSeen() throws {
    let block = (0..<1_503).map { "h\($0).example" }
    #expect(
      try hidden(block)
        == (1_500..<1_503).map {
          HiddenFilter(place(.block, $0), .beyondLimit, witness: "https://h\($0).example/")
        })
    #expect(try URLFilterSet.hidden(anyOf: filters(block, .block)).isEmpty)
  }

  /// Leaving a superfluous filter out changes no answer, and every witness shows what it says.
  @Test
  func superfluousFiltersAreSuperfluous() throws {
    var random = SeededGenerator()
    let world = RandomFilters()
    let records = (0..<2_000).map { _ in world.record(&random) }.filter { !$0.protocol.hasPrefix("chrome") }
    var found = 0
    for _ in 0..<Effort.scaled(3_000) {
      let block = (0..<random.below(12)).map { _ in world.filter(.block, &random) }
      let allow = (0..<random.below(4)).map { _ in world.filter(.allow, &random) }
      let set = URLFilterSet(block: block, allow: allow)
      for hidden in URLFilterSet.hidden(block: block, allow: allow) {
        expectWitness(of: hidden, block, allow, random.note)
        guard [.duplicate, .shadowed, .contradiction].contains(hidden.kind) else { continue }
        found += 1
        var without = (block: block, allow: allow)
        if hidden.filter.side == .block { without.block.remove(at: hidden.filter.index) }
        if hidden.filter.side == .allow { without.allow.remove(at: hidden.filter.index) }
        let lesser = URLFilterSet(block: without.block, allow: without.allow)
        for _ in 0..<100 {
          let record = random.one(of: records)
          guard set.matches(record) != lesser.matches(record) else { continue }
          Issue.record("\(hidden) on `\(record.href)` of \(block.map(\.text)), \(allow.map(\.text)); \(random.note)")
          return
        }
      }
    }
    #expect(found > Effort.scaled(1_000))
  }

  private func expectWitness(of hidden: HiddenFilter, _ block: [URLFilter], _ allow: [URLFilter], _ note: String) {
    func filter(_ place: URLFilterSet.Place) -> URLFilter { (place.side == .block ? block : allow)[place.index] }
    guard let witness = hidden.witness, let record = URLRecord(witness) else { return }
    let looksMatched = hidden.kind == .literalStar || hidden.kind == .noWebHost
    #expect(filter(hidden.filter).matches(record) != looksMatched, "\(hidden); \(note)")
    if let other = hidden.by { #expect(filter(other).matches(record), "\(hidden); \(note)") }
  }
}
