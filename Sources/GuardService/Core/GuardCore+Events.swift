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
    guard let session = connection.session else { throw .notAttached }
    let began = Clock.microseconds
    eventCall.event.time = began / 1000
    eventCall.event.scope = connection.scope
    let key = RecentActions.key(of: eventCall.event)
    if let key, let earlier = earlierAnswer(key, session) {
      answer(earlier.report, DecisionEnvelope(id: earlier.id, isRepeated: true), earlier.record, request, connection)
      return
    }
    let decision = decide(eventCall.event, of: session.instance, &state, under: snapshot)
    let report = state.report(decision, snapshot)
    let id = nextDecision()
    let number = recordDecision(id, report, session, began: began)
    remember(id, report, session)
    if let key { rememberAction(key, id, report, number, session) }
    answer(report, DecisionEnvelope(id: id), number, request, connection)
    tellWatchers(id, report, session)
  }

  private func earlierAnswer(_ key: [UInt8], _ session: Session) -> RecentActions.Entry? {
    session.actions.repetition(of: key, generation: snapshot.generation.number, at: eventCall.event.time)
  }

  private func rememberAction(
    _ key: [UInt8], _ id: DecisionID, _ report: DecisionReport, _ record: UInt64, _ session: Session
  ) {
    let gone = session.actions.insert(
      RecentActions.Entry(
        key: key, generation: snapshot.generation.number, time: eventCall.event.time, id: id, report: report,
        record: record))
    recordRepeats(gone)
  }

  private func answer(
    _ report: DecisionReport, _ envelope: DecisionEnvelope, _ number: UInt64, _ request: borrowing Request,
    _ connection: Connection
  ) {
    counters.count(report.outcome, isRepeated: envelope.isRepeated)
    guard !request.isOneway else { return }
    writer.reset()
    writer.answer(DecisionReply(report, envelope))
    hold(on: connection, record: number, allowing: report.outcome.letsHappen ? envelope.id : nil)
  }

  /// Records the decision, or counts it where the app's policy wants no record; returns the record it rests on.
  private func recordDecision(
    _ id: DecisionID, _ report: DecisionReport, _ session: Session, began: UInt64
  ) -> UInt64 {
    guard wantsRecord(report, session) else {
      uncounted[CountKey(app: session.app, outcome: report.outcome, reason: report.reason), default: 0] += 1
      return recorder?.newest ?? 0
    }
    guard recorder?.hasRoom() ?? false else { return recorder.map { $0.newest + 1 } ?? 0 }
    var entry = DecisionEntry(id: id.text)
    entry.app = session.app
    entry.instance = session.logName
    entry.peer = DecisionLog.Peer(uid: session.peer.uid, pid: session.peer.pid)
    entry.url =
      state.judgedURLIsInvalid ? .invalid(byteCount: urlBytes) : state.judgedURL.map(LoggedURL.valid) ?? .absent
    entry.from = state.judgedFrom.map(LoggedURL.valid) ?? .absent
    entry.durationMicroseconds = Clock.microseconds - began
    recorder?.record { $0.encode(entry, of: eventCall.event, as: report, into: &$1) }
    return recorder?.newest ?? 0
  }

  private var urlBytes: Int { eventCall.event.url.map { Int($0.upper - $0.lower) } ?? 0 }

  private func wantsRecord(_ report: DecisionReport, _ session: Session) -> Bool {
    guard let app = state.instance(session.instance)?.app else { return true }
    switch snapshot.apps[Int(app)].record {
    case .all: return true
    case .notAllowed: return report.outcome != .allow
    case .counts: return false
    }
  }

  private func remember(_ id: DecisionID, _ report: DecisionReport, _ session: Session) {
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

extension Outcome {
  /// Whether the answer lets data or a page go where it was asked to go.
  fileprivate var letsHappen: Bool {
    switch self {
    case .allow, .warn, .handOff, .redact: true
    case .block, .redirect, .switchIdentity: false
    }
  }
}
