import GuardModel
internal import PolicyTools
import TestSupport
import Testing
import URLRules

/// On random rule sets and URLs nothing is claimed that asking again does not confirm.
struct RuleExplanationAgreementTests {
  @Test func whatIsExplainedIsTrue() throws {
    var random = SeededGenerator()
    let rules = try RandomRules()
    var counts = (asked: 0, changes: 0, ruleChanges: 0, missed: 0, hidden: 0)
    for _ in 0..<Effort.scaled(1_500) {
      let ruleSet = rules.ruleSet(&random)
      for _ in 0..<10 {
        let question = question(&random)
        let explanation = RuleExplainer(ruleSet).explain(question)
        let answer = question.ask(ruleSet)
        let note = "\(question) of \(ruleSet.rules): \(explanation); \(random.note)"
        counts.asked += 1
        counts.changes += explanation.changes.count
        counts.ruleChanges += explanation.ruleChange == nil ? 0 : 1
        counts.missed += explanation.missed.count
        counts.hidden += explanation.hidden.count
        #expect(explanation.verdict == answer.verdict, "\(note)")
        if answer.verdict != nil, explanation.reading.judged != nil {
          #expect(explanation.reading.judged == answer.url, "\(note)")
          #expect(areToldApart(explanation, ruleSet), "\(note)")
        }
        #expect(flips(explanation, ruleSet), "\(note)")
        #expect(ruleChangeFlips(explanation, ruleSet), "\(note)")
      }
    }
    // Nothing above says much unless each of these was really seen.
    #expect(counts.changes > counts.asked / 5)
    #expect(counts.ruleChanges > counts.asked / 20)
    #expect(counts.missed > counts.asked / 2)
    #expect(counts.hidden > counts.asked / 10)
  }

  private func question(_ random: inout SeededGenerator) -> RuleQuestion {
    let urls = RandomURLs()
    let page = random.oneIn(2) ? urls.text(&random) : nil
    let document = random.oneIn(2) ? urls.web(&random) : nil
    return RuleQuestion(
      url: urls.text(&random), document: document, from: page, hop: random.one(of: [true, false], orNilOneIn: 2),
      purpose: random.one(of: [.page, .page, .frame, [.page, .frame], .download]))
  }

  /// Whether a rule set of that one rule answers with it.
  private func answers(_ rule: Rule, _ question: RuleQuestion) -> Bool {
    RuleSet(name: "one", default: .internal, rules: [rule]).answer(to: question)?.rule != nil
  }

  /// The rules before the answer are missed, hidden or far, each once; and what is said to have missed does not answer.
  private func areToldApart(_ explanation: RuleExplanation, _ ruleSet: RuleSet) -> Bool {
    let question = explanation.question
    let end = explanation.verdict?.rule.map { Int($0.place) } ?? ruleSet.rules.count
    let silent = ruleSet.rules[..<end].count { !answers($0, question) }
    let others = ruleSet.rules.indices.count {
      answers(ruleSet.rules[$0], question) && RuleNumber($0) != explanation.verdict?.rule
    }
    return explanation.missed.count + explanation.missedMore + explanation.otherCount == silent
      && explanation.hidden.count + explanation.hiddenMore == others
      && explanation.missed.allSatisfy { !answers(ruleSet[$0.rule], question) && !$0.words.isEmpty }
      && explanation.hidden.allSatisfy { answers(ruleSet[$0.rule], question) }
  }

  private func flips(_ explanation: RuleExplanation, _ ruleSet: RuleSet) -> Bool {
    explanation.changes.allSatisfy { change in
      let answer = ruleSet.answer(to: change.question)
      return answer == change.verdict && answer?.verdict != explanation.verdict?.verdict ?? .external
    }
  }

  /// Asked of the whole rule set, changed as it is said.
  private func ruleChangeFlips(_ explanation: RuleExplanation, _ ruleSet: RuleSet) -> Bool {
    guard let change = explanation.ruleChange else { return true }
    var order = ruleSet.numbered.map(\.number)
    switch change.kind {
    case .removed(let rule): order.removeAll { $0 == rule }
    case .moved(let rule, let next):
      order.removeAll { $0 == rule }
      guard let place = order.firstIndex(of: next) else { return false }
      order.insert(rule, at: place)
    }
    let changed = RuleSet(name: "changed", default: ruleSet.default, rules: order.map { ruleSet[$0] })
    guard let answer = changed.answer(to: explanation.question) else { return false }
    return answer.verdict != explanation.verdict?.verdict && answer.verdict == change.verdict.verdict
      && answer.rule.map { order[Int($0.place)] } == change.verdict.rule
  }
}

extension RuleSet {
  fileprivate func answer(to question: RuleQuestion) -> RuleVerdict? { question.ask(self).verdict }
}
