import GuardModel
import PolicyFiles
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

    init(_ rules: RandomRules, _ random: inout TestSupport.SeededGenerator) {
      let ruleSet = rules.ruleSet(&random)
      let linted = LintedRules(
        RuleSetTests(ruleSet: ruleSet, tests: [], file: "r.yaml"), at: LintPropertyTests.time,
        LintPropertyTests.suffixes)
      self.ruleSet = ruleSet.at(LintPropertyTests.time)
      findings = Lint.findings(in: linted).sorted
    }
  }

  @Test func everyWitnessIsWhatTheRuleSetSays() throws {
    var random = TestSupport.SeededGenerator()
    let rules = try RandomRules()
    var count = 0
    for _ in 0..<Effort.scaled(4_000) {
      let sample = Sample(rules, &random)
      for witness in sample.findings.compactMap(\.witness) {
        count += 1
        let answer = witness.question.ask(witness.at.map(sample.ruleSet.at) ?? sample.ruleSet).verdict
        let rule = answer?.rule.map { sample.ruleSet.rules[Int($0)].id } ?? "default"
        #expect(answer?.verdict == (witness.isInternal ? .internal : .external), "\(witness), \(random.note)")
        #expect(rule == witness.rule, "\(witness), \(random.note)")
      }
    }
    #expect(count > Effort.scaled(2_000))
  }

  /// No rule that is said to be of no use answers anything.
  @Test func whatNeverAnswersDoesNot() throws {
    var random = TestSupport.SeededGenerator()
    let rules = try RandomRules()
    var claims = 0
    for _ in 0..<Effort.scaled(3_000) {
      let sample = Sample(rules, &random)
      let useless = sample.findings.filter { [.shadowedRule, .impossibleRule].contains($0.code) }
      guard !useless.isEmpty else { continue }
      claims += useless.count
      for _ in 0..<500 { Self.ask(sample, useless, &random) }
    }
    #expect(claims > Effort.scaled(300))
  }

  private static func ask(_ sample: Sample, _ useless: [Diagnostic], _ random: inout TestSupport.SeededGenerator) {
    let urls = RandomURLs()
    let question = RuleQuestion(
      url: urls.text(&random), document: random.oneIn(2) ? urls.web(&random) : nil,
      from: random.oneIn(2) ? urls.text(&random) : nil, hop: random.one(of: [true, false], orNilOneIn: 3),
      purpose: random.one(of: [.page, .page, .frame, .resource, .download]))
    guard let rule = question.ask(sample.ruleSet).verdict?.rule else { return }
    let id = sample.ruleSet.rules[Int(rule)].id
    for finding in useless where finding.message.hasPrefix("`\(id)` ") {
      // What is said of an exception under an internal rule leaves out URLs with a user name, or of a page with one.
      let isExcepted = finding.message.contains("but for URLs") && (question.url + (question.from ?? "")).contains("@")
      #expect(isExcepted, "\(finding.message), \(question), \(random.note)")
    }
  }

  /// Rules that are asked for every URL would take the square of their number.
  @Test func slowRuleSetsAreLintedInPart() {
    let rules = (1...4_000).map { Rule(id: "r\($0)", verdict: .external, condition: .port(UInt16($0))) }
    let ruleSet = RuleSet(name: "slow", default: .external, rules: rules)
    let tests = RuleSetTests(ruleSet: ruleSet, tests: [], file: "r.yaml")
    #expect(LintedRules(tests, at: Self.time, Self.suffixes).leftOut == 2_001)
  }

  /// Ten times the rules take about ten times as long: nothing compares every rule with every other.
  @Test func manyRulesAreLintedInTime() throws {
    func work(_ count: Int) -> Duration {
      let rules = (0..<count).map { number in
        Rule(
          id: "r\(number)", verdict: number.isMultiple(of: 2) ? .internal : .external,
          condition: .all([.domain(Array("site\(number).example".utf8)), .scheme(Array("https".utf8))]))
      }
      let tests = RuleSetTests(
        ruleSet: RuleSet(name: "many", default: .external, rules: rules), tests: [], file: "r.yaml")
      return ContinuousClock().measure { _ = Lint.findings(in: LintedRules(tests, at: Self.time, Self.suffixes)) }
    }
    let few = work(Effort.scaled(10_000))
    let many = work(Effort.scaled(100_000))
    #expect(many < few * 30, "\(few) and \(many)")
  }
}
