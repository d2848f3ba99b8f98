internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// What an app says came of what it was told: `Answer` and `Acknowledge`.
extension GuardCore {
  /// Ends a switch that the daemon asked for.
  func answerSwitch(_ call: AnswerCall, _ connection: Connection) throws(GuardError) -> EmptyReply {
    let session = try attached(connection)
    let time = clock.now()
    let request = SwitchRequestID(call.request)
    let asked = state.openRequests(of: session.instance, at: time).first { $0.id == request }
    var change = StateChange(.answer)
    change.request = call.request
    change.result = call.result
    change.window = asked?.window.map { String(decoding: $0, as: UTF8.self) }
    change.identityLevel = asked.map { $0.window == nil ? .process : .window }
    change.account = asked.flatMap { state.name(of: $0.to) }
    do throws(GuardError) { try state.end(call, in: session.instance, at: time, snapshot) } catch {
      // An answer to nothing says nothing of accounts.
      if asked != nil { recordRefusal(error, ofAnswer: change, session, by: connection.peer) }
      throw error
    }
    record(change, of: session, by: connection.peer)
    return EmptyReply()
  }

  /// Records what the app did in the end. A warning that was passed over without a reason was not passed over.
  func acknowledge(_ call: AcknowledgeCall, _ connection: Connection) throws -> EmptyReply {
    let session = try attached(connection)
    let maximum = AcknowledgeCall.maximumJustification
    if let justification = call.justification, justification.utf8.count > maximum {
      throw GuardError.limitReached(.justificationBytes, maximum: maximum)
    }
    guard let id = DecisionID(call.decision), let outcome = session.answered.outcome(of: id) else {
      throw GuardError.unknownDecision(String(call.decision.prefix(64)))
    }
    if outcome == .warn, call.outcome.letsHappen, call.justification?.isEmpty ?? true {
      throw ServiceError.invalidParameter("justification")
    }
    session.answered.remove(id)
    guard !isLimited(connection.peer.person), recorder?.hasRoom() ?? false else { return EmptyReply() }
    let entry = Acknowledgement(
      decision: id.text, app: session.app, instance: session.logName,
      peer: DecisionLog.Peer(uid: connection.peer.uid, pid: connection.peer.pid), decided: outcome,
      outcome: call.outcome, justification: call.justification)
    recorder?.record(of: connection.logPlace) { $0.encode(entry, at: clock.now(), into: &$1) }
    return EmptyReply()
  }
}
