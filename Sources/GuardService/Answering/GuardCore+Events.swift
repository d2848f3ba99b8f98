internal import Bytes
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import NIOCore
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// Events: from the message to the decision, the record and the answer, in this order.
extension GuardCore {
  func decideEvent(_ request: borrowing Request, on connection: Connection) throws(Refusal) {
    guard let session = connection.session else { return try decideWithoutPolicy(request, on: connection) }
    let time = journal.now()
    try engine.admit(&eventCall.event, for: Caller(session.instance, connection: connection.number), at: time)
    expireRules(at: time)
    let answered = decideEvent(at: time, on: connection, session)
    if answered.isRefused { throw journal.shareIsFull }
    if !request.isOneway { hold(answered, on: connection) }
  }

  /// Decides and records the admitted event in `eventCall`, under the policy in force.
  func decideEvent(at time: UInt64, on connection: Connection, _ session: Session) -> AnsweredEvent {
    let began = SystemClock.monotonicMicroseconds
    vitals.metrics.ask(at: began)
    let caller = Caller(session.instance, connection: connection.number)
    eventCall.event.isWithheld = eventCall.event.kind.fillsSelections && !journal.mayDecide(at: connection.logPlace)
    eventCall.event.lacking = connection.lacking
    let claims = Self.lending(&eventCall.event) { (label: $0.labelOwner, kept: $0.keptOwner) }
    if Self.lending(&eventCall.event, { $0.hasFileOwner }) {
      readOwners(of: &eventCall.event, for: session, connection)
    }
    engine.decideAdmitted(&eventCall.event, for: caller, at: time, into: &ruling)
    if state.hasNewNames { settle(session) }
    if eventCall.event.isProbe, eventCall.event.kind.countsAsIdentity { return probed(session) }
    Self.lend(&eventCall.event) { event in
      vitals.recentEvents.note(
        event, ruling.decision, of: session.instance, app: session.app, uid: connection.peer.person)
    }
    let key = eventCall.event.action == nil ? nil : RecentActions.key(of: eventCall.event)
    if let key, let earlier = earlierAnswer(key, session) {
      vitals.metrics.count(ruling.decision, isRepeated: true)
      let envelope = DecisionEnvelope(id: earlier.id, isRepeated: true)
      return AnsweredEvent(form: earlier.form, envelope: envelope, record: earlier.record ?? 0)
    }
    let form = form(for: session)
    let took = SystemClock.monotonicMicroseconds - began
    vitals.metrics.count(deciding: took)
    let id = journal.nextDecision()
    if journal.isShareFull(at: connection.logPlace), form.isRecorded,
      journal.refuses(form.report, at: connection.logPlace)
    {
      return AnsweredEvent(form: form, envelope: DecisionEnvelope(id: id), record: 0, isRefused: true)
    }
    notePages(form, session)
    let number = recordDecision(id, form, connection, session, took: took)
    remember(id, form, session, claims, isWritten: number != nil && number == journal.newest)
    if let key { rememberAction(key, id, form, number, session) }
    vitals.metrics.count(ruling.decision, isRepeated: false)
    if !serving.watchers.isEmpty { tellWatchers(id, form, session) }
    if ruling.decision.switchRequest != nil { tellOfSwitches(of: session, at: time) }
    return AnsweredEvent(
      form: form, envelope: DecisionEnvelope(id: id), record: number ?? journal.newest)
  }

  /// The answer to a question that only draws a menu: no record rests on it, and no app acknowledges it.
  private func probed(_ session: Session) -> AnsweredEvent {
    AnsweredEvent(form: form(for: session), envelope: DecisionEnvelope(id: journal.nextDecision()), record: 0)
  }

  /// Lends in place: Swift would copy the contents of a class otherwise, with a count for every part of it.
  @inline(__always)
  private static func lend<Value, Failure>(
    _ value: inout Value, to body: (borrowing Value) throws(Failure) -> Void
  ) throws(Failure) {
    try body(value)
  }

