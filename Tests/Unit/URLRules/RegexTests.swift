import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// Regular expressions within limits: too much work is unknown, never no.
struct RegexTests {
  private let endlessSubject = "https://x.example/" + String(repeating: "a", count: 40) + "!"

  private func rule(_ verdict: Verdict, _ pattern: String) throws -> RuleSet {
    let rule = Rule(id: "r", verdict: verdict, condition: .regex(try Regex(pattern)))
    return RuleSet(name: "rules", default: verdict == .internal ? .external : .internal, rules: [rule])
  }

  @Test
  func catastrophicPatternsAreUnknown() throws {
    let input = MatchInput(endlessSubject)
    #expect(input.truth(of: .regex(try Regex(#"(a+)+\1$"#))) == .unknown)
    #expect(input.truth(of: .not(.regex(try Regex(#"(a+)+\1$"#)))) == .unknown)
    #expect(try rule(.external, #"(a+)+\1$"#).verdict(on: input).rule == 0)
    #expect(try rule(.internal, #"(a+)+\1$"#).verdict(on: input).rule == nil)
    #expect(try rule(.internal, #"(a+)+\1$"#).verdict(on: input).verdict == .external)
  }

  /// An automaton has nothing to go back to.
  @Test
  func catastrophicPatternsThatAreUnderstoodAreDecided() throws {
    let pattern = "^https://x[.]example/(a+)+$"
    #expect(MatchInput(endlessSubject).truth(of: .regex(try Regex(pattern))) == .no)
    #expect(MatchInput("https://x.example/aaa").truth(of: .regex(try Regex(pattern))) == .yes)
    #expect(MatchInput("https://x.example/").truth(of: .regex(try Regex(pattern))) == .no)
  }

  @Test(arguments: [100, 1_000, 18_000, 65_000], ["", #"\1"#])
  func theLimitBoundsTheTimeAtEveryLength(_ length: Int, _ end: String) throws {
    let input = MatchInput("https://x.example/" + String(repeating: "a", count: length - 20) + "!")
    #expect(input.url.kind == .url)
    let regexes = try (0..<300).map { try Regex("(a+|b\($0)|a)+\(end)$") }
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: input.url.judged.bytes.count)
    var (unknown, found) = (0, 0)
    let cost = Yardstick.cost(runs: 1) {
      for regex in regexes {
        let truth = regex.matches(input.url.judged.bytes.span, runner)
        unknown += truth == .unknown ? 1 : 0
        found += truth == .yes ? 1 : 0
      }
    }
    #expect(found == 0)
    #expect(end.isEmpty && length < 2_000 ? unknown == 0 : end.isEmpty || unknown == 300)
    #expect(cost < 5_000)
  }

  /// PCRE2 counts nothing for a run of letters that it never goes back in; each of these took 0.2 to 2.5 s.
  @Test(arguments: [
    ("[a-z]+[0-9]", 65_000, Ternary.no), ("[a-z]+?[0-9]{3}$", 65_000, .no), ("(?:[a-z]+9)?[a-z]+8", 65_000, .no),
    ("[a-z]+[a-z_]+9", 1_000, .no), ("9|[a-z]++[0-9]", 65_000, .unknown),
  ])
  func runsThatAreNotCountedAreBounded(_ pattern: String, _ length: Int, _ expected: Ternary) throws {
    let input = MatchInput("https://x.example/" + String(repeating: "a", count: length - 20) + "!")
    let regex = try Regex(pattern)
    let runner = RegexRunner()
    let cost = Yardstick.cost {
      for _ in 0..<20 {
        runner.beginDecision(subjectBytes: input.subjectBytes)
        #expect(regex.matches(input.url.judged.bytes.span, runner) == expected)
      }
    }
    #expect(cost < 2_000)
  }

  /// Long URLs that nobody made to be slow are still judged by what usual patterns say.
  @Test(arguments: [
    ("[^/]+[.]exe$", Ternary.no, 900), ("[a-z]+[.]example/.*state=[0-9]+", .yes, 900), ("[^/]+evil[^/]*x", .no, 900),
    ("[?&]redirect=https?://[^/]*evil", .no, 4_000), ("/[a-z]+[?]", .yes, 4_000), ("[^/]+/download", .no, 4_000),
    ("(?:evil|bad)[.][a-z]+/", .no, 4_000), ("\\w+=evil", .no, 4_000), ("[0-9]+[.][0-9]+[.][0-9]+", .no, 4_000),
    ("(?i)/TOKEN[?]", .no, 4_000), ("\\w+=evil", .no, 7_000),
  ])
  func longHarmlessURLsAreNotUnknown(_ pattern: String, _ expected: Ternary, _ length: Int) throws {
    let letters = Array("abcDEF0123_-")
    let token = String((0..<length).map { letters[$0 * $0 % 12] })
    let input = MatchInput("https://login.example/authorize?client=a1&state=77&token=\(token)")
    #expect(input.truth(of: .regex(try Regex(pattern))) == expected)
  }

  @Test
  func theBudgetOfADecisionEndsInUnknownNotInNo() throws {
    let input = MatchInput(endlessSubject)
    let subject = input.url.judged.bytes
    let runner = RegexRunner()
    let never = try Regex("z[yz]z")
    let endless = try Regex(#"(a+)+\1$"#)
    runner.beginDecision(subjectBytes: subject.count)
    #expect(never.matches(subject.span, runner) == .no)
    for _ in 0..<RegexRunner.limitsPerDecision { #expect(endless.matches(subject.span, runner) == .unknown) }
    #expect(never.matches(subject.span, runner) == .unknown)
    runner.beginDecision(subjectBytes: subject.count)
    #expect(never.matches(subject.span, runner) == .no)
  }

  @Test
  func aRunnerWithoutABudgetKnowsNothing() throws {
    let subject = Array("https://x.example/".utf8)
    #expect(try Regex("x").matches(subject.span, RegexRunner()) == .unknown)
  }

  @Test
  func rulesBehindASpentBudgetStillAnswerSafely() throws {
    var rules = try (0..<70).map {
      Rule(id: "slow\($0)", verdict: .internal, condition: .regex(try Regex("(a+|\($0))+\\1$")))
    }
    rules.append(Rule(id: "harmless", verdict: .external, condition: .regex(try Regex("[xyz]{3}"))))
    let verdict = RuleSet(name: "rules", default: .internal, rules: rules).verdict(on: MatchInput(endlessSubject))
    #expect(verdict.rule == 70)
    #expect(verdict.verdict == .external)
  }

  @Test(arguments: [("(", 1), ("a{2,1}", 5), ("[z-a]", 3), ("(?<n>a)(?<n>b)", 12), ("(?<=a+)b", 0), ("\\N{x}", 2)])
  func wrongPatternsAreRefusedWithAPlace(_ pattern: String, _ offset: Int) {
    #expect {
      try Regex(pattern)
    } throws: { error in
      let error = error as? RegexError
      return error?.offset == offset && error?.description.isEmpty == false
    }
  }
}
