import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// Keys are sound: what is not certainly false has one that holds.
struct IndexKeysTests {
  /// Whether a key holds, by its words.
  private func holds(_ key: IndexKey, _ url: ReferenceParts, _ names: [[String]]) -> Bool {
    switch key {
    case .host(let host, let below, let path):
      let name = text(host)
      let isHost = url.host == name || below && !url.isAddress && url.host.hasSuffix("." + name)
      return isHost && url.path.hasPrefix(text(path))
    case .url(let href): return url.href == text(href)
    case .list(let list):
      guard names.indices.contains(Int(list.place)) else { return true }
      return url.isWeb && names[Int(list.place)].contains { url.host(isBelow: $0) }
    case .network(let network): return ReferenceAddress(url.host)?.isIn(network) == true
    case .text(let pattern):
      guard let regex = try? Regex(pattern) else { return true }
      let runner = RegexRunner()
      let subject = Array(url.href.utf8)
      runner.beginDecision(subjectBytes: subject.count)
      return regex.matches(subject.span, runner) != .no
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test
  func whatIsNotCertainlyFalseHasAKeyThatHolds() throws {
    var random = SeededGenerator()
    let names = (0..<4).map { _ in (0..<6).map { _ in RandomLists.name(&random) } }
    let rules = try RandomRules(lists: HostLists.of(names))
    var withKeys = 0
    for _ in 0..<Effort.scaled(20_000) {
      let condition = rules.condition(depth: 3, &random)
      guard let keys = condition.keys else { continue }
      for _ in 0..<10 {
        let question = ReferenceQuestion(
          url: ReferenceURL(RandomURLs().text(&random)), from: ReferenceURL(RandomURLs().text(&random)), lists: names)
        guard let url = question.url.parts, question.truth(of: condition, of: url) != .false else { continue }
        withKeys += 1
        #expect(keys.contains { holds($0, url, names) }, "\(condition) on \(url.href); \(random.note)")
      }
    }
    #expect(withKeys > Effort.scaled(2_000))
  }

  @Test
  func allTakesTheCheapestPartAndAnyTakesEach() throws {
    let network = try IPNetwork("10.0.0.0/8")
    let host = IndexKey.host(Array("a.example".utf8), below: false, path: [])
    let domain = IndexKey.host(Array("example".utf8), below: true, path: [])
    let rows: [(Condition, [IndexKey]?)] = [
      (.host("a.example"), [host]), (.domain("example"), [domain]), (.list(3), [.list(3)]),
      (.network(network), [.network(network)]), (.url("x:y"), [.url(Array("x:y".utf8))]),
      (.all([.domain("example"), .host("a.example"), .url("x:y")]), [.url(Array("x:y".utf8))]),
      (.all([.list(1), .domain("example"), .scheme("https")]), [domain]),
      (.all([.list(1), .network(network), .not(.host("a.example"))]), [.network(network)]),
      (.any([.host("a.example"), .list(2)]), [host, .list(2)]), (.any([]), []), (.all([]), nil),
      (.any([.host("a.example"), .port(1)]), nil), (.not(.host("a.example")), nil), (.from(.host("a.example")), nil),
      (.all([.any([.host("a.example"), .domain("example")]), .host("a.example")]), [host]),
      (.hop(true), nil), (.scheme("https"), nil), (.same(.document), nil), (.queryOver(9), nil),
      (.all([.queryOver(9), .host("a.example")]), [host]), (.any([.queryOver(9), .host("a.example")]), nil),
    ]
    for (condition, keys) in rows { #expect(condition.keys == keys, "\(condition)") }
  }
}
