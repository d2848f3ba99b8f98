package import GuardModel
package import URLRules
internal import URLStandard

/// Finds questions that a rule answers: a URL, and how it was reached where the rule asks for that.
///
///     rule `sso`: internal: { host: login.example, from: { domain: contoso.com } }
///     RuleWitness(asker).question(decidedBy: 0)    // https://login.example/ from https://contoso.com/
///
/// Every question was asked. A search without a result proves nothing: the search is bounded, and guesses the texts of
/// a regular expression.
package final class RuleWitness {
  private let asker: RuleAsker
  private lazy var drafter = WitnessDrafter(examples: asker.ruleSet.lists.examples)
  /// Conditions behind `not` in the rules, in their order: places where such a rule does not match.
  private lazy var gaps = asker.ruleSet.numbered.flatMap { number, rule in
    rule.condition.gaps.map { (rule: number, condition: $0) }
  }

  /// Maximum gaps before a rule that are tried.
  private static let maximumGaps = 8

  package init(_ asker: RuleAsker) { self.asker = asker }

  /// A question that the rule decides in its rule set; nil stands for the default.
  package func question(decidedBy rule: RuleNumber?) -> RuleQuestion? {
    guard let rule else {
      return search(.all([]), .page, gaps(upTo: nil), .forTest) { decider(of: $0) == .some(nil) }.first
    }
    guard let wanted = self.rule(rule) else { return nil }
    let found = search(wanted.condition, wanted.purposes, gaps(upTo: rule), .forTest) { question in
      decider(of: question) == .some(rule)
    }
    return found.first
  }

  /// The same with one of the values of a list in the rule holding.
  package func question(decidedBy rule: RuleNumber, using value: RuleValue) -> RuleQuestion? {
    guard let wanted = self.rule(rule) else { return nil }
    let found = search(value.narrowed, wanted.purposes, gaps(upTo: rule), .forTest) { question in
      let probe = RuleProbe(question, asker)
      return probe.verdict?.rule == .some(rule) && probe.holds(value.condition)
    }
    return found.first
  }

  /// A few questions that the rule certainly answers, were it alone; also one that expired. It need not be of the rule
  /// set. Found so fast that it can be asked of every rule of a large rule set.
  package func questions(answeredBy rule: Rule) -> [RuleQuestion] {
    search(rule.condition, rule.purposes, rule.condition.gaps.prefix(Self.maximumGaps), .forLint) { question in
      asker.answer(of: rule, to: question) == .yes
    }
  }

  private func rule(_ number: RuleNumber) -> Rule? { asker.ruleSet.has(number) ? asker.ruleSet[number] : nil }

  /// The rule that decides, or the default (nil); nothing for a text that is no URL.
  private func decider(of question: RuleQuestion) -> RuleNumber?? { asker.verdict(of: question).map(\.rule) }

  private func gaps(upTo last: RuleNumber?) -> ArraySlice<Condition> {
    gaps.lazy.prefix { gap in last.map { gap.rule <= $0 } ?? true }.prefix(Self.maximumGaps).map(\.condition)[...]
  }

  /// The questions as the condition demands them come first. Those with one thing about each changed are asked only
  /// when none of them will do, and with all told only when that does not help.
  private func search(
    _ condition: Condition, _ purposes: Purposes, _ gaps: ArraySlice<Condition>, _ use: Search.Use,
    isWitness: (RuleQuestion) -> Bool
  ) -> [RuleQuestion] {
    let spoken = Purposes.names.map(\.purpose).filter(purposes.contains)
    guard let purpose = spoken.first else { return [] }
    let drafts = drafter.drafts(for: condition, from: use.start)
    var search = Search(use)
    for purpose in spoken { search.ask(drafts, purpose, isWitness) }
    for draft in drafts where search.goesOn {
      let inGaps = gaps.compactMap { drafter.drafts(for: $0, from: draft).first }
      search.ask(draft.variations + inGaps, purpose, isWitness)
    }
    for draft in drafts.lazy.flatMap(\.told) where search.goesOn {
      search.ask([draft] + draft.variations, purpose, isWitness)
    }
    return search.found
  }
}

