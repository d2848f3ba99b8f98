internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Events: from the message to the decision, the record and the answer, in this order.
extension GuardCore {
  func decideEvent(_ request: borrowing Request, on connection: Connection) throws(GuardError) {
    guard let session = connection.session else { return try decideWithoutPolicy(request, on: connection) }
    try checkTexts(of: eventCall.event)
    let time = clock.now()
    expireRules(at: time)
    let answered = decideEvent(at: time, on: connection, session)
    guard !request.isOneway else { return }
    writer.reset()
    writer.answer(answered.reply)
    let id = answered.reply.envelope.id
    hold(
      on: connection, record: answered.record,
      allowing: answered.reply.report.outcome.letsHappen ? id...id : nil)
  }

  /// Decides and records the event in `eventCall`, under the policy in force.
  func decideEvent(at time: UInt64, on connection: Connection, _ session: Session) -> AnsweredEvent {
    let began = Clock.monotonicMicroseconds
    metrics.ask(at: began)
    eventCall.event.time = time
    eventCall.event.scope = connection.scope
    let decision = decide(eventCall.event, of: session.instance, &state, under: snapshot)
    let key = RecentActions.key(of: eventCall.event)
    if let key, let earlier = earlierAnswer(key, decision, session) {
      counters.count(earlier.report.outcome, isRepeated: true)
      metrics.count(decision, isRepeated: true)
      let envelope = DecisionEnvelope(id: earlier.id, isRepeated: true)
      return AnsweredEvent(reply: DecisionReply(earlier.report, envelope), record: earlier.record ?? 0)
    }
    let report = state.report(decision, snapshot, for: session.instance)
    metrics.count(deciding: Clock.monotonicMicroseconds - began)
    let id = nextDecision()
    let number = recordDecision(id, report, connection, session, began: began)
    remember(id, report, session)
    if let key { rememberAction(key, decision, id, report, number, session) }
    counters.count(report.outcome, isRepeated: false)
    metrics.count(decision, isRepeated: false)
    tellWatchers(id, report, session)
    if decision.switchRequest != nil { tellOfSwitches(of: session, at: time) }
    return AnsweredEvent(
      reply: DecisionReply(report, DecisionEnvelope(id: id)), record: number ?? recorder?.newest ?? 0)
  }

  /// Names are kept, in the log and for `explain`; only URLs and paths may be long.
  func checkTexts(of event: borrowing Event) throws(GuardError) {
    let names = state.limits.nameBytes
    try check(event.viewer, .nameBytes, names)
    try check(event.action, .nameBytes, names)
    try check(event.display, .nameBytes, names)
    try check(event.method, .nameBytes, names)
    try check(event.owner, .nameBytes, names)
    try check(event.locationAccount, .nameBytes, names)
    try check(event.peer, .nameBytes, names)
    try check(event.peerAccount, .nameBytes, names)
    try check(event.path, .pathBytes, Self.longestPath)
  }

  private func check(_ slot: TextSlot?, _ limit: Limit, _ maximum: Int) throws(GuardError) {
    guard let slot, Int(slot.upper - slot.lower) > maximum else { return }
    throw .limitReached(limit, maximum: maximum)
  }

  /// PATH_MAX of Linux.
  private static let longestPath = 4096

  private func earlierAnswer(_ key: [UInt8], _ decision: Decision, _ session: Session) -> RecentActions.Entry? {
    session.actions.repetition(
      of: key, decision, generation: snapshot.generation.number, at: eventCall.event.time)
  }

  private func rememberAction(
    _ key: [UInt8], _ decision: Decision, _ id: DecisionID, _ report: DecisionReport, _ record: UInt64?,
    _ session: Session
  ) {
    let entry = RecentActions.Entry(
      key: key, time: eventCall.event.time, decision: decision, generation: snapshot.generation.number, id: id,
      report: report, record: record)
    recordRepeats(session.actions.insert(entry))
  }

