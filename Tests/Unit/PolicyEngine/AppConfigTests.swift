import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// The merge of app configuration and its getters, as the headers of the SDK describe them (ledger AC-03 to AC-08).
@Suite struct AppConfigTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var standard: AppConfigValue?
    let targeted: [AppConfigValue]
    var conflict = false
    var bool: [Bool?] = [nil, nil, nil]
    var number: [Double?] = [nil, nil, nil]
    var string: [String?] = [nil, nil, nil]
    var all = 0

    var testDescription: String { name }

    var values: AppConfigValues {
      let standard = standard.map { [AppConfigLayer(entry: "0", value: $0, isDefault: true)] } ?? []
      let targeted = targeted.enumerated().map { AppConfigLayer(entry: "t\($0.offset)", value: $0.element) }
      return AppConfigValues(standard + targeted)
    }
  }

  private static let cases = [
    Case(name: "nothing", targeted: []),
    Case(name: "only the default", standard: .bool(true), targeted: [], bool: [true, true, true], all: 1),
    Case(
      name: "one targeted and the default", standard: .number(9), targeted: [.number(1)], number: [1, 1, 1], all: 1),
    Case(
      name: "targeted ones that differ; the default is not the largest", standard: .number(9),
      targeted: [.number(3), .number(1)], conflict: true, number: [3, 1, 3], all: 2),
    Case(
      name: "identical ones", standard: .number(1), targeted: [.number(2), .number(2)], number: [2, 2, 2], all: 2),
    Case(
      name: "identical in any order but one", targeted: [.number(2), .number(2), .number(1)], conflict: true,
      number: [2, 1, 2], all: 3),
    Case(name: "booleans", targeted: [.bool(false), .bool(true)], conflict: true, bool: [false, true, false], all: 2),
    Case(name: "booleans, all true", targeted: [.bool(true), .bool(true)], bool: [true, true, true], all: 2),
    Case(
      name: "strings by their bytes, not as numbers and in no language's order",
      targeted: [.string("9"), .string("10"), .string("Z"), .string("a"), .string("é")], conflict: true,
      string: ["9", "10", "é"], all: 5),
    Case(
      name: "an astral character is greater than the last of the first plane",
      targeted: [.string("\u{1F600}"), .string("\u{FFFD}")], conflict: true,
      string: ["\u{1F600}", "\u{FFFD}", "\u{1F600}"], all: 2),
    Case(
      name: "letters that look alike and have other bytes", targeted: [.string("\u{E9}"), .string("e\u{301}")],
      conflict: true, string: ["\u{E9}", "e\u{301}", "\u{E9}"], all: 2),
    Case(
      name: "types differ", targeted: [.number(1), .string("1"), .bool(true)], conflict: true,
      bool: [true, true, true], number: [1, 1, 1], string: ["1", "1", "1"], all: 3),
    Case(
      name: "a default of another type stays away", standard: .bool(true), targeted: [.string("true")],
      string: ["true", "true", "true"], all: 1),
    Case(name: "an empty string is a value", targeted: [.string("")], string: ["", "", ""], all: 1),
    Case(
      name: "fractions", targeted: [.number(0.5), .number(-1.5)], conflict: true, number: [0.5, -1.5, 0.5], all: 2),
  ]

  @Test(arguments: cases)
  func gettersReadTheLayersThatCount(_ test: Case) {
    let values = test.values
    #expect(values.hasConflict == test.conflict)
    #expect(AppConfigValues.BoolChoice.allCases.map(values.bool) == test.bool)
    #expect(AppConfigValues.OrderedChoice.allCases.map(values.number) == test.number)
    let strings = AppConfigValues.OrderedChoice.allCases.map(values.string).map { $0.map { Array($0.utf8) } }
    #expect(strings == test.string.map { $0.map { Array($0.utf8) } })
    #expect(values.allBools.count + values.allNumbers.count + values.allStrings.count == test.all)
    #expect(values.layers.count == test.all)
  }

  // MARK: For whom an entry is

  private static func entry(_ name: String, _ targets: [AppConfigTarget], _ value: AppConfigValue) -> AppConfigEntry {
    var entry = AppConfigEntry(name: name, app: "portal")
    entry.targets = targets
    entry.values = [AppConfigEntry.Value(key: "k", value: value)]
    return entry
  }

  private static let directory = AppConfigDirectory([
    entry("z-default", [], .string("default")),
    entry("c-domain", [.accounts("*@contoso.com")], .string("domain")),
    entry("b-one", [.accounts("work@contoso.com")], .string("one")),
    entry("a-group", [.group(name: "sales", number: 7)], .string("group")),
    entry("0-nobody", [.group(name: "stuff", number: nil)], .string("nobody")),
  ])

  private typealias Reach = (names: [String], groups: Set<UInt32>, expected: [String])

  private static let reaches: [Reach] = [
    (["work@contoso.com"], [], ["b-one", "c-domain"]),
    (["other@contoso.com"], [], ["c-domain"]),
    (["work@contoso.com", "4711"], [7], ["a-group", "b-one", "c-domain"]),
    (["me@home.example"], [7, 8], ["a-group"]),
    (["me@home.example"], [8], ["z-default"]),
    (["work@evil-contoso.com"], [], ["z-default"]),
  ]

  @Test func entriesReachTheirAccountsInTheOrderOfTheirNames() {
    for (names, groups, expected) in Self.reaches {
      let merged = Self.directory.configuration(of: "portal", names: names, groups: groups)
      #expect(merged["k"].layers.map(\.entry) == expected, "\(names)")
      #expect(merged.keys == ["k"])
      #expect(merged["other"].layers == [])
      #expect(Self.directory.configuration(of: "another", names: names, groups: groups).keys == [])
    }
  }

  /// AC-11.
  @Test func scrubbedValuesAreNotShown() {
    let directory = AppConfigDirectory([], scrubKeys: ["token"])
    #expect(directory.shown(.string("s3cret"), of: "token") == "(scrubbed)")
    #expect(directory.shown(.number(0.5), of: "Token") == "0.5")
    #expect(directory.shown(.number(-12), of: "n") == "-12")
    #expect(directory.shown(.bool(false), of: "b") == "false")
  }

  /// The slow and obvious reading of AC-04 to AC-07, on random layers.
  @Test func theMergeAgreesWithThePlainWords() {
    var random = SeededGenerator()
    for _ in 0..<2_000 {
      let layers = (0..<Int.random(in: 0...5, using: &random)).map { number in
        AppConfigLayer(
          entry: String(number), value: .number(Double(Int.random(in: 0...2, using: &random))),
          isDefault: Int.random(in: 0...3, using: &random) == 0)
      }
      let values = AppConfigValues(layers)
      var counted = layers.filter { !$0.isDefault }.map { $0.value.number! }
      var differs = false
      for one in counted { for other in counted where one != other { differs = true } }
      if counted.isEmpty { counted = layers.map { $0.value.number! } }
      #expect(values.hasConflict == differs, "\(random.note)")
      #expect(values.allNumbers == counted)
      #expect(values.number(.any) == counted.first)
      #expect(values.number(.min) == counted.sorted().first)
      #expect(values.number(.max) == counted.sorted().last)
    }
  }
}
