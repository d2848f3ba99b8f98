internal import GuardModel
internal import URLStandard

/// Finds questions that a rule decides: a URL, and how it was reached where the rule asks for that.
///
///     rule `sso`: internal: { host: login.example, from: { domain: contoso.com } }
///     RuleWitness(ruleSet).questions(decidedBy: 0)    // https://login.example/ from https://contoso.com/
///
/// Every question was asked, and the rule decided it. That none is found proves nothing: the search is bounded, and
/// guesses what a regular expression takes.
package struct RuleWitness: Sendable {
  private let ruleSet: RuleSet
  private let drafter: WitnessDrafter
  /// What stands behind `not` in the rules, in their order: where such a rule does not match.
  private let gaps: [(rule: Int32, condition: Condition)]

  /// So many questions are asked for one rule.
  private static let maximumAsked = 256
  /// So many of the gaps before a rule are tried.
  private static let maximumGaps = 8

  package init(_ ruleSet: RuleSet) {
    self.ruleSet = ruleSet
    drafter = WitnessDrafter(lists: ruleSet.lists)
    gaps = ruleSet.rules.enumerated().flatMap { number, rule in
      rule.condition.gaps.map { (Int32(truncatingIfNeeded: number), $0) }
    }
  }

  /// The first questions found that the rule decides; nil stands for the default.
  package func questions(decidedBy rule: Int32?, atMost count: Int = 1) -> [RuleQuestion] {
    guard let rule else { return search(.all([]), .page, of: .max, atMost: count) { decider(of: $0) == .some(nil) } }
    guard ruleSet.rules.indices.contains(Int(rule)) else { return [] }
    let wanted = ruleSet.rules[Int(rule)]
    return search(wanted.condition, wanted.purposes, of: rule, atMost: count) { decider(of: $0) == .some(rule) }
  }

  /// The same with one of the values of a list in the rule holding.
  package func questions(decidedBy rule: Int32, using value: RuleValue, atMost count: Int = 1) -> [RuleQuestion] {
    guard ruleSet.rules.indices.contains(Int(rule)) else { return [] }
    return search(value.narrowed, ruleSet.rules[Int(rule)].purposes, of: rule, atMost: count) { question in
      decider(of: question) == .some(rule) && RuleProbe(question, ruleSet).holds(value)
    }
  }

  /// The rule that decides, or the default (nil); nothing for what is no URL.
  private func decider(of question: RuleQuestion) -> Int32?? {
    question.ask(ruleSet).verdict.map(\.rule)
  }

  /// The questions as the condition demands them come first, then those with one thing about each changed.
  private func search(
    _ condition: Condition, _ purposes: Purposes, of rule: Int32, atMost count: Int,
    _ isWitness: (RuleQuestion) -> Bool
  ) -> [RuleQuestion] {
    let spoken = Purposes.names.map(\.purpose).filter(purposes.contains)
    let drafts = drafter.drafts(for: condition)
    var asked: Set<RuleQuestion> = []
    var found: [RuleQuestion] = []
    /// Whether the search is over.
    func ask(_ draft: WitnessDraft, _ purpose: Purposes) -> Bool {
      let question = draft.question(for: purpose)
      if asked.insert(question).inserted, isWitness(question) { found.append(question) }
      return found.count >= count || asked.count >= Self.maximumAsked
    }
    for purpose in spoken {
      for draft in drafts where ask(draft, purpose) { return found }
    }
    guard let purpose = spoken.first else { return [] }
    for draft in drafts {
      for changed in draft.variations + inGaps(of: rule, draft) where ask(changed, purpose) { return found }
    }
    for draft in drafts.flatMap(\.told) {
      for changed in [draft] + draft.variations where ask(changed, purpose) { return found }
    }
    return found
  }

  /// The draft where rules up to this one say `not`.
  private func inGaps(of rule: Int32, _ draft: WitnessDraft) -> [WitnessDraft] {
    let before = gaps.lazy.prefix { $0.rule <= rule }.prefix(Self.maximumGaps)
    return before.compactMap { gap in drafter.drafts(for: .all([gap.condition]), from: [draft]).first }
  }
}

extension Condition {
  /// What stands behind `not` in it.
  fileprivate var gaps: [Condition] {
    switch self {
    case .not(let part): [part]
    case .all(let parts), .any(let parts): parts.flatMap(\.gaps)
    case .from(let part): part.gaps.map { .from($0) }
    default: []
    }
  }
}