/// The questions asked, and the ones found.
private struct Search {
  /// The kind of questions to look for, and the bounds of the search.
  struct Use {
    var maximumFound: Int
    var maximumAsked: Int
    var start: WitnessDraft

    /// A test that says nothing of a redirect means that there was none.
    static let forTest = Use(maximumFound: 1, maximumAsked: 256, start: WitnessDraft(hop: false))
    /// Nothing is told that the rule does not demand.
    static let forLint = Use(maximumFound: 6, maximumAsked: 24, start: WitnessDraft())
  }

  private(set) var found: [RuleQuestion] = []
  private var asked: Set<RuleQuestion> = []
  private let use: Use

  init(_ use: Use) { self.use = use }

  var goesOn: Bool { found.isEmpty && asked.count < use.maximumAsked }

  /// Asks each question once.
  mutating func ask(_ drafts: [WitnessDraft], _ purpose: Purposes, _ isWitness: (RuleQuestion) -> Bool) {
    for draft in drafts {
      guard found.count < use.maximumFound, asked.count < use.maximumAsked else { return }
      let question = draft.question(for: purpose)
      if asked.insert(question).inserted, isWitness(question) { found.append(question) }
    }
  }
}

extension Condition {
  /// Conditions behind `not` in it.
  fileprivate var gaps: [Condition] {
    switch self {
    case .not(let part): [part]
    case .all(let parts), .any(let parts): parts.flatMap(\.gaps)
    case .from(let part): part.gaps.map { .from($0) }
    default: []
    }
  }
}

/// Asks one rule set many questions, with one runner for all of them.
///
///     let asker = RuleAsker(ruleSet)
///     asker.verdict(of: RuleQuestion(url: "https://mail.contoso.com/"))?.rule    // 0
package final class RuleAsker {
  package let ruleSet: RuleSet
  let runner = RegexRunner()
  private var questions = 0
  private var search = SearchWork()

  /// The cost of all questions so far, in about 10 ns each.
  package var work: Int {
    200 * questions + search.probes + 2 * search.candidates + 10 * runner.work.matches + runner.work.steps * 3 / 2
  }

  package init(_ ruleSet: RuleSet) { self.ruleSet = ruleSet }

  /// The rule set's verdict; nil when the text is no URL.
  package func verdict(of question: RuleQuestion) -> RuleVerdict? { RuleProbe(question, self).verdict }

  /// Whether a rule answers, were it alone; also one that expired.
  package func answer(of rule: Rule, to question: RuleQuestion) -> Ternary {
    RuleProbe(question, self).answer(of: rule)
  }

  /// The verdict on a question that was read.
  func verdict(on input: borrowing MatchInput) -> RuleVerdict {
    begin(input)
    return ruleSet.verdict(on: input, runner, &search)
  }

  /// Before anything is asked of a question.
  func begin(_ input: borrowing MatchInput) {
    questions += 1
    runner.beginDecision(subjectBytes: input.subjectBytes)
  }
}

/// One question, read once, to be put to a rule set or to its rules one by one.
package struct RuleProbe {
  private let asker: RuleAsker
  private let input: MatchInput

  package init(_ question: RuleQuestion, _ asker: RuleAsker) {
    self.asker = asker
    var input = question.input
    input.lists = asker.ruleSet.lists
    self.input = input
  }

  var verdict: RuleVerdict? {
    input.url.kind == .invalid ? nil : asker.verdict(on: input)
  }

  func answer(of rule: Rule) -> Ternary {
    guard input.url.kind == .url else { return .no }
    asker.begin(input)
    return rule.answers(input, asker.runner)
  }

  /// Whether the rule certainly matches, despite any rule before it, and has not expired.
  package func matches(_ rule: RuleNumber) -> Bool {
    guard asker.ruleSet.has(rule) else { return false }
    let rule = asker.ruleSet[rule]
    return asker.ruleSet.holds(rule) && answer(of: rule) == .yes
  }

  /// Whether a condition certainly holds.
  package func holds(_ condition: Condition) -> Bool {
    guard input.url.kind == .url else { return false }
    asker.begin(input)
    return input.truth(of: condition, asker.runner) == .yes
  }
}
