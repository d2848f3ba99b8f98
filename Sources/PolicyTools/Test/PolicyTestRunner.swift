package import GuardModel
internal import PolicyEngine
package import PolicyFiles

/// Runs the tests of a policy.
///
///     let runner = PolicyTestRunner(policy)
///     for test in policy.tests { runner.run(test).passed }
///
/// No daemon, no clock and no file is asked: the same test has the same result everywhere.
package struct PolicyTestRunner: Sendable {
  private let policy: LoadedPolicy

  package init(_ policy: LoadedPolicy) { self.policy = policy }

  /// Runs every step, also after one that failed: each states its own expectation.
  package func run(_ test: PolicyTest) -> PolicyTestResult {
    var run = PolicyTestRun(test, policy.snapshot(generation: 1, at: test.at ?? .min))
    var results: [PolicyTestStepResult] = []
    for step in test.steps { results.append(PolicyTestStepResult(step: step, answer: run.run(step))) }
    return PolicyTestResult(test: test, steps: results)
  }
}

/// One user's apps during one test, under a guard of their own.
struct PolicyTestRun: ~Copyable {
  private let test: PolicyTest
  var engine: Guard
  private var ruling = Ruling()
  /// The running apps, by name, each with one connection.
  private var callers: [String: Caller] = [:]
  /// The last request of the daemon to each app.
  private var requests: [String: SwitchRequestID] = [:]
  /// The last request of a wipe to each app, and the last order to the helper for its files.
  var asked: [String: String] = [:]
  var orders: [String: String] = [:]
  /// Milliseconds since 1970.
  private(set) var time: UInt64
  /// The machine has run for long: milliseconds.
  var sinceBoot: UInt64 = 10 * 86_400_000

  init(_ test: PolicyTest, _ snapshot: Snapshot) {
    self.test = test
    engine = Guard(epoch: 1, under: snapshot)
    engine.state.unlocks.isIgnored = true
    time = UInt64(clamping: test.at ?? 0).multipliedReportingOverflow(by: 1000).partialValue
  }

  mutating func run(_ step: PolicyTestStep) -> PolicyTestAnswer {
    pass(step.after)
    let answer = answer(step)
    carryOutWipes()
    return answer
  }

  private mutating func answer(_ step: PolicyTestStep) -> PolicyTestAnswer {
    if case .posture(let facts, let validFor) = step.action {
      engine.setFacts(facts.mapValues { Fact($0, until: validFor.map { time &+ $0 }) }, at: time)
      return .done
    }
    do throws(Refusal) {
      if case .wipe(let wipe) = step.action { return try run(wipe, of: step.app) }
      let caller = try caller(step.app)
      switch step.action {
      case .event(var event):
        try engine.decide(&event, for: caller, at: time, into: &ruling)
        if let request = ruling.decision.switchRequest { requests[step.app] = request }
        return .decision(engine.report(ruling, for: caller.instance))
      case .call(let call): try engine.perform(call, for: caller, at: time)
      case .answerLast(let result):
        guard let request = requests[step.app] else { throw .unknownRequest("") }
        try engine.perform(.answer(request: request.text, result), for: caller, at: time)
      case .account(.remediate(let account, let silent)):
        let answer = try engine.perform(.remediate(account, silent: silent), for: caller, at: time)
        return .account(answer.request == nil ? answer : look(at: answer.account, of: step.app))
      case .account(let call): return .account(try engine.perform(call, for: caller, at: time))
      case .signedIn(let source, let accounts):
        try engine.signedIn(accounts, by: source, person: Self.person, at: time)
      case .tick(let milliseconds): pass(milliseconds)
      case .list(let account): return .account(listed(account, of: step.app))
      case .posture, .wipe: break
      case .config(let question): return try values(question, for: caller)
      }
      return .done
    } catch { return .refused(error) }
  }

  /// The daemon looks every second for what is due; here an hour is soon enough, and a minute while a wipe is under way.
  private mutating func pass(_ milliseconds: UInt64) {
    engine.tick(at: time)
    var rest = milliseconds
    while rest > 0 {
      let piece = min(rest, engine.wipes.isEmpty ? 3_600_000 : 60_000)
      rest -= piece
      time &+= piece
      engine.tick(at: time)
      runWipes(after: piece)
      carryOutWipes()
    }
  }

  /// Lets the daemon look at the account, by the facts of the last `posture`. One that was looked at in this second waits.
  private mutating func look(at account: String, of app: String) -> AccountAnswer {
    // A daemon has read its facts before it looks, also when there are none.
    if !engine.state.book.hasFacts { engine.setFacts([:], at: time) }
    engine.endReading(engine.state.remediations.beginReading())
    engine.runRemediations(at: time)
    if listed(account, of: app).compliance == nil {
      pass(RemediationBook.pause)
      engine.runRemediations(at: time)
    }
    return listed(account, of: app)
  }

