import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// The index finds exactly the rules that are filed under a key which holds.
struct RuleIndexTests {
  private static let bytes = ["/", "a", "b", "ab", "%41", "?"]

  private func path(_ random: inout SeededGenerator) -> String {
    "/" + (0..<random.below(random.oneIn(10) ? 30 : 5)).map { _ in random.one(of: Self.bytes.dropLast()) }.joined()
  }

  private func key(_ random: inout SeededGenerator) -> IndexKey {
    let host = Array(random.one(of: RandomRules.hosts + [""]).utf8)
    let text = random.oneIn(4) ? "" : path(&random)
    let cut = text.prefix(random.oneIn(3) ? random.below(text.utf8.count + 1) : text.utf8.count)
    return .host(host, below: random.oneIn(2), path: Array(cut.utf8))
  }

  private func holds(_ key: IndexKey, _ url: ReferenceParts) -> Bool {
    guard case .host(let host, let below, let path) = key else { return false }
    let name = String(decoding: host, as: UTF8.self)
    let isHost = url.host == name || below && !url.isAddress && url.host.hasSuffix("." + name)
    return isHost && url.path.hasPrefix(String(decoding: path, as: UTF8.self))
  }

  @Test
  func hostsAndPathsLeadToTheirRules() throws {
    var random = SeededGenerator()
    for _ in 0..<Effort.scaled(400) {
      let rules = (0..<random.one(of: [3, 10, 200])).map { _ in (0...random.below(3)).map { _ in key(&random) } }
      var builder = RuleIndexBuilder(lists: .empty)
      for (number, keys) in rules.enumerated() { builder.add(RuleNumber(number), keys) }
      let index = builder.finish()
      for _ in 0..<100 {
        let scheme = random.one(of: ["https", "https", "ftp", "other", "file"])
        let below = random.oneIn(3) ? "w." : ""
        let text = "\(scheme)://\(below)\(random.one(of: RandomRules.hosts))\(path(&random))"
        guard let record = URLRecord(text) else { continue }
        let parts = ReferenceParts(record)
        let expected = rules.indices.filter { rules[$0].contains { holds($0, parts) } }.map { RuleNumber($0) }
        #expect(index.candidates(of: record, lists: .empty) == expected, "\(text); \(random.note)")
      }
    }
  }

  /// Each prefix of one long path: a walk that finds all of them, one within the other.
  @Test
  func prefixesMayNestDeeply() throws {
    let path = Array(("/" + String(repeating: "abc/", count: 500)).utf8)
    var builder = RuleIndexBuilder(lists: .empty)
    for count in 1...path.count {
      builder.add(RuleNumber(count - 1), [.host(Array("h.example".utf8), below: false, path: Array(path[..<count]))])
    }
    let index = builder.finish()
    let record = try #require(URLRecord("https://h.example/abc/abc/abd"))
    #expect(index.candidates(of: record, lists: .empty) == (0..<11).map { RuleNumber($0) })
    let whole = try #require(URLRecord("https://h.example" + String(decoding: path, as: UTF8.self)))
    #expect(index.candidates(of: whole, lists: .empty).count == path.count)
  }

  @Test
  func pathRulesUnderOneHostAreFlat() throws {
    func index(_ count: Int) -> RuleIndex {
      var builder = RuleIndexBuilder(lists: .empty)
      for number in 0..<count {
        let path = Array("/p/\(number)/".utf8)
        builder.add(RuleNumber(number), [.host(Array("h.example".utf8), below: true, path: path)])
      }
      return builder.finish()
    }
    let (few, many) = (index(10), index(10_000))
    for number in 0..<10 {
      let record = try #require(URLRecord("https://www.h.example/p/\(number)/x"))
      #expect(few.candidates(of: record, lists: .empty) == [RuleNumber(number)])
      #expect(many.candidates(of: record, lists: .empty) == [RuleNumber(number)])
    }
  }

  /// What cannot be filed is looked at for every URL, never forgotten.
  @Test
  func whatCannotBeFiledIsLookedAtForEveryURL() throws {
    var builder = RuleIndexBuilder(lists: HostLists.of([["a.example"]]))
    builder.add(0, [.list(0)])
    builder.add(1, [.list(1)])
    builder.add(2, [.text("x")])
    builder.add(3, nil)
    builder.add(4, [])
    builder.add(5, [.url(Array(repeating: UInt8(ascii: "x"), count: 65_536)), .list(0)])
    let index = builder.finish()
    let elsewhere = try #require(URLRecord("https://b.example/"))
    #expect(index.candidates(of: elsewhere, lists: HostLists.of([["a.example"]])) == [1, 2, 3, 5])
    let inList = try #require(URLRecord("https://w.a.example/"))
    #expect(index.candidates(of: inList, lists: HostLists.of([["a.example"]])) == [0, 1, 2, 3, 5])
  }
}