  private func earlierAnswer(_ key: [UInt8], _ session: Session) -> RecentActions.Entry? {
    session.actions.repetition(
      of: key, ruling.decision, generation: snapshot.generation.number, at: eventCall.event.time)
  }

  private func rememberAction(
    _ key: [UInt8], _ id: DecisionID, _ form: RenderedAnswer, _ record: UInt64?, _ session: Session
  ) {
    let entry = RecentActions.Entry(
      key: key, time: eventCall.event.time, decision: ruling.decision, generation: snapshot.generation.number, id: id,
      form: form, record: record)
    journal.recordRepeats(session.actions.insert(entry))
  }

  /// Records the decision and returns the number of its record; nil where the app's policy wants it only counted.
  /// `Benchmarks/instructions` finds it by its name.
  @inline(never)
  private func recordDecision(
    _ id: DecisionID, _ form: RenderedAnswer, _ connection: Connection, _ session: Session, took: UInt64
  ) -> UInt64? {
    guard form.isRecorded else {
      journal.count(CountKey(session.app, form.report))
      return nil
    }
    guard !journal.isShareFull(at: connection.logPlace), !isTooFast(form, connection, session) else { return nil }
    guard journal.takeRoom(), let recorder = journal.recorder else { return journal.next }
    recorder.entry.number = journal.digits(of: id)
    recorder.entry.setAsker(session, connection.peer)
    Self.describe(&recorder.entry, &eventCall.event, &ruling, &state, form, session.privateViewers)
    recorder.entry.durationMicroseconds = took
    recorder.recordEntry(of: &eventCall.event, as: form, from: connection.logPlace)
    return recorder.newest
  }

  /// Whether a page does more by itself than is recorded one by one; the rest is counted.
  private func isTooFast(_ form: RenderedAnswer, _ connection: Connection, _ session: Session) -> Bool {
    guard Self.lending(&eventCall.event, { RecordRates.isOfPage($0) }) else { return false }
    let viewer = eventCall.event.string(eventCall.event.viewer) ?? ""
    let answer = session.recordRates.take(PrivateViewers.key(of: viewer), at: eventCall.event.time)
    guard answer != .recorded else { return false }
    var key = CountKey(session.app, form.report)
    (key.instance, key.viewer) = (session.logName, viewer)
    (key.uid, key.place) = (connection.peer.uid, connection.logPlace)
    journal.count(key)
    if answer == .firstCounted { journal.recordCounts(of: key) }
    return true
  }

  @inline(__always)
  private static func lending<Value, Result>(
    _ value: inout Value, _ body: (borrowing Value) -> Result
  ) -> Result {
    body(value)
  }

  /// Notes which pages of the event's viewer the log may name later.
  private func notePages(_ form: RenderedAnswer, _ session: Session) {
    Self.notePages(&eventCall.event, &ruling, form, &session.privateViewers)
  }

  private static func notePages(
    _ event: inout Event, _ ruling: inout Ruling, _ form: RenderedAnswer, _ viewers: inout PrivateViewers
  ) {
    guard let slot = event.viewer, form.isPrivate || !viewers.isEmpty else { return }
    let viewer = PrivateViewers.key(event.bytes(slot))
    if form.isPrivate {
      viewers.note(viewer)
    } else if let url = ruling.judgedURL() {
      viewers.name(url, in: viewer)
    }
  }