  private func listed(_ account: String, of app: String) -> AccountAnswer {
    guard let listed = engine.accounts(app: app, person: Self.person, account: account).first else {
      return AccountAnswer(account: account, state: .unknown)
    }
    var answer = AccountAnswer(
      account: listed.account, state: listed.state, result: listed.result, reason: listed.reason)
    answer.compliance = listed.compliance
    return answer
  }

  /// The same user runs all apps, so one pastes text that another copied.
  static let person: UInt32 = 1000

  /// The values of a key, shown without those that no report may hold.
  private func values(_ question: ConfigQuestion, for caller: Caller) throws(Refusal) -> PolicyTestAnswer {
    let found = try engine.state.configurations(of: [question.account], in: caller.instance, engine.snapshot)
    let isShown = !engine.snapshot.appConfig.scrubKeys.contains(question.key)
    return .config(found[0].configuration[question.key], isShown: isShown)
  }

  /// The app's instance, started when there is none, for a peer that its `peers` speak of: the first of them.
  mutating func caller(_ name: String) throws(Refusal) -> Caller {
    if let known = callers[name] { return known }
    guard let app = engine.snapshot.app(named: name) else { throw .noApp }
    let rule = engine.snapshot[app].peers.first ?? PeerRule()
    let groups = [rule.group].compactMap(\.self) + test.groups
    let peer = Peer(uid: Self.person, groups: groups, unit: rule.unit, label: rule.label)
    let caller = Caller(try engine.attach(app: name, peer: peer, features: test.features, at: time), connection: 1)
    callers[name] = caller
    return caller
  }
}

/// The result of one test.
package struct PolicyTestResult: Sendable {
  package var test: PolicyTest
  package var steps: [PolicyTestStepResult]

  package var passed: Bool { steps.allSatisfy(\.passed) }
}

/// The result of one step of a test.
package struct PolicyTestStepResult: Sendable {
  package var step: PolicyTestStep
  package var answer: PolicyTestAnswer

  package var passed: Bool { failure == nil }

  /// The failure, for people: ``expected allow, got block by `orgData` ``; nil when it passed.
  package var failure: String? {
    switch (step.expect, answer) {
    case (.done, .done): return nil
    case (.refused(let wanted), .refused(let error)) where wanted == error.code: return nil
    case (.decision(let wanted), .decision(let report)):
      let found = wanted.differences(from: report)
      return found.isEmpty ? nil : "expected \(wanted.words), got " + found.joined(separator: ", ")
    case (.account(let wanted), .account(let answer)):
      return wanted.isMet(by: answer) ? nil : "expected \(wanted.words), got \(answer.words)"
    case (.account(let wanted), _): return "expected \(wanted.words), got \(answer.words)"
    case (.config(let wanted), .config(let values, let isShown)):
      let found = wanted.differences(from: values, isShown: isShown)
      return found.isEmpty ? nil : found.joined(separator: ", ")
    case (.wipe(let wanted), .wipe(let wipe, let app)) where wanted.isMet(by: wipe, app): return nil
    case (.wipe(let wanted), _): return "expected \(wanted.words), got \(answer.words)"
    case (.orderRefused(let wanted), .orderRefused(let why)) where wanted == why: return nil
    case (.orderRefused(let wanted), _):
      return "expected the refusal \(wanted.rawValue.quoted), got \(answer.words)"
    case (.config, _): return "expected values, got \(answer.words)"
    case (.decision(let wanted), _): return "expected \(wanted.words), got \(answer.words)"
    case (.done, _): return "expected it to be done, got \(answer.words)"
    case (.refused(let wanted), _): return "expected the error \(wanted.rawValue.quoted), got \(answer.words)"
    }
  }
}

/// The engine's answer to a step.
package enum PolicyTestAnswer: Sendable, Hashable {
  case done
  case refused(Refusal)
  case decision(DecisionReport)
  case account(AccountAnswer)
  /// The values of a key; `isShown` when a report may hold them.
  case config(AppConfigValues, isShown: Bool)
  /// A wipe, nil when none is under way, as an app sees it.
  case wipe(ListedWipe?, app: String?)
  case orderRefused(AccountRefusal)

  var words: String {
    switch self {
    case .done: "it done"
    case .refused(let error): "the error \(error.code.rawValue.quoted)"
    case .account(let answer): answer.words
    case .decision(let report): "\(report.outcome.name) by \(report.reason.rawValue.quoted)"
    case .config: "values"
    case .wipe(let wipe, let app): wipe?.words(app) ?? "no wipe"
    case .orderRefused(let why): "the refusal \(why.rawValue.quoted)"
    }
  }
}

