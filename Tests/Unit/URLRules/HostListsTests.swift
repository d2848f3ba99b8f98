import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// One table of host lists against sets of strings.
struct HostListsTests {
  /// Whether a list holds a host or a parent of it, worked out with strings.
  private func holds(_ names: Set<String>, _ host: String, isAddress: Bool) -> Bool {
    if names.contains(host) { return true }
    if isAddress { return false }
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if names.contains(String(rest)) { return true }
    }
    return false
  }

  private func expect(_ lists: HostLists, _ names: [Set<String>], host: String, _ note: String) {
    guard let record = URLRecord("https://\(host)/"), record.hostname == host else { return }
    let isAddress = record.hostKind != .domain
    for (list, names) in names.enumerated() {
      let isHeld = lists.contains(HostListNumber(list), record)
      #expect(isHeld == holds(names, host, isAddress: isAddress), "\(host) in list \(list); \(note)")
    }
  }

  /// Labels from a small world, so that names share ends, nest deeply and repeat; empty labels among them.
  @Test
  func listsHoldWhatSetsHold() {
    var random = SeededGenerator()
    let labels = [
      "a", "b", "com", "www", "contoso", "xn--bcher-kva", "aaaaaaaa", "aaaaaaab", "aaaaaaaaa", "", "1", "_x",
    ]
    for _ in 0..<Effort.scaled(300) {
      func name() -> String {
        (0..<1 + random.below(random.oneIn(20) ? 40 : 5)).map { _ in random.one(of: labels) }.joined(separator: ".")
      }
      let names = (0..<random.below(5)).map { _ in
        Set((0..<random.below(80)).map { _ in random.oneIn(20) ? "1.2.3.4" : name() })
      }
      let lists = HostLists.of(names.map(Array.init))
      for _ in 0..<100 { expect(lists, names, host: name(), random.note) }
      for host in ["1.2.3.4", "[::1]", "3.4.5.6"] { expect(lists, names, host: host, random.note) }
      for name in names.joined() { expect(lists, names, host: random.oneIn(2) ? name : "x." + name, random.note) }
    }
  }

  /// Every length from one byte to past the longest name that DNS knows, at every place in the text.
  @Test
  func namesOfEveryLengthAreFound() {
    let names = (1...260).map { String(repeating: "n", count: $0) + ".example" }
    let lists = HostLists.of([names])
    for length in 1...270 {
      let host = String(repeating: "n", count: length) + ".example"
      expect(lists, [Set(names)], host: host, "")
      expect(lists, [Set(names)], host: "w." + host, "")
      expect(lists, [Set(names)], host: "x" + host, "")
    }
  }

  @Test
  func anAddressIsOnlyItself() {
    let names: [Set<String>] = [["3.4", "4", "1.2.3.4", "[::1]"], ["2.3.4", "1]"]]
    let lists = HostLists.of(names.map(Array.init))
    for host in ["1.2.3.4", "9.2.3.4", "[::1]", "[::2]", "[1::1]"] { expect(lists, names, host: host, "") }
  }

  @Test
  func onlyTheWebIsInAList() {
    let lists = HostLists.of([["contoso.com"]])
    let rows = [
      ("https://contoso.com/", true), ("http://a.contoso.com:8080/", true), ("ftp://contoso.com/", false),
      ("file://contoso.com/", false), ("x://contoso.com/", false), ("mailto:a@contoso.com", false),
    ]
    for (url, isHeld) in rows {
      #expect(URLRecord(url).map { lists.contains(0, $0) } == isHeld, "\(url)")
    }
    #expect(URLRecord("https://contoso.com/").map { lists.contains(1, $0) } == false)
  }

  /// What a parent brings is not stored again, yet counted, and lists do not run into one another.
  @Test
  func whatAParentBringsTakesNoRoom() {
    let names: [Set<String>] = [["contoso.com", "www.contoso.com", "a.b.contoso.com"], ["a.b.contoso.com"]]
    let lists = HostLists.of(names.map(Array.init))
    #expect(lists.nameCounts == [3, 1])
    #expect(lists.distinctNames == 2)
    for host in ["contoso.com", "x.www.contoso.com", "b.contoso.com", "x.a.b.contoso.com"] {
      expect(lists, names, host: host, "")
    }
  }

  @Test
  func hostsWithManyDotsCostLittle() {
    let deep = (0..<127).map { _ in "a" }.joined(separator: ".")
    let lists = HostLists.of([[deep, "b.example"]])
    let dots = String(repeating: ".", count: 60_000)
    expect(lists, [[deep, "b.example"]], host: "a" + dots + "b.example", "")
    expect(lists, [[deep, "b.example"]], host: "x." + deep, "")
    let host = String(repeating: "a.", count: 30_000) + "a"
    expect(lists, [[deep, "b.example"]], host: host, "")
    guard let record = URLRecord("https://\(host)/") else { return #expect(Bool(false)) }
    var input = MatchInput()
    input.url.read(record.href)
    let rules = RuleSet(
      name: "r", default: .internal, rules: [Rule(id: "l", verdict: .external, condition: .list(0))], lists: lists)
    var work = SearchWork()
    #expect(rules.verdict(on: input, RegexRunner(), &work).rule == 0)
    #expect(work.probes <= 128)
  }

  @Test
  func namesBeforeTheFirstListAreRefused() {
    var builder = HostListsBuilder()
    let name = Array("contoso.com".utf8)
    let early = builder.add(name.span)
    let list = builder.beginList()
    let late = builder.add(name.span)
    #expect(!early && list == 0 && late)
    #expect(builder.finish().nameCounts == [1])
  }

  @Test
  func nothingIsInNoList() {
    #expect(HostLists.empty.count == 0)
    #expect(URLRecord("https://contoso.com/").map { HostLists.empty.contains(0, $0) } == false)
  }
}
