import PolicyFiles
import Testing

/// Every kind of bad line, with what is said of it.
@Suite struct ListBadLineTests {
  struct Line: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let printed: String

    init(_ text: String, _ printed: String...) { self.init(Array(text.utf8), printed) }

    init(_ bytes: [UInt8], _ printed: [String]) {
      self.bytes = bytes
      self.printed = printed.joined(separator: "\n")
    }

    var testDescription: String { String(decoding: bytes, as: UTF8.self).debugDescription }
  }

  private static let useFilters = "  hint: write the host alone, or use `urlFilters`"
  private static let adBlock = "  hint: take the list as domains or as a hosts file"
  private static let long = String(repeating: "a", count: 64)

  @Test(arguments: [
    Line(
      "https://ads.example/x",
      "l:1:1: warning: `https://ads.example/x` is a URL, and a list of hosts takes host names [bad-list-line]",
      useFilters),
    Line(
      "  ads.example/x",
      "l:1:14: warning: `ads.example/x` has a path, and a list of hosts takes host names [bad-list-line]", useFilters),
    Line(
      "ads.example\\x",
      "l:1:12: warning: `ads.example\\x` has a path, and a list of hosts takes host names [bad-list-line]", useFilters),
    Line(
      "ads.example?x",
      "l:1:12: warning: `ads.example?x` has a path, and a list of hosts takes host names [bad-list-line]", useFilters),
    Line(
      "ads.example#x", "l:1:12: warning: `ads.example#x` has a `#` inside [bad-list-line]",
      "  hint: a comment has a blank before its `#`"),
    Line(
      "ads.example:443", "l:1:12: warning: `ads.example:443` has a port, and entries take every port [bad-list-line]",
      "  hint: write `ads.example`"),
    Line(
      "[::1]:443", "l:1:6: warning: `[::1]:443` has a port, and entries take every port [bad-list-line]",
      "  hint: write `[::1]`"),
    Line(
      "me@ads.example", "l:1:3: warning: `me@ads.example` has a user name [bad-list-line]",
      "  hint: leave out everything up to `@`"),
    Line(
      "ads.*.example", "l:1:5: warning: `ads.*.example` has a wildcard inside [bad-list-line]",
      "  hint: an entry takes everything below it; only `*.` in front is allowed"),
    Line(
      "*", "l:1:1: warning: `*` has a wildcard inside [bad-list-line]",
      "  hint: an entry takes everything below it; only `*.` in front is allowed"),
    Line(
      "*ads.example", "l:1:1: warning: `*ads.example` has a wildcard inside [bad-list-line]",
      "  hint: an entry takes everything below it; only `*.` in front is allowed"),
    Line(
      "ads%2eexample", "l:1:4: warning: `ads%2eexample` has an encoded character [bad-list-line]",
      "  hint: write the character itself"),
    Line(
      "a.example,b.example", "l:1:10: warning: `a.example,b.example` has a separator [bad-list-line]",
      "  hint: write one host a line"),
    Line(
      "||ads.example^", "l:1:1: warning: `||ads.example^` is a rule of an ad blocker and no host name [bad-list-line]",
      adBlock),
    Line(
      "@@ads.example", "l:1:1: warning: `@@ads.example` is a rule of an ad blocker and no host name [bad-list-line]",
      adBlock),
    Line(
      "ads.example##.banner",
      "l:1:1: warning: `ads.example##.banner` is a rule of an ad blocker and no host name [bad-list-line]", adBlock),
    Line(
      "10.0.0.0/8", "l:1:1: warning: `10.0.0.0/8` is a network and no host name [bad-list-line]",
      "  hint: put networks under `cidr` in a rule"),
    Line(
      "2001:db8::/32", "l:1:1: warning: `2001:db8::/32` is a network and no host name [bad-list-line]",
      "  hint: put networks under `cidr` in a rule"),
    Line(
      "10.1", "l:1:1: warning: `10.1` is not an IPv4 address in its usual form [bad-list-line]",
      "  hint: if an address is meant, write `10.0.0.1`"),
    Line(
      "12345", "l:1:1: warning: `12345` is not an IPv4 address in its usual form [bad-list-line]",
      "  hint: if an address is meant, write `0.0.48.57`"),
    Line(
      "*.10.0.0.1", "l:1:1: warning: `*.10.0.0.1`: nothing is below an address [bad-list-line]",
      "  hint: write `10.0.0.1`"),
    Line(
      "1.2.3.4.5", "l:1:1: warning: `1.2.3.4.5` is not a host name [bad-list-line]",
      "  hint: a name that ends in a number is an IPv4 address"),
    Line("1:2:3", "l:1:1: warning: `1:2:3` is not a host name [bad-list-line]"),
    Line(
      "0.0.0.0 ads.example", "l:1:1: warning: a line of a hosts file in a list of domains [bad-list-line]",
      "  hint: write `format: hosts`"),
    Line(
      "ads.example trk.example", "l:1:13: warning: more than one word [bad-list-line]",
      "  hint: write one host a line; a comment begins with `#`"),
    Line("a..b.example", "l:1:3: warning: `a..b.example` has an empty label [bad-list-line]"),
    Line("ads.example..", "l:1:13: warning: `ads.example..` has an empty label [bad-list-line]"),
    Line("..ads.example", "l:1:2: warning: `..ads.example` has an empty label [bad-list-line]"),
    Line("\u{FC}..example", "l:1:3: warning: `\u{FC}..example` has an empty label [bad-list-line]"),
    Line(".", "l:1:1: warning: `.` is not a host name [bad-list-line]"),
    Line("*.", "l:1:1: warning: `*.` is not a host name [bad-list-line]"),
    Line("\"ads.example\"", "l:1:1: warning: `\"ads.example\"` is not a host name [bad-list-line]"),
    Line("[Adblock]", "l:1:1: warning: `[Adblock]` is not a host name [bad-list-line]"),
    Line("\u{FF0F}.example", "l:1:1: warning: `\u{FF0F}.example` is not a host name [bad-list-line]"),
    Line(
      "x." + long,
      "l:1:3: warning: a label of `x.\(String(repeating: "a", count: 58))...` has more than 63 bytes"
        + " [bad-list-line]"),
    Line(
      String(repeating: "abcdefg.", count: 32) + "example",
      "l:1:1: warning: `\(String(repeating: "abcdefg.", count: 7))abcd...` has more than 253 bytes [bad-list-line]"),
    Line(
      "\u{FC}" + String(repeating: "a", count: 1_011),
      "l:1:1: warning: the name has more than 1012 bytes [bad-list-line]"),
    Line(
      String(repeating: "a.", count: 4_097), "l:1:1: warning: the line has more than 8,192 bytes [bad-list-line]"),
    Line(
      "ads\0.example", "l:1:4: warning: the line has a NUL byte [bad-list-line]",
      "  hint: a list is a text, one entry a line"),
    Line(
      "\u{FC}\u{1B}[1m", "l:1:2: warning: the line has the control character U+001B [bad-list-line]",
      "  hint: a list is a text, one entry a line"),
    Line(
      "ads.example\r\r", "l:1:12: warning: the line has the control character U+000D [bad-list-line]",
      "  hint: a list is a text, one entry a line"),
    Line(
      "ads.\u{7F}example", "l:1:5: warning: the line has the control character U+007F [bad-list-line]",
      "  hint: a list is a text, one entry a line"),
    Line(
      Array("b\u{FC}".utf8) + [0xFC] + Array("cher".utf8),
      [
        "l:1:3: warning: the line is not UTF-8 [bad-list-line]", "  hint: save the file as UTF-8",
      ]),
  ])
  func badLineOfDomains(_ line: Line) {
    let list = ReadList(badLine: line.bytes, .domains)
    #expect(list.problems == line.printed)
    #expect(list.hosts.count == 99)
    #expect(list.file?.badLines == 1)
  }

  @Test(arguments: [
    Line(
      "ads.example",
      "l:1:1: warning: `ads.example` is no address, and lines of a hosts file begin with one [bad-list-line]",
      "  hint: for a list of names alone write `format: domains`"),
    Line(
      "10.1 ads.example",
      "l:1:1: warning: `10.1` is no address, and lines of a hosts file begin with one [bad-list-line]",
      "  hint: for a list of names alone write `format: domains`"),
    Line("0.0.0.0  # nothing", "l:1:1: warning: no name stands behind the address [bad-list-line]"),
    Line("0.0.0.0", "l:1:1: warning: no name stands behind the address [bad-list-line]"),
    Line("0.0.0.0 10.0.0.1", "l:1:9: warning: `10.0.0.1` is no name that a hosts file can have [bad-list-line]"),
    Line("0.0.0.0 *.example", "l:1:9: warning: `*.example` is no name that a hosts file can have [bad-list-line]"),
    Line(
      "0.0.0.0 http://ads.example/",
      "l:1:9: warning: `http://ads.example/` is a URL, and a list of hosts takes host names [bad-list-line]",
      useFilters),
  ])
  func badLineOfAHostsFile(_ line: Line) {
    let list = ReadList(badLine: line.bytes, .hosts)
    #expect(list.problems == line.printed)
    #expect(list.hosts.count == 99)
  }

  @Test func brokenCommentsAreComments() {
    let list = ReadList(Array("# caf".utf8) + [0xE9, 0, 0x0A] + Array("a.example # caf".utf8) + [0xE9])
    #expect(list.hosts == ["a.example"])
    #expect(list.problems.isEmpty)
    let long = ReadList("#" + String(repeating: "-", count: 20_000) + "\na.example")
    #expect(long.file?.badLines == 0)
  }

  @Test func oneBadLineInAHundredIsTheMost() {
    let good = (0..<198).map { "n\($0).example\n" }.joined()
    let warned = ReadList("a..b\nc..d\n" + good)
    #expect(warned.file?.badLines == 2)
    #expect(warned.problems.contains("warning"))
    let refused = ReadList("a..b\nc..d\n" + good.dropLast("n197.example\n".count))
    #expect(refused.file == nil)
    #expect(
      refused.problems == """
        l:1:1: error: 2 of 199 lines are bad, more than one in a hundred [too-many-bad-lines]
          hint: repair the lines, or remove them; nothing of the list is used
        l:1:3: error: `a..b` has an empty label [bad-list-line]
        l:2:3: error: `c..d` has an empty label [bad-list-line]
        """)
  }

  @Test func manyBadLinesAreSummedUp() {
    let list = ReadList("a.example\n" + String(repeating: "\na..b", count: 1_254))
    let lines = list.problems.split(separator: "\n")
    #expect(list.file == nil)
    #expect(lines.count == 23)
    #expect(lines.first?.hasPrefix("l:1:1: error: 1,254 of 1,255 lines are bad, more than one in a hundred") == true)
    #expect(lines[21] == "l:22:3: error: `a..b` has an empty label [bad-list-line]")
    #expect(lines.last == "l:23:1: error: and 1,234 more bad lines [bad-list-line]")
  }

  @Test(arguments: [
    ("", ListFormat.domains), ("# nothing\n\n! here\n", .domains), ("\u{FEFF}\r\n", .domains), ("#\n", .hosts),
  ])
  func emptyListIsAnError(_ text: String, _ format: ListFormat) {
    let list = ReadList(text, format)
    #expect(list.file == nil)
    #expect(
      list.problems == """
        l:1:1: error: the list has no entries [empty-list]
          hint: was it downloaded whole? a rule that is not needed is better removed
        """)
  }

  @Test func hostsFileOfTheMachineAloneIsEmpty() {
    #expect(
      ReadList("127.0.0.1 localhost\n", .hosts).problems == """
        l:1:1: error: the list names nothing but this machine [empty-list]
          hint: was it downloaded whole? a rule that is not needed is better removed
        """)
  }
}