  /// Records the decision and returns the number of its record; nil where the app's policy wants it only counted.
  private func recordDecision(
    _ id: DecisionID, _ report: DecisionReport, _ connection: Connection, _ session: Session, began: UInt64
  ) -> UInt64? {
    guard wantsRecord(report, session) else {
      let key = CountKey(
        app: session.app, outcome: report.outcome, reason: report.reason, advised: report.advice?.outcome)
      uncounted[key, default: 0] += 1
      return nil
    }
    guard recorder?.hasRoom() ?? false else { return recorder.map { $0.newest + 1 } ?? 0 }
    var entry = DecisionEntry(id: id.text)
    entry.app = session.app
    entry.instance = session.logName
    entry.peer = DecisionLog.Peer(uid: connection.peer.uid, pid: connection.peer.pid)
    entry.url =
      state.judgedURLIsInvalid ? .invalid(byteCount: urlBytes) : state.judgedURL.map(LoggedURL.valid) ?? .absent
    entry.from = state.judgedFrom.map(LoggedURL.valid) ?? .absent
    entry.owner = state.accountName(eventCall.event.owner, in: eventCall.event)
    entry.locationAccount = state.accountName(eventCall.event.locationAccount, in: eventCall.event)
    entry.peerAccount = state.accountName(eventCall.event.peerAccount, in: eventCall.event)
    entry.durationMicroseconds = Clock.monotonicMicroseconds - began
    recorder?.record { $0.encode(entry, of: eventCall.event, as: report, into: &$1) }
    return recorder?.newest ?? 0
  }

  private var urlBytes: Int { eventCall.event.url.map { Int($0.upper - $0.lower) } ?? 0 }

  private func wantsRecord(_ report: DecisionReport, _ session: Session) -> Bool {
    guard let app = state.instance(session.instance)?.app else { return true }
    switch snapshot.apps[Int(app)].record {
    case .all: return true
    case .notAllowed: return report.outcome != .allow || report.advice != nil
    case .counts: return false
    }
  }

  private func remember(_ id: DecisionID, _ report: DecisionReport, _ session: Session) {
    session.answered.insert(id, report.outcome)
    recent.insert(
      RecentDecisions.Entry(
        id: id, time: eventCall.event.time, app: session.app, viewer: eventCall.event.string(eventCall.event.viewer),
        event: eventCall.event.kind, url: redactedURL, report: report))
  }

  /// The URL as the log has it.
  private var redactedURL: String? {
    guard let url = state.judgedURL else { return nil }
    var text: [UInt8] = []
    _ = settings.log.redaction.append(url, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Shows the decision to everybody who watches; a slow watcher misses some and is told how many.
  private func tellWatchers(_ id: DecisionID, _ report: DecisionReport, _ session: Session) {
    guard !watchers.isEmpty else { return }
    let event = eventCall.event
    for connection in watchers.values {
      guard connection.channel.isWritable else {
        connection.skipped = (connection.skipped ?? 0) + 1
        continue
      }
      let reply = MonitorReply(
        time: event.time, app: session.app, viewer: event.string(event.viewer), event: event.kind, url: redactedURL,
        decision: DecisionReply(report, DecisionEnvelope(id: id)), skipped: connection.skipped ?? 0)
      connection.skipped = 0
      writer.reset()
      writer.answer(reply, continues: true)
      connection.channel.writeAndFlush(connection.channel.allocator.buffer(bytes: writer.bytes), promise: nil)
    }
  }
}

/// A decision on its way to the app.
struct AnsweredEvent {
  var reply: DecisionReply
  /// The number of the record that it rests on.
  var record: UInt64
}

extension Outcome {
  /// Whether the answer lets data or a page go where it was asked to go, or lets the user do so.
  var letsHappen: Bool {
    switch self {
    case .allow, .warn, .handOff, .redact: true
    case .block, .redirect, .switchIdentity: false
    }
  }
}
