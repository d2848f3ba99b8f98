internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// `org.webviewguard.Rules`: the verdicts of the rules, and the reasons of decisions.
extension GuardCore {
  func answer(_ call: RulesCall, _ request: borrowing Request, on connection: Connection) throws {
    switch call {
    case .classify(let call): reply(try classify(call), to: connection, request)
    case .explain(let call): reply(try explain(call), to: connection, request)
    }
  }

  private func classify(_ call: ClassifyCall) throws(RulesError) -> ClassifyReply {
    guard snapshot.hasPolicy else { throw .noPolicy }
    guard let index = snapshot.ruleSet(named: call.ruleSet) else { throw .unknownRuleSet(call.ruleSet) }
    let question = RuleQuestion(
      url: call.url, document: call.document, from: call.from, hop: call.hop, purpose: call.subject?.purposes ?? .page)
    let answer = question.ask(snapshot[index])
    var reply = ClassifyReply()
    guard let verdict = answer.verdict else { return reply }
    let ruleSet = snapshot[index]
    reply.verdict = verdict.verdict
    reply.reason = verdict.rule == nil ? .default : .matched
    reply.rule = verdict.rule.map { ruleSet.rules[Int($0)].id } ?? "default"
    reply.ruleLocation = verdict.rule.map { ruleSet.rules[Int($0)].location } ?? ruleSet.defaultLocation
    reply.url = answer.url
    return reply
  }

  private func explain(_ call: ExplainCall) throws(RulesError) -> ExplainReply {
    guard let id = DecisionID(call.decision), let entry = vitals.recent.entry(id) else {
      throw .unknownDecision(call.decision)
    }
    let report = shown(entry.report, url: entry.url, isPrivate: entry.isPrivate)
    let explanation = Explanation(entry.event, url: entry.url, viewer: entry.viewer, report, used(by: entry))
    return ExplainReply(steps: explanation.steps, decision: DecisionReply(report, DecisionEnvelope(id: id)))
  }

  /// A decision as administrators see it: with the URL and the accounts as the log has them.
  func shown(_ report: DecisionReport, url: String?, isPrivate: Bool) -> DecisionReport {
    report.shown(url: url, isPrivate: isPrivate) { journal.loggedName(of: $0) }
  }

  /// The settings of the policy in force that a decision used; those of an earlier policy are not known.
  private func used(by entry: RecentDecisions.Entry) -> UsedSettings {
    guard entry.report.generation == snapshot.generation else { return UsedSettings() }
    var used = UsedSettings(
      entry.report, of: entry.app, asking: entry.event, url: entry.url, in: snapshot, policy.places)
    // Where the account stands says which it is.
    if policy.settings.log.accounts == .pseudonym { (used.account, used.binding) = (nil, nil) }
    return used
  }
}
