import Foundation
import TestSupport
import Testing

/// Rule files made to do harm are refused with a message that names the place, or read, in bounded time and memory.
@Suite struct HostileFileTests {
  /// What each may take, seen by the built program as a whole: processor time in loops of the yardstick, each about a
  /// millisecond. A refusal takes ten of them, and 20 MiB.
  private enum Limit {
    static let refusalCost = 2_000.0
    static let refusalMebibytes = 96
    /// Four MiB of rules that are all read, at most 100,000; seen 900.
    static let readingCost = 10_000.0
    static let readingMebibytes = 512
    /// Ten thousand regular expressions; seen 600.
    static let regexesCost = 20_000.0
    static let regexesMebibytes = 512
    /// What one rule may cost a URL of 60,000 bytes, the start of the program with it; seen 10.
    static let askingCost = 2_000.0
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var files: [HostileFile]
    /// What is said, beside other things.
    var says: String

    init(_ name: String, _ files: [HostileFile], says: String) {
      testDescription = name
      self.files = files
      self.says = says
    }
  }

  private static let head = "ruleSet: s\ndefault: internal\nrules:\n"
  private static let main = "main.yaml"

  /// `count` rules, made of their numbers.
  private static func rules(_ count: Int, _ condition: @escaping @Sendable (Int) -> String) -> HostileFile {
    HostileFile(main) {
      head + (0..<count).map { "- { id: r\($0), external: { \(condition($0)) } }\n" }.joined()
    }
  }

  private static func withList(_ format: String, _ name: String, _ bytes: @escaping @Sendable () -> Data)
    -> [HostileFile]
  {
    [
      rules(1) { _ in "list: { file: \(name), format: \(format) }" }, HostileFile(name, bytes: bytes),
    ]
  }

