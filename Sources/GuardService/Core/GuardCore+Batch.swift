internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyEngine

/// Several questions at once: a batch, and the matrices of places and programs.
extension GuardCore {
  /// In order and under one policy. Nothing is decided unless all of it can be.
  func decideMany(
    _ call: DecideManyCall, _ request: borrowing Request, on connection: Connection
  ) throws(GuardError) {
    let session = try attached(connection)
    guard call.count <= DecideManyCall.maximum else {
      throw .limitReached(.questions, maximum: DecideManyCall.maximum)
    }
    for question in call.questions { try checkTexts(of: question.event) }
    let time = clock.now()
    expireRules(at: time)
    var answered: [AnsweredEvent] = []
    for question in call.questions {
      eventCall = question
      answered.append(decideEvent(at: time, on: connection, session))
    }
    try refuse(answered)
    guard !request.isOneway else { return }
    writer.reset()
    writer.answer(DecisionsReply(answered.map { DecisionReply($0.form.report, $0.envelope) }))
    hold(on: connection, record: answered.map(\.record).max() ?? 0, allowing: Self.withdrawable(answered))
  }

  /// The decisions that must be withdrawn when the reply cannot leave; nil when none of them lets anything happen.
  private static func withdrawable(_ answered: [AnsweredEvent]) -> ClosedRange<DecisionID>? {
    guard answered.contains(where: { $0.form.report.outcome.letsHappen }) else { return nil }
    let ids = answered.map(\.envelope).filter { !$0.isRepeated }.map(\.id)
    // All repeated: the first of them stands for the reply.
    guard let first = ids.min(), let last = ids.max() else { return answered.first.map { $0.id...$0.id } }
    return first...last
  }

  // MARK: Matrices

  func decideLocations(_ call: DecideLocationsCall, _ connection: Connection) throws(GuardError) -> LocationsReply {
    let session = try attached(connection)
    let event = try hinted(call.question, as: call.kind.event, connection)
    let decisions = PolicyEngine.decideLocations(event, of: session.instance, &state, under: snapshot)
    return LocationsReply(
      zip(Location.allCases, decisions).map { location, decision in
        Hint(location.name, decision.outcome, decision.reason)
      })
  }

  func decidePeers(_ call: DecidePeersCall, _ connection: Connection) throws(GuardError) -> PeersReply {
    let session = try attached(connection)
    guard call.peers.count <= DecidePeersCall.maximum else {
      throw .limitReached(.questions, maximum: DecidePeersCall.maximum)
    }
    for peer in call.peers where peer.utf8.count > state.limits.nameBytes {
      throw .limitReached(.nameBytes, maximum: state.limits.nameBytes)
    }
    let event = try hinted(call.question, as: .share, connection)
    let decisions = PolicyEngine.decidePeers(call.peers, event, of: session.instance, &state, under: snapshot)
    return PeersReply(
      zip(call.peers, decisions).map { peer, decision in Hint(peer, decision.outcome, decision.reason) })
  }

  private func hinted(
    _ question: EventCall, as kind: EventKind, _ connection: Connection
  ) throws(GuardError) -> Event {
    try checkTexts(of: question.event)
    var event = question.event
    event.kind = kind
    event.time = clock.now()
    event.scope = connection.scope
    expireRules(at: event.time)
    return event
  }
}

extension AnsweredEvent {
  fileprivate var id: DecisionID { envelope.id }
}
