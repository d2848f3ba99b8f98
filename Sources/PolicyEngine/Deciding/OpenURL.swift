internal import GuardModel
internal import URLRules
internal import URLStandard

/// The app itself opens a URL in another program. Links and web transfer work as in an external navigation, with
/// leaving in place of loading; other schemes work as in E.4.
extension GuardState {
  mutating func openURL(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    guard question.isManaged || question.rulesAlwaysApply else {
      return question.answer(.allow, question.unrestrictedReason)
    }
    readInput(event, question, of: id)
    guard input.url.kind == .url else { return question.answer(.block, .invalidURL) }
    guard input.url.judged.isWeb else {
      if question.handlesScheme(of: input.url) { return question.answer(.allow, .handledInViewer) }
      return question.handOff(input.url)
    }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    let leaving = RuleVerdict(verdict: .external, rule: nil, then: .none)
    let rules = verdict(question) ?? AskedRules(ruleSet: nil, verdict: leaving)
    var decision = external(event, question, rules)
    if decision.reason == .externalInPlace { decision = question.answer(.handOff, .webTransferAny).to(.schemeHandler) }
    return decision.decided(by: rules)
  }
}