extension ExpectedDecision {
  /// ``block by `orgData` of rule `tenant` ``
  fileprivate var words: String {
    let duties = DecisionField.inReplies.compactMap { named in fields[named.field]?.words(named.name.description) }
    let decision = outcome.name + (reason.map { " by \($0.rawValue.quoted)" } ?? "")
    return ([decision + (rule.map { " of rule \($0.quoted)" } ?? "")] + duties).joined(separator: ", ")
  }

  /// The decision when it is another one, and each duty that differs; empty when all is as expected.
  fileprivate func differences(from report: DecisionReport) -> [String] {
    let isExpected =
      report.outcome == outcome && (reason == nil || reason == report.reason) && (rule == nil || rule == report.rule)
    var found: [String] = []
    if !isExpected {
      let rule = rule == nil ? "" : report.rule.map { " of rule \($0.quoted)" } ?? " of no rule"
      found.append("\(report.outcome.name) by \(report.reason.rawValue.quoted)\(rule)")
    }
    for named in DecisionField.inReplies {
      let got = named.field.value(in: report)
      guard let wanted = fields[named.field], !wanted.isMet(by: got) else { continue }
      found.append(got.words(named.name.description))
    }
    if let advice, !advice.isMet(by: report.advice) { found.append(ExpectedAdvice.words(report.advice)) }
    let isAfterAdvised = report.notes.contains(.afterAdvised)
    if let afterAdvised, afterAdvised != isAfterAdvised { found.append("`afterAdvised` `\(isAfterAdvised)`") }
    return found
  }
}

extension FieldValue {
  /// Accounts are alike in any case of their letters.
  fileprivate func isMet(by got: FieldValue) -> Bool {
    guard case (.account(let wanted), .account(let account)) = (self, got) else { return self == got }
    return wanted?.lowercased() == account?.lowercased()
  }

  /// `` `tagAs` `work@contoso.com` ``, `` no `tagAs` ``
  fileprivate func words(_ name: String) -> String {
    switch self {
    case .flag(let truth): "\(name.quoted) `\(truth)`"
    case .text(let text), .account(let text): text.map { "\(name.quoted) \($0.quoted)" } ?? "no \(name.quoted)"
    case .digest, .number, .texts, .notes, .offer, .advice: (isStated ? "" : "no ") + name.quoted
    }
  }
}

extension ExpectedAdvice {
  fileprivate func isMet(by advice: AdviceReport?) -> Bool {
    guard let advice, advice.outcome == outcome else { return false }
    return (reason == nil || reason == advice.reason) && (cause == nil || cause == advice.cause)
      && (rule == nil || rule == advice.rule)
  }

  /// ``advice block by `orgData` ``
  fileprivate var words: String {
    let reason = reason.map { " by \($0.rawValue.quoted)" } ?? ""
    return "advice \(outcome.name)\(reason)" + (rule.map { " of rule \($0.quoted)" } ?? "")
      + (cause.map { " of a monitored \($0.rawValue)" } ?? "")
  }

  fileprivate static func words(_ advice: AdviceReport?) -> String {
    guard let advice else { return "no advice" }
    return ExpectedAdvice(outcome: advice.outcome, reason: advice.reason, cause: advice.cause, rule: advice.rule).words
  }
}

extension ExpectedAccount {
  fileprivate func isMet(by answer: AccountAnswer) -> Bool {
    (state == nil || state == answer.state) && (result == nil || result == answer.result)
      && (compliance == nil || compliance == answer.compliance)
      && (reason == nil || reason == answer.reason) && (isAllowed == nil || isAllowed == (answer.reason == nil))
  }

  /// ``the state `registered`, the result `notSignedIn` ``
  fileprivate var words: String {
    let parts = [
      state.map { "the state \($0.rawValue.quoted)" }, result.map { "the result \($0.rawValue.quoted)" },
      compliance.map { "the status \($0.rawValue.quoted)" },
      reason.map { "the reason \($0.rawValue.quoted)" }, isAllowed.map { "`allowed` `\($0)`" },
    ].compactMap(\.self)
    return parts.isEmpty ? "it done" : parts.joined(separator: ", ")
  }
}

extension AccountAnswer {
  /// ``the state `registered`, the result `notSignedIn`, the reason `policyRequired` ``
  var words: String {
    [
      "the state \(state.rawValue.quoted)", result.map { "the result \($0.rawValue.quoted)" },
      compliance.map { "the status \($0.rawValue.quoted)" },
      reason.map { "the reason \($0.rawValue.quoted)" } ?? "no reason",
    ].compactMap(\.self).joined(separator: ", ")
  }
}
