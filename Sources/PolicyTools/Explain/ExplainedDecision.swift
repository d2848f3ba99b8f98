internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules
internal import URLStandard

/// How a decision came about: what `decide --explain` adds to it.
package struct ExplainedDecision {
  /// The steps that led to it, each with the value it used and where that stands.
  package let steps: [String]
  /// The nearest changes that give another outcome.
  package let changes: [String]

  /// - Parameters:
  ///   - before: the state before the decision; changes are tried on copies of it.
  ///   - after: the state that took it, which still holds what was judged.
  init(
    _ event: Event, of seat: InstanceID, _ report: DecisionReport, before: GuardState, after: borrowing GuardState,
    _ snapshot: Snapshot, _ places: PolicyPlaces, _ lists: ListLineSearch
  ) {
    let url = event.string(event.url)
    let app = before.instance(seat)?.appName ?? ""
    var used = UsedSettings(
      report, of: app, asking: event.kind, through: event.channel, url: url, in: snapshot, places)
    let reading = url.map { URLExplanation(reading: $0, from: event.string(event.from)).notes } ?? []
    var question: RuleQuestion?
    if report.verdict != nil, let url {
      question = RuleQuestion(
        url: url, document: after.input.document?.href, from: event.string(event.from),
        hop: event.hop == .unknown ? nil : event.hop == .yes, purpose: after.input.purposes)
    }
    used.entries = question.map { Self.entries(for: $0, report, snapshot, lists) } ?? []
    steps = Explanation(event.kind, url: url, viewer: event.string(event.viewer), report, used, reading: reading).steps
    changes =
      DecisionChangeSearch(
        snapshot: snapshot, state: before, event: event, seat: seat, report: report, question: question
      ).nearest
  }
  /// The entries of lists by which the rule that answered takes the URL.
  private static func entries(
    for question: RuleQuestion, _ report: DecisionReport, _ snapshot: Snapshot, _ lists: ListLineSearch
  ) -> [String] {
    guard let index = report.ruleSet.flatMap({ snapshot.ruleSet(named: $0) }) else { return [] }
    let ruleSet = snapshot.ruleSets[Int(index)]
    let rule = ruleSet.rules.first { $0.id == report.rule && $0.location == report.ruleLocation }
    return rule.map { RuleExplainer(ruleSet) { lists.words(for: $0, of: $1) }.entries(of: $0, for: question) } ?? []
  }
}