  static let refused = [
    Case(
      "aliases",
      [
        HostileFile(main) {
          let names = Array("abcdefghij").map(String.init)
          return "a: &a [x, x]\n"
            + zip(names, names.dropFirst()).map { "\($1): &\($1) [*\($0), *\($0), *\($0)]\n" }.joined()
        }
      ], says: "main.yaml:1:4: error: anchor `&a`"),
    Case(
      "a hundred megabytes", [HostileFile(main, bytes: { Data(count: 100 << 20) })],
      says: "main.yaml:1:1: error: file has more than the 4194304 bytes allowed [file-too-large]"),
    Case(
      "deep lists", [HostileFile(main) { String(repeating: "[", count: 1_000_000) }],
      says: "main.yaml:1:33: error: nested more than 32 levels deep [too-deep]"),
    Case(
      "deep mappings", [HostileFile(main) { String(repeating: "{a: ", count: 500_000) }],
      says: "main.yaml:1:129: error: nested more than 32 levels deep [too-deep]"),
    Case(
      "deep block lists", [HostileFile(main) { head + String(repeating: "- ", count: 1_000_000) }],
      says: "main.yaml:4:63: error: nested more than 32 levels deep [too-deep]"),
    Case(
      "a regular expression that unfolds", [rules(1) { _ in "regex: '((a{1,1000}){1,1000}){1,1000}'" }],
      says: "main.yaml:4:"),
    Case(
      "a regular expression of groups", [rules(1) { _ in "regex: '\(String(repeating: "(", count: 16_000))'" }],
      says: "main.yaml:4:"),
    Case(
      "garbage as domains", withList("domains", "lists/g.txt") { garbage(20 << 20) },
      says: "lists/g.txt:1:1: error: "),
    Case(
      "garbage as a hosts file", withList("hosts", "lists/g.txt") { garbage(20 << 20) },
      says: "lists/g.txt:1:1: error: "),
    Case(
      "garbage as filters", withList("urlFilters", "lists/g.txt") { garbage(20 << 20) },
      says: "lists/g.txt:1:1: error: "),
    Case(
      "a list without end", withList("domains", "lists/l.gz") { Data(Gzip.zeros(300 << 20)) },
      says: "lists/l.gz:1:1: error: the text has more than the 268,435,456 bytes allowed [list-too-large]"),
    Case(
      "an empty list", withList("domains", "lists/e.txt") { Data("# nothing\n\n".utf8) },
      says: "lists/e.txt:1:1: error: the list has no entries [empty-list]"),
    Case(
      "a list of no bytes", withList("urlFilters", "lists/e.txt") { Data() },
      says: "lists/e.txt:1:1: error: the list has no entries [empty-list]"),
    Case(
      "an include cycle",
      [
        HostileFile(main) { head + "- include: other.yaml\n" },
        HostileFile("other.yaml") { "rules:\n- include: main.yaml\n" },
      ],
      says: "error: the file includes itself: `main.yaml` -> `other.yaml` -> `main.yaml` [include-cycle]"),
    Case(
      "includes that double",
      (0..<16).map { number in
        HostileFile(number == 0 ? main : "f\(number).yaml") {
          let next = "- include: f\(number + 1).yaml\n"
          return (number == 0 ? head : "rules:\n")
            + (number == 15 ? "- { id: x, external: { host: a.example } }" : next + next)
        }
      }, says: "error: a rule set with more than 1000 includes, with those of its includes [too-many-rules]"),
  ]

  @Test(arguments: refused) func isRefusedWithItsPlace(_ hostile: Case) throws {
    let run = try HostileRun(["check", Self.main], files: hostile.files)
    #expect(run.status == 2)
    #expect(run.output.contains(hostile.says), "\(run.output.prefix(600))")
    expect(run, cost: Limit.refusalCost, mebibytes: Limit.refusalMebibytes, hostile.testDescription)
  }

  @Test func oneIDAThousandfoldIsReadInTime() throws {
    let file = HostileFile(Self.main) {
      Self.head + String(repeating: "- { id: a, external: { host: a.example } }\n", count: 90_000)
    }
    let run = try HostileRun(["check", Self.main], files: [file])
    #expect(run.status == 2)
    #expect(run.output.contains("main.yaml:5:9: error: rule `a` is defined already at main.yaml:4:9 [defined-twice]"))
    expect(run, cost: Limit.readingCost, mebibytes: Limit.readingMebibytes, "one id")
  }

  @Test(arguments: [
    "regex: '^https?://[^/]+/[a-z]{2,NUMBER9}/xNUMBER[?&]q=(a|b)*'", "regex: '([a-z]+[0-9]*)+xNUMBER$'",
    "regex: '(?i)NUMBER(?=x)(a*)*b'", "pattern: 'https://*.xNUMBER.example/:a(\\d+)*/:b(foo|bar)?/*'",
  ])
  func tenThousandPatternsAreReadInTime(_ matcher: String) throws {
    let file = Self.rules(10_000) { number in
      matcher.replacing("NUMBER9", with: String(number % 9 + 3)).replacing("NUMBER", with: String(number))
    }
    let run = try HostileRun(["check", Self.main], files: [file])
    #expect(run.status == 0, "\(run.output.prefix(600))")
    #expect(run.output.contains("10000"))
    expect(run, cost: Limit.regexesCost, mebibytes: Limit.regexesMebibytes, matcher)
  }

  /// What a limit leaves unknown is no match of an internal rule, and one of an external rule.
  @Test func aRegularExpressionThatBacktracksIsBounded() throws {
    let file = HostileFile(Self.main) {
      #"""
      ruleSet: s
      default: internal
      rules:
        - { id: in, internal: { regex: '^https://a[.]example/(a|a|aa|a?)+(a+)+(a*)*\2$' } }
        - { id: out, external: { regex: '^https://a[.]example/(a|a|aa|a?)+(a+)+(a*)*\2$' } }
      """#
    }
    let url = "https://a.example/" + String(repeating: "a", count: 60_000) + "!"
    let run = try HostileRun(["classify", "--rules", Self.main, url], files: [file])
    #expect(run.output.hasPrefix("external\tout\t"))
    expect(run, cost: Limit.askingCost, mebibytes: Limit.refusalMebibytes, "a URL that backtracks")
  }

  private func expect(_ run: HostileRun, cost: Double, mebibytes: Int, _ name: String) {
    #expect(run.cost < cost, "\(name): \(run.cost) loops")
    #expect(run.mebibytes < mebibytes, "\(name): \(run.mebibytes) MiB")
  }

  /// Bytes by chance, and a newline now and then.
  private static func garbage(_ count: Int) -> Data {
    var random = SeededGenerator()
    var data = Data(capacity: count)
    while data.count < count { withUnsafeBytes(of: random.next()) { data.append(contentsOf: $0) } }
    return data
  }
}
