internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// `Acknowledge`: an app reports the result of a decision.
extension GuardCore {
  /// Records the app's final action. A warning passed over without a reason counts as not passed over.
  func acknowledge(_ call: AcknowledgeCall, _ connection: Connection) throws -> EmptyReply {
    let session = try attached(connection)
    let maximum = AcknowledgeCall.maximumJustification
    if let justification = call.justification, justification.utf8.count > maximum {
      throw Refusal.limitReached(.justificationBytes, maximum: maximum)
    }
    guard let id = DecisionID(call.decision), let outcome = session.answered.outcome(of: id) else {
      throw Refusal.unknownDecision(String(call.decision.prefix(64)))
    }
    if outcome == .warn, call.outcome.letsHappen, call.justification?.isEmpty ?? true {
      throw ServiceError.invalidParameter("justification")
    }
    session.answered.remove(id)
    let entry = Acknowledgement(
      decision: id.text, app: session.app, instance: session.logName,
      peer: LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid), decided: outcome,
      outcome: call.outcome, justification: call.justification)
    journal.record(by: connection.peer.person) { $0.encode(entry, at: $1, into: &$2) }
    return EmptyReply()
  }
}
