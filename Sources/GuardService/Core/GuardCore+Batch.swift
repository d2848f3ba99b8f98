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
    let time = clock.now()
    try checkTexts(of: call.questions, at: time, on: connection, session)
    expireRules(at: time)
    begin(
      CallUnderWay(questions: .events(call.questions), session: session, time: time, isOneway: request.isOneway),
      on: connection)
  }

  /// Where one question is refused, all are: what the others tell of selections only raises.
  private func checkTexts(
    of questions: [EventCall], at time: UInt64, on connection: Connection, _ session: Session
  ) throws(GuardError) {
    do throws(GuardError) {
      for question in questions { try checkTexts(of: question.event) }
    } catch {
      for question in questions {
        eventCall = question
        raiseRefused(at: time, on: connection, session)
      }
      throw error
    }
  }

  // MARK: Matrices

  func decideLocations(_ call: DecideLocationsCall, _ connection: Connection) throws(GuardError) -> LocationsReply {
    let session = try attached(connection)
    let event = try hinted(call.question, as: call.kind.event, connection)
    charge(Location.allCases.count, bytes: Location.allCases.count * event.text.count)
    let decisions = PolicyEngine.decideLocations(event, of: session.instance, &state, under: snapshot)
    if state.hasNewNames { settle(session) }
    return LocationsReply(
      zip(Location.allCases, decisions).map { location, decision in
        Hint(location.name, decision.outcome, decision.reason)
      })
  }

  func decidePeers(
    _ call: DecidePeersCall, _ request: borrowing Request, on connection: Connection
  ) throws(GuardError) {
    let session = try attached(connection)
    guard call.peers.count <= DecidePeersCall.maximum else {
      throw .limitReached(.questions, maximum: DecidePeersCall.maximum)
    }
    for peer in call.peers where peer.utf8.count > state.limits.nameBytes {
      throw .limitReached(.nameBytes, maximum: state.limits.nameBytes)
    }
    let event = try hinted(call.question, as: .share, connection)
    begin(
      CallUnderWay(
        questions: .programs(call.peers, event), session: session, time: event.time, isOneway: request.isOneway),
      on: connection)
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
