internal import GuardModel
package import PolicyFiles
package import URLRules
internal import URLStandard

/// A rule set while it is linted, with the answers that lints need again and again.
package final class LintedRules {
  package let tests: RuleSetTests
  /// The rules as they stand now, those that only monitor among them: they are to be enforced.
  package let ruleSet: RuleSet
  let time: Int64
  let suffixes: PublicSuffixes
  let asker: RuleAsker
  let witnesses: RuleWitness
  /// The rules that have not expired, as many as can be looked at in time.
  private(set) var inForce: [LintedRule] = []
  private let file: String

  /// Maximum work for all rules, in the measure of `RuleAsker.work`: some seconds.
  package static let maximumWork = 500_000_000
  /// Cost of comparing one name with others.
  private static let workOfName = 1_500

  package init(
    _ tests: RuleSetTests, at time: Int64, _ suffixes: PublicSuffixes, maximumWork: Int = LintedRules.maximumWork
  ) {
    self.tests = tests
    self.time = time
    self.suffixes = suffixes
    ruleSet = tests.ruleSet.at(time).enforced
    asker = RuleAsker(ruleSet)
    witnesses = RuleWitness(asker)
    file = tests.file
    var work = 0
    let missed = cost(of: RuleQuestion(url: "https://somebody-else.example/"))
    for (number, rule) in ruleSet.numbered {
      guard work + asker.work < maximumWork else {
        leftOut = ruleSet.rules.count - Int(number.place)
        break
      }
      guard ruleSet.holds(rule) else { continue }
      let linted = LintedRule(number: number, rule: rule, questions: witnesses.questions(answeredBy: rule))
      inForce.append(linted)
      work += 2 * missed + self.work(linted)
    }
  }

  /// Number of rules at the end that were left out, to save time.
  package private(set) var leftOut = 0

  /// Cost of asking the rule set.
  private func cost(of question: RuleQuestion) -> Int {
    let before = asker.work
    _ = asker.verdict(of: question)
    return asker.work - before
  }

  /// Cost of the lints for a rule: they ask the rule set a few times, and about each value of a list.
  private func work(_ linted: LintedRule) -> Int {
    let values = linted.rule.condition.conjuncts.map(\.alternatives.count).max() ?? 1
    let asks = 4 + 2 * min(values, ShadowSearch.maximumValues)
    return asks * (linted.questions.first.map(cost) ?? 0) + values * Self.workOfName
  }

  /// The rule set's answer to a question, shown beside a finding; nil when the text is no URL.
  func witness(_ question: RuleQuestion) -> Witness? {
    asker.verdict(of: question).map { Witness(question, isInternal: $0.verdict == .internal, rule: id($0.rule)) }
  }

  /// The witness, when it is internal.
  func internalWitness(_ question: RuleQuestion?) -> Witness? {
    question.flatMap(witness).flatMap { $0.isInternal ? $0 : nil }
  }

  func id(_ rule: RuleNumber?) -> String { rule.map { ruleSet[$0].id } ?? RuleTestStep.defaultRule }

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
  let number: RuleNumber
  let rule: Rule
  let questions: [RuleQuestion]

  var isInternal: Bool { rule.verdict == .internal }
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

extension RuleQuestion {
  /// The parts of the URL, when it is one of the web and is judged as itself.
  private var parts: WebParts? { WebParts(input.url) }

  /// The same question of the same page under another scheme, without a port of its own.
  package func with(scheme: String, port: UInt16? = nil) -> RuleQuestion? { editing(.scheme(scheme), .port(port)) }

  package func with(host: String) -> RuleQuestion? { editing(.host(host)) }

  package func with(path: String) -> RuleQuestion? { editing(.path(path)) }

  private func editing(_ edits: QuestionEdit...) -> RuleQuestion? {
    guard var parts else { return nil }
    for edit in edits { parts.make(edit) }
    var question = self
    question.url = parts.href
    return question
  }

  /// Host, path and query as rules see them; nil for a URL outside the web.
  package var webParts: (scheme: String, host: String, path: String, query: String)? {
    parts.map { ($0.scheme, $0.host, $0.path, $0.query) }
  }
}
