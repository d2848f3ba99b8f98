internal import GuardModel
internal import JSONText
internal import PolicyFiles
internal import URLRules

/// The explanation of one URL as `classify --explain` prints it.
package struct ExplainedURL {
  private let explanation: RuleExplanation
  private let ruleSet: RuleSet

  init(_ explanation: RuleExplanation, of ruleSet: RuleSet) {
    self.explanation = explanation
    self.ruleSet = ruleSet
  }

  /// The lines below the one with the verdict, without their indent.
  package var lines: [String] {
    [reading] + explanation.reading.notes + explanation.missed.map { "\(name($0.rule)): \($0.words)" } + others
      + [answer].compactMap(\.self) + consequences
      + explanation.hidden.map { "\(name($0.rule)): \($0.words)" } + more(explanation.hiddenMore, "match, too")
      + explanation.monitored.map { "\(name($0.rule)): \($0.words)" } + changes + [carried].compactMap(\.self)
  }

  private var carried: String? {
    explanation.wrapped.map { "it carries the address \($0.quoted), which is judged by itself when that loads" }
  }

  private var reading: String {
    guard let judged = explanation.reading.judged else { return "no URL is judged" }
    return judged == explanation.question.url ? "judged as it is given" : "judged: \(Self.whole(judged))"
  }

  private var others: [String] {
    let count = explanation.otherCount
    let word = explanation.missed.isEmpty ? "rule" : "other rule"
    let others = count == 0 ? [] : ["\(Self.count(count, word)) did not come near"]
    return more(explanation.missedMore, "came near, too") + others
  }

  private func more(_ count: Int, _ what: String) -> [String] {
    count == 0 ? [] : ["\(Self.count(count, "more rule")) \(what)"]
  }

  private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

  private var answer: String? {
    guard let verdict = explanation.verdict, let deciding = explanation.deciding else { return nil }
    guard explanation.reading.judged != nil else { return deciding }
    return "\(verdict.verdict.name) by \(answerer(verdict)): \(deciding)"
  }

  private var consequences: [String] {
    guard let rule = explanation.verdict?.rule.map({ ruleSet.rules[Int($0)] }) else { return [] }
    let then = rule.then == .none ? nil : "then: \(rule.then.rawValue)"
    return [then, rule.message.map { "message: \(Self.whole($0))" }].compactMap(\.self)
  }

  private var changes: [String] {
    let changes = explanation.changes.map { "\($0.words) it would be \(outcome($0.verdict))" }
    let rules = explanation.ruleChange.map { ["\(words($0.kind)) it would be \(outcome($0.verdict))"] } ?? []
    let all = changes + rules
    return all.isEmpty ? ["no small change was found that flips the answer"] : all.map { "nearest change: " + $0 }
  }

  private func words(_ kind: RuleChange.Kind) -> String {
    switch kind {
    case .removed(let rule): "without \(name(rule))"
    case .moved(let rule, let next): "with \(name(rule)) above \(name(next))"
    }
  }

  private func outcome(_ verdict: RuleVerdict) -> String { "\(verdict.verdict.name) by \(answerer(verdict))" }

  /// The rule or the default behind a verdict, with its place.
  private func answerer(_ verdict: RuleVerdict) -> String {
    verdict.rule.map(name) ?? "default" + (ruleSet.defaultLocation.isEmpty ? "" : " (\(ruleSet.defaultLocation))")
  }

  private func name(_ number: Int32) -> String {
    let rule = ruleSet.rules[Int(number)]
    return "rule \(rule.id.quoted)" + (rule.location.isEmpty ? "" : " (\(rule.location))")
  }

  private static func whole(_ text: String) -> String { "`\(text)`" }
}

// MARK: JSON

extension ExplainedURL {
  /// The members beside those that `classify` writes without being asked to explain.
  var json: JSONTree {
    var members: [JSONTree.Member] = [
      .init("reading", .array(explanation.reading.notes.map(JSONTree.string))),
      .init("missed", .array(explanation.missed.map(json))),
      .init("missedMore", .int(Int64(explanation.missedMore))),
      .init("others", .int(Int64(explanation.otherCount))),
    ]
    if let deciding = explanation.deciding { members.append(.init("why", .string(deciding))) }
    if let rule = explanation.verdict?.rule.map({ ruleSet.rules[Int($0)] }) {
      if rule.then != .none { members.append(.init("then", .string(rule.then.rawValue))) }
      if let message = rule.message { members.append(.init("message", .string(message))) }
    }
    members += [
      .init("hidden", .array(explanation.hidden.map(json))), .init("hiddenMore", .int(Int64(explanation.hiddenMore))),
      .init("monitored", .array(explanation.monitored.map(json))),
      .init("changes", .array(explanation.changes.map(json))),
    ]
    if let change = explanation.ruleChange { members.append(.init("ruleChange", json(change))) }
    if let wrapped = explanation.wrapped { members.append(.init("carries", .string(wrapped))) }
    return .object(members)
  }

  private func json(_ finding: RuleFinding) -> JSONTree {
    let rule = ruleSet.rules[Int(finding.rule)]
    return ["rule": .string(rule.id), "ruleLocation": .string(rule.location), "why": .string(finding.words)]
  }

  private func json(_ change: QuestionChange) -> JSONTree {
    let question = change.question
    var members: [JSONTree.Member] = [.init("change", .string(change.words)), .init("url", .string(question.url))]
    if let from = question.from { members.append(.init("from", .string(from))) }
    if let document = question.document { members.append(.init("document", .string(document))) }
    if let hop = question.hop { members.append(.init("hop", .bool(hop))) }
    return .object(members + json(change.verdict))
  }

  private func json(_ change: RuleChange) -> JSONTree {
    .object([.init("change", .string(words(change.kind)))] + json(change.verdict))
  }

  private func json(_ verdict: RuleVerdict) -> [JSONTree.Member] {
    let rule = verdict.rule.map { ruleSet.rules[Int($0)] }
    return [
      .init("verdict", .string(verdict.verdict.name)), .init("rule", .string(rule?.id ?? "default")),
      .init("ruleLocation", .string(rule?.location ?? ruleSet.defaultLocation)),
    ]
  }
}
