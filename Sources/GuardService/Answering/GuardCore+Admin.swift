internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// `org.webviewguard.Admin`: the state of the service, and its actions.
extension GuardCore {
  func answer(_ call: AdminCall, _ request: borrowing Request, on connection: Connection) throws {
    switch call {
    case .status: reply(status, to: connection, request)
    case .reload(let call): answerLoad(reload(call, by: connection), on: connection, isOneway: request.isOneway)
    case .rollback(let call): answerLoad(rollBack(call, by: connection), on: connection, isOneway: request.isOneway)
    case .monitor:
      connection.skipped = 0
      serving.watchers[ObjectIdentifier(connection)] = connection
    case .exception(let call): try answer(call, request, on: connection)
    case .wipe(let call): try answer(call, request, on: connection)
    case .account(let order): try answer(order, request, on: connection)
    case .health: reply(health, to: connection, request)
    case .noteFailedCheckIn(let call):
      noteFailedCheckIn(call.cause, by: connection)
      reply(EmptyReply(), to: connection, request)
    case .forgetCheckIns:
      forgetCheckIns(by: connection)
      reply(EmptyReply(), to: connection, request)
    case .metrics: reply(MetricsReply(text: metricsText), to: connection, request)
    case .directory(let order): try answer(order, request, on: connection)
    }
  }

  private var status: StatusReply {
    var status = StatusReply()
    status.version = vitals.version
    status.pid = getpid()
    status.since = vitals.startedAt
    policy.describe(&status, snapshot)
    status.instances = sessions.count
    status.viewers = viewerCount
    status.connections = serving.connections.count
    status.decisions = vitals.metrics.counters
    status.logHead = journal.logHead
    status.logFile = journal.logFile
    status.stateFile = journal.state.file
    status.stateError = journal.state.error
    status.socketError = serving.sockets?.failure
    status.log = journal.logStatus
    status.health = health
    return status
  }

  /// Viewers that are registered, of all instances.
  private var viewerCount: Int {
    sessions.values.reduce(0) { $0 + (state.instance($1.instance)?.viewers.count ?? 0) }
  }

  /// Problems that an administrator should look after, found by looking and not by remembering.
  var health: HealthReply {
    HealthReply(
      policy.problems(snapshot) + policy.checkIns.problems(at: journal.now())
        + [serving.socketProblem].compactMap(\.self) + journal.problems + keys.problems
        + [serving.connectionsProblem, postureProblem].compactMap(\.self))
  }

  /// Everything counted, as text for Prometheus. Made when it is asked for.
  private var metricsText: [UInt8] {
    var text = MetricsText()
    vitals.describe(&text, health, snapshot)
    serving.describe(&text)
    vitals.describeRounds(&text, held: journal.heldReplies)
    text.single("webviewguard_instances", .gauge, "Instances that are alive.", UInt64(sessions.count))
    text.single("webviewguard_viewers", .gauge, "Viewers that are registered.", UInt64(viewerCount))
    describeAccounts(&text)
    journal.describe(&text)
    policy.describe(&text, snapshot)
    return text.bytes
  }

  /// Answers when the load has ended; until then the connection's next calls wait.
  private func answerLoad(_ load: EventLoopFuture<ReloadReply>, on connection: Connection, isOneway: Bool) {
    connection.isBusy = true
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    load.assumeIsolated().whenComplete { result in
      let (core, connection) = bound.value
      connection.isBusy = false
      if !isOneway { core.answerReload(result, on: connection) }
      core.submit()
      connection.resume()
    }
  }

  private func answerReload(_ result: Result<ReloadReply, any Error>, on connection: Connection) {
    switch result {
    case .success(let loaded):
      writer.reset()
      writer.answer(loaded)
      hold(on: connection, record: journal.newest)
    case .failure(let error as AdminError): reply(error, to: connection)
    case .failure(let error): reply(AdminError.loadFailed(["\(error)"]), to: connection)
    }
  }
}

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
    reply.rule = verdict.rule.map { ruleSet[$0].id } ?? "default"
    reply.ruleLocation = verdict.rule.map { ruleSet[$0].location } ?? ruleSet.defaultLocation
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
    // The entry's place tells which account it is.
    if policy.settings.log.accounts == .pseudonym { (used.account, used.binding) = (nil, nil) }
    return used
  }
}

/// A decision as shown to administrators who watch or ask why: it leaves out the same facts as the log.
///
/// The trap: an offer repeats the URL with its query, a text for the user may repeat it and name the account, and
/// `explain` is open to administrators who may not read the log.
extension DecisionReport {
  /// The report with the URL as the log has it, and accounts under the names that `name` gives them.
  ///
  /// - Parameters:
  ///   - url: nil where the log has none.
  ///   - isPrivate: it is about ownerless or unmanaged data: no text may name the page.
  ///   - name: gives an account the name that the log has; the empty text (no owner) is no name.
  func shown(url: String?, isPrivate: Bool, _ name: (String) -> String) -> DecisionReport {
    var shown = self
    shown.open = open?.shown(url: url ?? "")
    // Its placeholders may have been filled with the URL or an account.
    if isOfOneEvent {
      shown.message = isPrivate ? nil : message.map { Self.shown($0, url: url) }
      shown.replacement = isPrivate ? nil : replacement.map { Self.shown($0, url: url) }
    }
    shown.identity = identity.map(name)
    shown.clipOwner = clipOwner.map(name)
    shown.setOwner = setOwner.map(name)
    shown.tagAs = tagAs.map(name)
    shown.switchTo = switchTo.map(name)
    return shown
  }

  private static func shown(_ text: String, url: String?) -> String {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let known = words.map { $0.contains("://") ? url ?? "(URL)" : String($0) }
    return JournalText.withoutAccounts(known.joined(separator: " "))
  }
}

extension OpenOffer {
  /// The offer with the URL as the log has it; of a command line its program alone, since its arguments hold the URL.
  fileprivate func shown(url: String) -> OpenOffer {
    var shown = self
    shown.url = url
    shown.argv = argv.map { Array($0.prefix(1)) }
    shown.fallback = fallback.map { $0.shown(url: url) }
    return shown
  }
}
