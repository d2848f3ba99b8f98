import FuzzSupport
import GuardModel
import TestSupport
import URLRules

/// A compiled rule set answers as the plain loop over its rules does. The bytes are choices: lists, rules, questions.
enum RuleSetProperties {
  private static let maximumRules = 14
  private static let maximumQuestions = 8
  private static let times: [Int64?] = [nil, 99, 100, 250]

  static func check(_ input: [UInt8]) {
    var bytes = ByteReader(input)
    let names = lists(&bytes)
    var decoder = DecodedRules(listCount: names.count)
    let head = bytes.byte()
    var rules: [Rule] = []
    for number in 0..<min(Int(head >> 2 & 15), maximumRules) { rules.append(decoder.rule(number, &bytes)) }
    let all = RuleSet(
      name: "decoded", default: head & 1 == 0 ? .internal : .external, rules: rules, lists: HostLists.of(names))
    let time = bytes.one(of: times)
    let ruleSet = time.map(all.at) ?? all
    let reference = ReferenceMatcher(ruleSet, at: time)
    let runner = RegexRunner()
    for _ in 0..<maximumQuestions where !bytes.isAtEnd {
      check(ruleSet, reference, DecodedQuestion(&bytes, lists: names), runner)
    }
  }

  private static func check(
    _ ruleSet: RuleSet, _ reference: ReferenceMatcher, _ question: DecodedQuestion, _ runner: RegexRunner
  ) {
    runner.beginDecision(subjectBytes: question.input.subjectBytes)
    let answer = ruleSet.verdict(on: question.input, runner)
    let expected = reference.answer(to: question.reference)
    require(
      answer.verdict == expected.verdict && answer.rule.map { Int($0.place) } == expected.rule
        && answer.then == expected.then,
      "\(answer) for `\(question.url)`, expected \(expected), of \(ruleSet.rules) with \(question.reference)")
  }

  private static func lists(_ bytes: inout ByteReader) -> [[String]] {
    var lists: [[String]] = []
    for _ in 0..<bytes.below(4) {
      var names: [String] = []
      for _ in 0..<bytes.below(5) {
        var random = bytes.generator()
        names.append(RandomLists.name(&random))
      }
      lists.append(names)
    }
    return lists
  }
}
