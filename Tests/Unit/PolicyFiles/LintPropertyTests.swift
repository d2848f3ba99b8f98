import GuardModel
import PolicyFiles
internal import PolicyTools
import TestSupport
import Testing
import URLRules

/// What must hold of every finding, on rule sets that nobody thought up.
@Suite struct LintPropertyTests {
  private static let time: Int64 = 150
  private static let suffixes = PublicSuffixes()

  private struct Sample {
    let ruleSet: RuleSet
    let findings: [Diagnostic]

    init(_ rules: RandomRules, _ random: inout SeededGenerator) {
      let ruleSet = rules.ruleSet(&random)
      let linted = LintedRules(
        RuleSetTests(ruleSet: ruleSet, tests: [], file: "r.yaml"), at: LintPropertyTests.time,
        LintPropertyTests.suffixes)
      self.ruleSet = ruleSet.at(LintPropertyTests.time)
      findings = Lint.findings(in: linted).sorted
    }
  }

  @Test func everyWitnessIsWhatTheRuleSetSays() throws {
    var random = SeededGenerator()
    let rules = try RandomRules()
    var count = 0
    for _ in 0..<Effort.scaled(4_000) {
      let sample = Sample(rules, &random)
      for witness in sample.findings.compactMap(\.witness) {
        count += 1
        let answer = witness.question.ask(witness.at.map(sample.ruleSet.at) ?? sample.ruleSet).verdict
        let rule = answer?.rule.map { sample.ruleSet[$0].id } ?? "default"
        #expect(answer?.verdict == (witness.isInternal ? .internal : .external), "\(witness), \(random.note)")
        #expect(rule == witness.rule, "\(witness), \(random.note)")
      }
    }
    #expect(count > Effort.scaled(2_000))
  }

  /// No rule that is said to be of no use answers anything: each is asked 10,000 questions.
  @Test func whatNeverAnswersDoesNot() throws {
    var random = SeededGenerator()
    let rules = try RandomRules()
    let runner = RegexRunner()
    var questions: [AskedQuestion] = []
    var claims = 0
    for number in 0..<Effort.scaled(3_000) {
      let sample = Sample(rules, &random)
      let useless = sample.findings.filter { [.shadowedRule, .impossibleRule].contains($0.code) }
      // Reading a URL takes longer than asking about it.
      if number.isMultiple(of: 150) { questions = (0..<10_000).map { _ in AskedQuestion(&random) } }
      claims += useless.count
      if !useless.isEmpty { Self.ask(sample, useless, questions, runner, random.note) }
    }
    #expect(claims > Effort.scaled(300))
  }

  private struct AskedQuestion {
    let question: RuleQuestion
    let input: MatchInput

    init(_ random: inout SeededGenerator) {
      let urls = RandomURLs()
      question = RuleQuestion(
        url: urls.text(&random), document: random.oneIn(2) ? urls.web(&random) : nil,
        from: random.oneIn(2) ? urls.text(&random) : nil, hop: random.one(of: [true, false], orNilOneIn: 3),
        purpose: random.one(of: [.page, .page, .frame, .resource, .download]))
      input = question.input
    }
  }

  private static func ask(
    _ sample: Sample, _ useless: [Diagnostic], _ questions: [AskedQuestion], _ runner: RegexRunner, _ note: String
  ) {
    let claims = sample.ruleSet.rules.map { rule in useless.filter { $0.message.hasPrefix("`\(rule.id)` ") } }
    for asked in questions where asked.input.url.kind != .invalid {
      runner.beginDecision(subjectBytes: asked.input.subjectBytes)
      guard let rule = sample.ruleSet.verdict(on: asked.input, runner).rule else { continue }
      for finding in claims[Int(rule.place)] {
        // What is said of an exception under an internal rule leaves out URLs with a user name, or of a page with one.
        let question = asked.question
        let isExcepted =
          finding.message.contains("but for URLs") && (question.url + (question.from ?? "")).contains("@")
        #expect(isExcepted, "\(finding.message), \(question), \(note)")
      }
    }
  }

  /// Rules that are asked for every URL would take the square of their number.
  @Test func slowRuleSetsAreLintedInPart() {
    let rules = (1...4_000).map { Rule(id: "r\($0)", verdict: .external, condition: .port(UInt16($0))) }
    let linted = Self.linted(rules, maximumWork: 10_000_000)
    #expect((2_000..<3_900).contains(linted.leftOut))
    let said = Lint.findings(in: linted).sorted.filter { $0.code == .notLinted }.map(\.message)
    #expect(said == ["the last \(linted.leftOut) rules of `slow` were not looked at"])
    #expect(Self.linted(rules).leftOut == 0)
  }

  /// Patterns that are built to backtrack make every question slow, however few they are.
  @Test func rulesThatBacktrackAreLintedInPart() throws {
    let regex = try Regex(#"^[^#]*(a+)+[0-9]+x(.)\2$"#)
    let path = String(repeating: "a", count: 30)
    let rules = (0..<4_000).map { number in
      let url = Condition.url(Array("https://a.example/\(path)\(number)".utf8))
      return Rule(id: "r\(number)", verdict: .internal, condition: number < 20 ? .regex(regex) : url)
    }
    #expect((3_000..<3_980).contains(Self.linted(rules, maximumWork: 100_000_000).leftOut))
    #expect(Self.linted(Array(rules[20...]), maximumWork: 100_000_000).leftOut == 0)
  }

  private static func linted(_ rules: [Rule], maximumWork: Int = LintedRules.maximumWork) -> LintedRules {
    let ruleSet = RuleSet(name: "slow", default: .external, rules: rules)
    return LintedRules(
      RuleSetTests(ruleSet: ruleSet, tests: [], file: "r.yaml"), at: time, suffixes, maximumWork: maximumWork)
  }

  /// Ten times the rules take about ten times as long: nothing compares every rule with every other.
  @Test func manyRulesAreLintedInTime() throws {
    func cost(_ count: Int) -> Double {
      let rules = (0..<count).map { number in
        Rule(
          id: "r\(number)", verdict: number.isMultiple(of: 2) ? .internal : .external,
          condition: .all([.domain(Array("site\(number).example".utf8)), .scheme(Array("https".utf8))]))
      }
      let tests = RuleSetTests(
        ruleSet: RuleSet(name: "many", default: .external, rules: rules), tests: [], file: "r.yaml")
      return Yardstick.cost(runs: 1) { _ = Lint.findings(in: LintedRules(tests, at: Self.time, Self.suffixes)) }
    }
    let few = cost(Effort.scaled(10_000))
    let many = cost(Effort.scaled(100_000))
    #expect(many < few * 30, "\(few) and \(many)")
  }
}
