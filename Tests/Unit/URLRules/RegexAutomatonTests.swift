import GuardModel
import TestSupport
import Testing
import URLRules

/// An automaton says what PCRE2 says when it has no limit, and ends soon for every pattern and text.
@Suite struct RegexAutomatonTests {
  private func truth(_ pattern: String, _ text: String, steps: Int = 10_000_000) -> Ternary? {
    guard let automaton = RegexAutomaton(RegexShape(pattern)) else { return nil }
    var machine = RegexAutomatonMachine()
    var steps = steps
    return machine.run(automaton, Array(text.utf8).span, steps: &steps)
  }

  @Test(arguments: [
    ("", "", Ternary.yes), ("", "x", .yes), ("a", "", .no), ("abc", "xabcx", .yes), ("^abc", "xabc", .no),
    ("c$", "abc", .yes),
    ("^$", "", .yes), ("^$", "x", .no), ("(a|b)*c", "ababc", .yes), ("^(?:a|b)*$", "abcab", .no),
    ("a{2,3}b", "ab", .no),
    ("^a{2,3}b", "aaab", .yes), ("^a{2,3}b", "aaaab", .no), ("^a{3,}$", "aa", .no), ("^a{3,}$", "aaaaa", .yes),
    ("(a*)*b", "aaaa", .no), ("(a+)+$", "aaaa!", .no), ("(?:){3}x", "x", .yes), ("x{0}y", "y", .yes),
    ("^.?$", "ab", .no),
    ("\\bads\\b", "x/ads/y", .yes), ("\\bads\\b", "loads", .no), ("\\Bads", "loads", .yes), ("a\\b", "a", .yes),
    ("a(?=b)", "ab", .yes), ("a(?=b)", "ac", .no), ("a(?!b)", "ab", .no), ("a(?!b)", "a", .yes),
    ("(?<=a)b", "ab", .yes),
    ("(?<=a)b", "cb", .no), ("(?<!a)b", "b", .yes), ("(?<!a)b", "ab", .no), ("(?<=^|/)x", "a/x", .yes),
    ("^(?!.*evil).*x", "evil/x", .no), ("^(?=.*a)(?=.*b)", "xbxa", .yes), ("(?!(?=ab)a)a", "ab", .no),
    ("x(?=(?!b).$)", "xa", .yes), ("x(?=(?!b).$)", "xb", .no), ("(?=a|b)(?!b)[ab]$", "a", .yes),
    ("(?i)AbC", "xaBc", .yes),
  ])
  func finds(_ pattern: String, _ text: String, _ expected: Ternary) throws {
    #expect(truth(pattern, text) == expected)
    #expect(try #require(UnlimitedRegex(pattern)).matches(Array(text.utf8)) == expected)
  }

  @Test(arguments: [
    "(a)\\1", "a++b", "(?>a|ab)c", "(?R)?a", "a\\Kb", "(?|a|b)", "é", "[a-z]{4000}b", "((a{60}){60}){60}",
    "(a{1000}|b){1,60}",
  ])
  func thereIsNoneForWhatDependsOnTheOrderOfTrying(_ pattern: String) {
    #expect(RegexAutomaton(RegexShape(pattern)) == nil)
  }

  @Test(arguments: ["a\nb", "a\u{0}", "é", "a\u{7F}", "a\r"])
  func otherTextsThanURLsAreNotRead(_ text: String) { #expect(truth("a", text) == .unknown) }

  @Test func emptyRepetitionsAreNotCountedThrough() {
    let nested = String(repeating: "(", count: 90) + String(repeating: "){60000}", count: 90)
    let cost = Yardstick.cost { #expect(truth(nested, "x") == .yes) }
    #expect(cost < 1_000)
  }

  /// PCRE2 needs a number of steps that is exponential in the length for some of these.
  @Test(arguments: [
    "(a+)+$", "(a|a)*b$", "(a|aa)+$", "([^/.]+[/.])+!$", "(a|a|a?)+(a+)+[^/]b", "(.+)/(.+)/(.+)[.]js$", "[a-z]+[0-9]",
    "(?=(a+)+b)", "(?<!x)(a*)*c",
  ])
  func everyTextIsReadOnce(_ pattern: String) throws {
    let text = Array(("https://a.example/" + String(repeating: "a", count: 60_000) + "!").utf8)
    let automaton = try #require(RegexAutomaton(RegexShape(pattern)))
    var machine = RegexAutomatonMachine()
    var steps = 10_000_000
    #expect(machine.run(automaton, text.span, steps: &steps) == .no)
    #expect(steps > 10_000_000 - 60 * text.count)
  }

  @Test func tooFewStepsAreUnknown() {
    #expect(truth("(a|b|c)+$", "abcabcabc!", steps: 40) == .unknown)
    #expect(truth("(a|b|c)+$", "abcabcabc!", steps: 2_000) == .no)
  }

  @Test func agreesWithPCRE2() throws {
    var random = SeededGenerator()
    var machine = RegexAutomatonMachine()
    var (compared, found) = (0, 0)
    for _ in 0..<Effort.scaled(60_000) {
      let pattern = RandomPattern(&random)
      guard let automaton = RegexAutomaton(RegexShape(pattern.text)), let reference = UnlimitedRegex(pattern.text)
      else {
        continue
      }
      for _ in 0..<6 {
        let sample = pattern.sample(&random)
        let text = Array((random.oneIn(2) ? sample : Mutation.text(sample, &random)).utf8)
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { continue }
        var steps = 100_000_000
        let (ours, theirs) = (machine.run(automaton, text.span, steps: &steps), reference.matches(text))
        guard theirs != .unknown else { continue }
        let place = "`\(pattern.text)` in `\(String(decoding: text, as: UTF8.self))`"
        #expect(ours == theirs, "\(place); \(random.note)")
        compared += 1
        found += theirs == .yes ? 1 : 0
      }
    }
    #expect(
      compared > Effort.scaled(60_000) && found > compared / 5 && found < compared * 4 / 5, "\(found) of \(compared)")
  }
}
