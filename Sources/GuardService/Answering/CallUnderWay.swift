internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Platform
internal import PolicyEngine

/// A call of many questions, of which some are answered. The rest follows in its user's next turns, at the same time and
/// under the same policy, so that its reply is the one that it would have got at once.
///
/// INVARIANT: no other policy comes into force before it has ended; see `GuardCore.finishCalls`.
struct CallUnderWay {
  let questions: Questions
  let session: Session
  /// Milliseconds since 1970: that of all its questions.
  let time: UInt64
  let isOneway: Bool
  /// Start time, in microseconds of the monotonic clock.
  let began = SystemClock.monotonicMicroseconds
  var answered: [AnsweredEvent] = []
  var hints: [Hint] = []

  enum Questions {
    /// `DecideMany`.
    case events([EventCall])
    /// `DecidePeers`: a share with each of these programs.
    case programs([String], Event)
  }

  var count: Int {
    switch questions {
    case .events(let events): events.count
    case .programs(let programs, _): programs.count
    }
  }

  /// Number of questions answered so far.
  var done: Int { answered.count + hints.count }
}

extension GuardCore {
  /// Takes up a call of many questions; its first are answered when this one's frame is done.
  func begin(_ call: CallUnderWay, on connection: Connection) {
    connection.underWay = call
    serving.underWay[ObjectIdentifier(connection)] = connection
  }

  /// Answers questions of a connection's call until so much work is done, and the call with the last of them.
  func proceed(on connection: Connection, atMost maximum: Int = .max) {
    guard var call = connection.underWay.take() else { return }
    vitals.metrics.ask(at: call.began)
    defer { vitals.metrics.endCall() }
    let begin = serving.work
    while call.done < call.count, serving.work - begin < maximum { answerNext(of: &call, on: connection) }
    guard call.done == call.count else {
      connection.underWay = call
      return
    }
    serving.underWay[ObjectIdentifier(connection)] = nil
    do throws(Refusal) { try reply(to: call, on: connection) } catch {
      refuse(error, isOneway: call.isOneway, on: connection)
    }
  }

  /// Answers the rest of all such calls at once: a change is about to happen that they must not see halfway.
  func finishCalls() {
    guard !serving.underWay.isEmpty else { return }
    let event = eventCall
    for connection in serving.underWay.values { proceed(on: connection) }
    eventCall = event
  }

  private func answerNext(of call: inout CallUnderWay, on connection: Connection) {
    switch call.questions {
    case .events(let events):
      eventCall = events[call.done]
      serving.charge(1, bytes: eventCall.event.textCount)
      call.answered.append(decideEvent(at: call.time, on: connection, call.session))
    case .programs(let programs, let event):
      serving.charge(1, bytes: event.textCount)
      let program = programs[call.done]
      let caller = Caller(call.session.instance, connection: connection.number)
      call.hints.append(engine.decidePeer(program, event, for: caller, at: call.time))
      if state.hasNewNames { settle(call.session) }
    }
  }

  /// A batch with one refused answer is refused as a whole. Its records are withdrawn.
  private func refuse(_ answered: [AnsweredEvent]) throws(Refusal) {
    guard answered.contains(where: \.isRefused) else { return }
    for event in answered where !event.isRefused && event.form.report.outcome.letsHappen {
      let id = event.envelope.id
      if !event.envelope.isRepeated { withdraw([id...id]) }
    }
    throw journal.shareIsFull
  }

  private func reply(to call: CallUnderWay, on connection: Connection) throws(Refusal) {
    try refuse(call.answered)
    guard !call.isOneway else { return }
    writer.reset()
    switch call.questions {
    case .events:
      writer.answer(DecisionsReply(call.answered.map { DecisionReply($0.form.report.withoutPrograms, $0.envelope) }))
      hold(
        on: connection, record: call.answered.map(\.record).max() ?? 0, allowing: Withdrawable(of: call.answered))
    case .programs:
      writer.answer(PeersReply(call.hints))
      hold(on: connection, record: journal.newest)
    }
  }
}

/// Several questions at once: a batch, and the matrices of places and programs.
extension GuardCore {
  /// In order and under one policy. Nothing is decided unless all of it can be.
  func decideMany(
    _ call: DecideManyCall, _ request: borrowing Request, on connection: Connection
  ) throws(Refusal) {
    let session = try attached(connection)
    try call.checkCount()
    let time = journal.now()
    let caller = Caller(session.instance, connection: connection.number)
    try engine.admit(call.questions.map(\.event), for: caller, at: time)
    expireRules(at: time)
    begin(
      CallUnderWay(questions: .events(call.questions), session: session, time: time, isOneway: request.isOneway),
      on: connection)
  }

  // MARK: Matrices

  func decideLocations(_ call: DecideLocationsCall, _ connection: Connection) throws(Refusal) -> LocationsReply {
    let session = try attached(connection)
    let time = journal.now()
    expireRules(at: time)
    serving.charge(Location.allCases.count, bytes: Location.allCases.count * call.question.event.textCount)
    let caller = Caller(session.instance, connection: connection.number)
    var event = call.question.event
    event.lacking = connection.lacking
    readOwners(of: &event, for: session, connection)
    let hints = try engine.decideLocations(event, as: call.kind.event, for: caller, at: time)
    if state.hasNewNames { settle(session) }
    return LocationsReply(hints)
  }

  func decidePeers(
    _ call: DecidePeersCall, _ request: borrowing Request, on connection: Connection
  ) throws(Refusal) {
    let session = try attached(connection)
    try call.checkCount()
    try engine.check(call.peers, call.question.event)
    let time = journal.now()
    expireRules(at: time)
    var event = call.question.event
    event.lacking = connection.lacking
    readOwners(of: &event, for: session, connection)
    begin(
      CallUnderWay(
        questions: .programs(call.peers, event), session: session, time: time,
        isOneway: request.isOneway), on: connection)
  }
}
