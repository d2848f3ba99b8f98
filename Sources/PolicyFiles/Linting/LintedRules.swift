internal import GuardModel
package import URLRules

/// A rule set while it is linted, with what lints ask of it again and again.
package final class LintedRules {
  package let tests: RuleSetTests
  /// The rules as they stand now.
  package let ruleSet: RuleSet
  let time: Int64
  let suffixes: PublicSuffixes
  let asker: RuleAsker
  let witnesses: RuleWitness
  /// The rules that have not expired, as many as can be looked at in time.
  private(set) var inForce: [LintedRule] = []
  private let file: String

  /// How often rules that are looked at for every URL may be asked in all, when each rule is tried a few times.
  private static let maximumWork = 8_000_000

  package init(_ tests: RuleSetTests, at time: Int64, _ suffixes: PublicSuffixes) {
    self.tests = tests
    self.time = time
    self.suffixes = suffixes
    ruleSet = tests.ruleSet.at(time)
    asker = RuleAsker(ruleSet)
    witnesses = RuleWitness(asker)
    file = tests.file
    let most = Self.maximumWork / (1 + ruleSet.residualCount)
    leftOut = max(0, ruleSet.rules.count - most)
    for (number, rule) in ruleSet.rules.enumerated().prefix(most) where ruleSet.holds(rule) {
      inForce.append(LintedRule(number: number, rule: rule, questions: witnesses.questions(answeredBy: rule)))
    }
  }

  /// How many rules at the end were not looked at, since too many have to be asked for every URL.
  package private(set) var leftOut = 0

  /// What the rule set says of a question, to stand beside a finding; nil when the text is no URL.
  func witness(_ question: RuleQuestion) -> Witness? {
    asker.verdict(of: question).map { Witness(question, isInternal: $0.verdict == .internal, rule: id($0.rule)) }
  }

  /// The witness, when it is internal.
  func internalWitness(_ question: RuleQuestion?) -> Witness? {
    question.flatMap(witness).flatMap { $0.isInternal ? $0 : nil }
  }

  func id(_ rule: Int32?) -> String { rule.map { ruleSet.rules[Int($0)].id } ?? RuleTestStep.defaultRule }

  func place(of rule: Rule) -> SourceLocation { SourceLocation(printed: rule.location) ?? wholeFile }

  var wholeFile: SourceLocation { SourceLocation(file: file) }

  /// A warning at a rule.
  func finding(
    _ code: Diagnostic.Code, _ linted: LintedRule, _ message: String, hint: String, _ witness: Witness?
  ) -> Diagnostic {
    Diagnostic(
      .warning, code, at: place(of: linted.rule), "\(linted.rule.id.quoted) \(message)", hint: hint, witness: witness)
  }
}

/// A rule with questions that it certainly answers, were it alone.
struct LintedRule {
  let number: Int
  let rule: Rule
  let questions: [RuleQuestion]

  var isInternal: Bool { rule.verdict == .internal }
  var isPlain: Bool { rule.then == .none && rule.message == nil }
}

extension SourceLocation {
  /// Reads `file:line:column` back.
  init?(printed text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count >= 3, let column = Int(parts[parts.count - 1]), let line = Int(parts[parts.count - 2]) else {
      return nil
    }
    self.init(file: parts.dropLast(2).joined(separator: ":"), line: line, column: column)
  }
}
