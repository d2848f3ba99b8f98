import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// The compiled rule set answers as the plain loop over all rules does, on generated rule sets and URLs.
struct RuleSetAgreementTests {
  /// A URL in both readings.
  private struct Reading {
    let text: String
    var subject = URLSubject()
    let reference: ReferenceURL

    init(_ text: String) {
      self.text = text
      subject.read(text)
      reference = ReferenceURL(text)
    }
  }

  @Test
  func compiledRuleSetsAnswerAsThePlainLoopDoes() throws {
    var random = SeededGenerator()
    print("compiled rule sets against the plain loop: \(random.note)")
    let readings = (0..<2_000).map { _ in Reading(RandomURLs().text(&random)) }
    let names = (0..<5).map { _ in (0..<random.below(9)).map { _ in RandomLists.name(&random) } }
    var rules = try RandomRules(lists: HostLists.of(names))
    let runner = RegexRunner()
    var asked = 0
    for _ in 0..<Effort.scaled(4_200) {
      let time = random.one(of: [0, 99, 100, 250, 300] as [Int64], orNilOneIn: 2)
      rules.monitors = random.oneIn(2)
      let isEnforced = random.oneIn(2)
      let all = rules.ruleSet(maximum: random.one(of: [11, 11, 11, 40]), &random)
      let standing = time.map(all.at) ?? all
      let ruleSet = isEnforced ? standing.enforced : standing
      let reference = ReferenceMatcher(ruleSet, at: time, withMonitored: isEnforced)
      for _ in 0..<250 {
        var (input, question, text) = inputs(readings, &random)
        question.lists = names
        let expected = reference.answer(to: question)
        runner.beginDecision(subjectBytes: input.url.judged.bytes.count)
        let answer = ruleSet.verdict(on: input, runner)
        asked += 1
        guard answer.verdict == expected.verdict, answer.rule.map({ Int($0.place) }) == expected.rule,
          answer.then == expected.then
        else {
          Issue.record("\(text): \(answer) expected \(expected) of \(ruleSet.rules); \(random.note)")
          return
        }
      }
    }
    #expect(asked >= Effort.scaled(1_050_000))
  }

  /// The same random facts for both.
  private func inputs(_ readings: [Reading], _ random: inout SeededGenerator) -> (MatchInput, ReferenceQuestion, String)
  {
    let url = random.one(of: readings)
    let from = random.one(of: readings, orNilOneIn: 3)
    let document = random.one(of: readings, orNilOneIn: 3)
    var input = MatchInput()
    input.url = url.subject
    if let from { input.from = from.subject }
    if let document, document.subject.kind == .url { input.document = document.subject.judged }
    if input.url.kind == .madeByPage { input.url.judgeAs(input.from) }
    let hop = random.one(of: [true, false], orNilOneIn: 3)
    input.hop = Ternary(hop)
    let purposes: [Purposes] = random.one(of: [[.page], [.page], [.frame], [.page, .frame], [.resource], [.download]])
    input.purposes = purposes.reduce(into: []) { $0.formUnion($1) }
    let fromReference = from?.reference ?? .absent
    let question = ReferenceQuestion(
      url: url.reference.judged(as: fromReference), from: fromReference, document: document?.reference ?? .absent,
      hop: hop,
      purposes: purposes)
    return (input, question, url.text)
  }
}
