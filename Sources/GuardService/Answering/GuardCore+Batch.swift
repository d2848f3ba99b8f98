internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyEngine

/// Several questions at once: a batch, and the matrices of places and programs.
extension GuardCore {
  /// In order and under one policy. Nothing is decided unless all of it can be.
  func decideMany(
    _ call: DecideManyCall, _ request: borrowing Request, on connection: Connection
  ) throws(Refusal) {
    let session = try attached(connection)
    guard call.count <= DecideManyCall.maximum else {
      throw .limitReached(.questions, maximum: DecideManyCall.maximum)
    }
    let time = journal.now()
    try checkTexts(of: call.questions, at: time, on: connection, session)
    expireRules(at: time)
    begin(
      CallUnderWay(questions: .events(call.questions), session: session, time: time, isOneway: request.isOneway),
      on: connection)
  }

  /// If one question is refused, all are: the other answers would rest on selections that only raise.
  private func checkTexts(
    of questions: [EventCall], at time: UInt64, on connection: Connection, _ session: Session
  ) throws(Refusal) {
    do throws(Refusal) {
      for question in questions { try engine.check(question.event) }
    } catch {
      for question in questions {
        eventCall = question
        engine.raise(&eventCall.event, for: Caller(session.instance, connection: connection.number), at: time)
      }
      throw error
    }
  }

  // MARK: Matrices

  func decideLocations(_ call: DecideLocationsCall, _ connection: Connection) throws(Refusal) -> LocationsReply {
    let session = try attached(connection)
    let time = journal.now()
    expireRules(at: time)
    serving.charge(Location.allCases.count, bytes: Location.allCases.count * call.question.event.text.count)
    let caller = Caller(session.instance, connection: connection.number)
    let hints = try engine.decideLocations(call.question.event, as: call.kind.event, for: caller, at: time)
    if state.hasNewNames { settle(session) }
    return LocationsReply(hints)
  }

  func decidePeers(
    _ call: DecidePeersCall, _ request: borrowing Request, on connection: Connection
  ) throws(Refusal) {
    let session = try attached(connection)
    guard call.peers.count <= DecidePeersCall.maximum else {
      throw .limitReached(.questions, maximum: DecidePeersCall.maximum)
    }
    try engine.check(call.peers, call.question.event)
    let time = journal.now()
    expireRules(at: time)
    begin(
      CallUnderWay(
        questions: .programs(call.peers, call.question.event), session: session, time: time,
        isOneway: request.isOneway), on: connection)
  }
}
