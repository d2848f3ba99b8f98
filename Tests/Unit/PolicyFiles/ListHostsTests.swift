import PolicyFiles
import Synchronization
import TestSupport
import Testing

/// What lines of lists of hosts say.
@Suite struct ListHostsTests {
  struct Line: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let hosts: [String]

    init(_ text: String, _ hosts: String...) {
      bytes = Array(text.utf8)
      self.hosts = hosts
    }

    var testDescription: String { String(decoding: bytes, as: UTF8.self).debugDescription }
  }

  @Test(arguments: [
    Line("ads.example", "ads.example"),
    Line("ads.example\r", "ads.example"),
    Line(" \tads.example\t ", "ads.example"),
    Line("ADS.Example.", "ads.example"),
    Line("ads.example # since May", "ads.example"),
    Line("ads.example\t# since May", "ads.example"),
    Line("# ads.example"), Line("  #"), Line("! Title: ads"), Line(""), Line("\r"), Line(" \t "),
    Line("B\u{FC}cher.Example", "xn--bcher-kva.example"),
    Line("stra\u{DF}e.example.", "xn--strae-oqa.example"),
    Line("\u{FF41}ds\u{3002}example", "ads.example"),
    Line("XN--Bcher-KVA.example", "xn--bcher-kva.example"),
    Line("xn--a.example", "xn--a.example"),
    Line("_dmarc.under_score.example", "_dmarc.under_score.example"),
    Line("-a-.b--.example", "-a-.b--.example"),
    Line("localhost", "localhost"),
    Line("com", "com"),
    Line("ads.7up", "ads.7up"),
    Line("*.ads.example", "ads.example"),
    Line(".ads.example", "ads.example"),
    Line("*.B\u{FC}cher.example.", "xn--bcher-kva.example"),
    Line("10.0.0.1", "10.0.0.1"),
    Line("[2001:DB8::1]", "[2001:db8::1]"),
    Line("2001:DB8:0:0::1", "[2001:db8::1]"),
    Line("::ffff:10.0.0.1", "[::ffff:a00:1]"),
  ])
  func lineOfDomains(_ line: Line) {
    let list = ReadList(line.bytes + [0x0A] + Array("good.example".utf8))
    #expect(list.hosts == line.hosts + ["good.example"])
    #expect(list.file?.entries == line.hosts.count + 1)
    #expect(list.file?.badLines == 0)
    #expect(list.file?.lines == 2)
  }

  @Test(arguments: [
    Line("0.0.0.0 ads.example", "ads.example"),
    Line("127.0.0.1\tads.example\r", "ads.example"),
    Line("0.0.0.0   ads.example  trk.example # both", "ads.example", "trk.example"),
    Line("0.0.0.0 ads.example#since-May", "ads.example"),
    Line("  ::1 Ads.Example.", "ads.example"),
    Line(":: ads.example", "ads.example"),
    Line("0 ads.example", "ads.example"),
    Line("192.168.7.9 server.corp", "server.corp"),
    Line("fe80::1%lo0 printer", "printer"),
    Line("0.0.0.0 B\u{FC}cher.example", "xn--bcher-kva.example"),
    Line("127.0.0.1 localhost"), Line("127.0.0.1 LOCALHOST.localdomain local"), Line("::1 ip6-localhost ip6-loopback"),
    Line("255.255.255.255 broadcasthost"), Line("0.0.0.0 0.0.0.0"), Line("ff02::2 ip6-allrouters"),
    Line("127.0.0.1 localhost ads.example", "ads.example"),
    Line("# 0.0.0.0 ads.example"), Line("! x"), Line(" "),
  ])
  func lineOfAHostsFile(_ line: Line) {
    let list = ReadList(line.bytes + Array("\n0.0.0.0 good.example".utf8), .hosts)
    #expect(list.hosts == line.hosts + ["good.example"])
    #expect(list.file?.entries == line.hosts.count + 1)
    #expect(list.problems.isEmpty)
  }

  @Test func entriesForTheMachineItselfAreCountedApart() {
    let list = ReadList(
      """
      127.0.0.1 localhost localhost.localdomain
      ::1       localhost ip6-localhost
      0.0.0.0   0.0.0.0
      0.0.0.0   ads.example localhosts.example
      """, .hosts)
    #expect(list.file?.selfEntries == 5)
    #expect(list.file?.entries == 2)
    #expect(list.file?.badLines == 0)
  }

  @Test func goodNamesOfABadLineAreTaken() {
    let list = ReadList(badLine: Array("0.0.0.0 a.example b..example c.example d/".utf8), .hosts)
    #expect(list.hosts.prefix(2) == ["a.example", "c.example"])
    #expect(list.problems == "l:1:21: warning: `b..example` has an empty label [bad-list-line]")
    #expect(list.file?.badLines == 1)
  }

  @Test func wildcardsInFrontAreWarnedOfOnce() {
    let list = ReadList("a.example\n*.b.example\n.c.example\n")
    #expect(list.file?.wildcards == 2)
    #expect(
      list.problems == """
        l:2:1: warning: 2 entries begin with `*.` or `.`, which takes the host itself as well [list-wildcard]
          hint: remove it if that is meant: an entry takes everything below it anyway
        """)
  }

  @Test func publicSuffixesAreAskedForByTheirLabels() {
    let asked = Mutex<[String]>([])
    let checks = ListChecks { name in
      let text = name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      asked.withLock { $0.append(text) }
      return text == "co.uk"
    }
    let list = ReadList("a.b.c.example\na.b.example\nCO.UK\n10.0.0.1\n::1\n", checks: checks)
    #expect(asked.withLock { $0 } == ["a.b.example", "co.uk"])
    #expect(list.file?.publicSuffixes == 1)
    #expect(
      list.problems == """
        l:3:1: warning: `co.uk` is a public suffix, so the entry takes every site below it [public-suffix]
          hint: name the sites, if these are not all meant
        """)
  }

  @Test func manyPublicSuffixesAreSummedUp() {
    let text = (0..<1_500).map { "s\($0)\n" }.joined()
    let list = ReadList(text, checks: ListChecks { _ in true })
    #expect(list.file?.publicSuffixes == 1_500)
    #expect(list.problems.hasSuffix("l:21:1: warning: and 1,480 more public suffixes [public-suffix]"))
  }

  @Test func repeatsAreCountedInAnyOrder() {
    let text = "b.a.example\na.example\nb.a.example\nc.b.a.example\nexample.org\na.example\nx.y.example\n"
    let list = ReadList(text, checks: ListChecks(countsRepeats: true))
    #expect(list.file?.duplicates == 2)
    #expect(list.file?.covered == 2)
    #expect(list.hosts.count == 7)
    let uncounted = ReadList(text)
    #expect(uncounted.file?.duplicates == nil)
    #expect(uncounted.file?.covered == nil)
  }

  @Test func repeatsAgreeWithASetOfNames() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20 {
      let names = (0..<2_000).map { _ in
        (0..<Int.random(in: 1...4, using: &generator)).map { _ in
          ["a", "b", "c", "dd", "example"].randomElement(using: &generator) ?? ""
        }.joined(separator: ".")
      }
      let list = ReadList(names.joined(separator: "\n"), checks: ListChecks(countsRepeats: true))
      let distinct = Set(names)
      #expect(list.file?.duplicates == names.count - distinct.count)
      #expect(list.file?.covered == distinct.count { Self.parents(of: $0).contains(where: distinct.contains) })
    }
  }

  private static func parents(of name: String) -> [String] {
    let labels = name.split(separator: ".")
    return labels.indices.dropFirst().map { labels[$0...].joined(separator: ".") }
  }
}
