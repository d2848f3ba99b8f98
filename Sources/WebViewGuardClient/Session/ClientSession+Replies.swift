internal import GuardModel

extension ClientSession {
  /// Attaches the app under its earlier token. A scope joins: the instance may have ended while it connected, and without a
  /// token it would begin one of its own, which knows no viewers. The daemon knows no empty token, and refuses it.
  mutating func attach(at time: Int64) {
    hello.write(to: &output, token: isJoined ? joinedInstance ?? "" : token)
    sent.append(.attach(deadline: time + Int64(contract.startMilliseconds)))
  }

  mutating func attached(_ message: Message, at time: Int64) {
    switch message.answer {
    case .refused(let refusal) where refusal.word == "UnknownInstance" && token != nil && !isJoined:
      token = nil
      registrations.startAnew()
      attach(at: time)
    case .refused(let refusal) where refusal.word == "NoPolicy":
      // Questions are answered without `Attach` until a policy is loaded.
      attachment = [:]
      becomeReady(isAttached: false)
      // They were refused because the session is not attached; this is the cause.
      let refused = waiting.filter(\.isAskedAgain)
      waiting.removeAll(where: \.isAskedAgain)
      for call in refused { finish(call, message.answer) }
    case .refused(let refusal): lost(.attachRefused(refusal), at: time)
    case .reply(let members): begin(members, at: time)
    case .nothing, .cancelled: break
    }
  }

  private mutating func begin(_ members: [String: GuardValue], at time: Int64) {
    guard let token = members["instance"]?.string else { return lost(.unreadable, at: time) }
    self.token = token
    (hasAttached, attachment) = (true, members)
    contract = FailureContract(reading: members["contract"] ?? .null)
    let deadline = time + Int64(contract.startMilliseconds)
    replays = registrations.statements.map { .replay($0, deadline: deadline) }
    becomeReady(isAttached: true)
  }

  private mutating func becomeReady(isAttached: Bool) {
    link = .up(isAttached: isAttached)
    attemptIsSlow = false
    latestProblem = nil
    backOff.reset()
    effects.append(.stand(standing))
    settle()
  }

  /// All earlier statements have been repeated.
  var isSettled: Bool {
    let isUnderWay = sent.contains { if case .replay = $0 { true } else { false } }
    return replays.isEmpty && !isUnderWay
  }

  private mutating func settle() {
    guard isSettled else { return }
    for starter in starters { effects.append(.give(starter.answer, .reply([:]))) }
    starters = []
  }

  /// The statement first succeeded without this error, so the error must not surface in a question.
  mutating func replayed(_ statement: Statement, _ message: Message) {
    registrations.replayed(statement)
    if case .refused(let refusal) = message.answer, statement.method != "ForgetViewer" {
      effects.append(.report(.replayRefused(method: statement.method, refusal)))
    }
    settle()
  }

  mutating func replied(to call: ClientCall, _ wasAttached: Bool, _ message: Message, at time: Int64) {
    if case .refused(let refusal) = message.answer, refusal.word == "NotAttached", !wasAttached {
      askAgain(call, at: time)
    } else {
      finish(call, message.answer)
    }
  }

  /// A policy may have loaded meanwhile: attaches, and asks once more, in the order of the calls.
  private mutating func askAgain(_ call: ClientCall, at time: Int64) {
    if link == .up(isAttached: false) {
      link = .attaching
      attach(at: time)
    }
    var call = call
    call.isAskedAgain = true
    waiting.insert(call, at: waiting.prefix(while: \.isAskedAgain).count)
  }

  /// Sends all calls that it may: first the app's earlier statements, then the waiting calls.
  ///
  /// The attack: an answer that came twice lies behind the reply after which the next question is sent, and would be that
  /// question's. So a reply that is there already must have been looked at.
  package mutating func flush(at time: Int64) {
    guard case .up(let isAttached) = link else { return }
    while sent.count < Self.maximumSent, !replays.isEmpty {
      let replay = replays.removeFirst()
      sent.append(replay)
      if case .replay(let statement, _) = replay {
        output += MessageText.call(statement.method, parameters: { statement.write(to: &$0) })
      }
    }
    while sent.count < Self.maximumSent, !waiting.isEmpty {
      let call = waiting.removeFirst()
      // The caller no longer waits for the answer to this question.
      if call.purpose.isQuestion, call.answer.given != nil { continue }
      let remaining = Int(max(call.deadline - time, 1))
      output += MessageText.call(
        call.method, call.isOneway ? .oneway : .one, parameters: { call.write(&$0, remaining) })
      if call.isOneway { finish(call, .reply([:])) } else { sent.append(.call(call, wasAttached: isAttached)) }
    }
  }

  /// Gives a call its answer, and remembers its consequences.
  mutating func finish(_ call: ClientCall, _ answer: CallAnswer) {
    switch (call.purpose, answer) {
    case (.statement(let statement), .reply(let members)): remember(statement, members)
    case (.statement(let statement), .nothing): rememberUnheard(statement)
    case (.statement(let statement), .refused(let refusal)) where refusal.word == "NoPolicy":
      rememberUnheard(statement)
    case (.question(let viewers), .reply(let members)) where isJoined:
      effects.append(.noteSwitches(members, viewers: viewers))
    case (.question(let viewers), .reply(let members)): switches.note(members, viewers, registrations)
    case (.switching(let request, let result), .reply):
      if let asked = switches.end(request), result == .success {
        registrations.remember(.identity(asked.level, asked.shown, gates: nil), isDelivered: true)
      }
    case (.switching(let request, _), .nothing):
      if let asked = switches.end(request) { registrations.takeBack(asked.level) }
    default: break
    }
    effects.append(.give(call.answer, answer))
  }

  private mutating func remember(_ statement: Statement, _ reply: [String: GuardValue]) {
    // A failed switch changed nothing.
    if case .identity(_, _, .some) = statement, reply["result"]?.string != SwitchResult.success.rawValue { return }
    registrations.remember(statement, isDelivered: true)
    noteViewer(statement)
  }

  private mutating func rememberUnheard(_ statement: Statement) {
    if case .identity(let level, _, .some) = statement { return registrations.takeBack(level) }
    registrations.remember(statement, isDelivered: false)
    noteViewer(statement)
  }

  private mutating func noteViewer(_ statement: Statement) {
    switch statement {
    case .viewer(let viewer):
      guard let opener = viewer.opener, registrations.live[viewer.name] != nil else { return }
      actions.registered(viewer.name, opener: opener)
    case .forget(let viewer): actions.forgot(viewer)
    default: break
    }
  }
}