  /// Fills in the values that the decision read; in place, as `decide` does it.
  private static func describe(
    _ entry: inout DecisionEntry, _ event: inout Event, _ ruling: inout Ruling, _ state: inout GuardState,
    _ form: RenderedAnswer, _ viewers: borrowing PrivateViewers
  ) {
    (entry.url, entry.from) = (.absent, .absent)
    if form.isPrivate {
      if ruling.judgedURLIsInvalid || ruling.judgedURL() != nil { entry.url = .withheld }
      if ruling.judgedFrom() != nil { entry.from = .withheld }
    } else {
      if ruling.judgedURLIsInvalid {
        entry.url = .invalid(byteCount: (event.url ?? event.from)?.count ?? 0)
      } else if let url = ruling.judgedURL() {
        entry.url = .valid(url)
      }
      if let from = ruling.judgedFrom() { entry.from = named(from, event, viewers) }
    }
    entry.owner = event.owner == nil ? nil : state.accountName(event.owner, in: event)
    entry.locationAccount = event.locationAccount == nil ? nil : state.accountName(event.locationAccount, in: event)
    entry.fileOwner = event.namedFileOwner == nil ? nil : state.accountName(event.namedFileOwner, in: event)
    entry.peerAccount = event.peerAccount == nil ? nil : state.accountName(event.peerAccount, in: event)
  }

  private static func named(_ from: URLText, _ event: borrowing Event, _ viewers: borrowing PrivateViewers) -> LoggedURL
  {
    guard !viewers.isEmpty, let slot = event.viewer else { return .valid(from) }
    return viewers.mayName(from, in: PrivateViewers.key(event.bytes(slot))) ? .valid(from) : .withheld
  }

  private func remember(
    _ id: DecisionID, _ form: RenderedAnswer, _ session: Session,
    _ claims: (label: FileOwnerClaim, kept: FileOwnerClaim), isWritten: Bool
  ) {
    if form.report.outcome == .warn {
      var question = eventCall.event
      // As they were asked: the owners are read anew when the person goes on.
      (question.labelOwner, question.keptOwner) = claims
      session.answered.insert(id, warningOf: question)
    } else {
      session.answered.insert(id, form.report.outcome)
    }
    let url = form.isPrivate ? nil : redactedURLBytes(isWritten: isWritten)
    Self.remember(id, form, session.app, &eventCall.event, &vitals.recent, url: url)
  }

  private static func remember(
    _ id: DecisionID, _ form: RenderedAnswer, _ app: String, _ event: inout Event, _ recent: inout RecentDecisions,
    url: GrowingBytes?
  ) {
    recent.insert(id, form, of: event, app: app, url: url)
  }

  /// The URL as the log has it; `isWritten` when the newest record is that of this decision, and has it.
  private func redactedURLBytes(isWritten: Bool) -> GrowingBytes? {
    if isWritten {
      let written = journal.judgedURL
      if !written.isEmpty { return written }
    }
    guard let url = ruling.judgedURL() else { return nil }
    redacted.removeAll()
    _ = policy.settings.log.redaction.append(url, to: &redacted)
    return redacted
  }

  private var redactedURL: String? {
    redactedURLBytes(isWritten: false).map(\.string)
  }

  /// Shows the decision to everybody who watches; a slow watcher misses some and is told how many.
  private func tellWatchers(_ id: DecisionID, _ form: RenderedAnswer, _ session: Session) {
    let event = eventCall.event
    let url = form.isPrivate ? nil : redactedURL
    let report = shown(form.report, url: url, isPrivate: form.isPrivate)
    for connection in serving.watchers.values {
      guard connection.channel.isWritable else {
        connection.skipped = (connection.skipped ?? 0) + 1
        continue
      }
      let reply = MonitorReply(
        time: event.time, app: session.app, viewer: event.string(event.viewer), event: event.kind, url: url,
        decision: DecisionReply(report, DecisionEnvelope(id: id)), skipped: connection.skipped ?? 0)
      connection.skipped = 0
      writer.reset()
      writer.answer(reply, continues: true)
      send(writer.span, to: connection)
    }
  }
}

extension DecisionEntry {
  /// Names who asked: a process of the instance.
  mutating func setAsker(_ session: Session, _ peer: Peer) {
    app = session.app
    instance = session.logName
    self.peer = LoggedPeer(uid: peer.uid, pid: peer.pid)
  }
}

/// A decision on its way to the app.
struct AnsweredEvent {
  var form: RenderedAnswer
  var envelope: DecisionEnvelope
  /// The number of the record that it rests on.
  var record: UInt64
  /// It cannot be recorded, and so must not leave.
  var isRefused = false
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
