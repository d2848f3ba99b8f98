internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Platform
internal import PolicyEngine

/// Events before any policy loaded.
extension GuardCore {
  /// Answers an event of a connection that is attached to nothing: while no policy ever loaded there is no app to
  /// attach to, and `policyRequired` decides everything (amendments, navigation 1). Afterwards the app must attach.
  func decideWithoutPolicy(_ request: borrowing Request, on connection: Connection) throws(Refusal) {
    guard !snapshot.hasPolicy else { throw .notAttached }
    try engine.check(eventCall.event)
    let began = SystemClock.monotonicMicroseconds
    vitals.metrics.ask(at: began)
    eventCall.event.time = journal.now()
    let report = engine.report(engine.rulingWithoutPolicy)
    let id = journal.nextDecision()
    if journal.isShareFull(at: connection.logPlace), journal.refuses(report, at: connection.logPlace) {
      throw journal.shareIsFull
    }
    let number = recordWithoutPolicy(id, report, connection, began: began)
    vitals.metrics.count(snapshot.decisionWithoutPolicy, isRepeated: false)
    guard !request.isOneway else { return }
    writer.reset()
    writer.answer(DecisionReply(report, DecisionEnvelope(id: id)))
    hold(on: connection, record: number, allowing: report.outcome.letsHappen ? Withdrawable(id) : nil)
  }

  /// Records it of a user and a process, for want of an app.
  private func recordWithoutPolicy(
    _ id: DecisionID, _ report: DecisionReport, _ connection: Connection, began: UInt64
  ) -> UInt64 {
    guard !journal.isShareFull(at: connection.logPlace) else { return journal.newest }
    guard journal.takeRoom() else { return journal.next }
    var entry = DecisionEntry(id: id.text)
    entry.peer = LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid)
    // Without a policy the owner of the page is unknown.
    if eventCall.event.url != nil { entry.url = .withheld }
    if eventCall.event.from != nil { entry.from = .withheld }
    entry.durationMicroseconds = SystemClock.monotonicMicroseconds - began
    journal.record(of: connection.logPlace) { encoder, _, batch in
      encoder.encode(entry, of: eventCall.event, as: report, into: &batch)
    }
    return journal.newest
  }
}
