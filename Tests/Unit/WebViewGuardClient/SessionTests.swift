import GuardModel
import Testing
import WebViewGuardClient

/// How long a question waits, and how long a daemon that failed is left alone: said by a clock that only the test moves,
/// so that no other work of the machine can pass a time.
@Suite struct SessionTests {
  /// A session, the time that it is there, in milliseconds, and what it wants the line to do.
  private struct OfflineReplay {
    var session = ClientSession(hello: Hello(app: "a"), actionPrefix: "p")
    var now: Int64 = 0

    /// Lets the time pass, and the thread come by; what the line is to do.
    mutating func pass(_ milliseconds: Int64) -> LineWish {
      now += milliseconds
      return session.turn(at: now)
    }

    /// The next time at which something is due by itself.
    mutating func passUntilDue() -> LineWish { pass(session.nextTime - now) }

    mutating func hear(_ text: String) throws {
      session.received(try #require(Message(reading: ArraySlice(text.utf8))), at: now)
      session.flush(at: now)
    }

    /// Connects, and attaches.
    mutating func connect(answerMs: Int) throws {
      #expect(session.turn(at: now) == .connect)
      session.opened(at: now)
      try hear(Wire.attached(answerMs: answerMs))
    }

    /// Asks; the answer is among `answered` as soon as it is given.
    mutating func ask() -> PendingAnswer { session.ask("Navigate", at: now) { _, _ in } }

    /// What was given until now and not taken before, and what was told.
    mutating func take() -> (answered: [PendingAnswer], problems: [GuardProblem]) {
      defer { session.effects = [] }
      let answered = session.effects.compactMap { if case .give(let pending, .nothing) = $0 { pending } else { nil } }
      return (answered, session.effects.compactMap { if case .report(let problem) = $0 { problem } else { nil } })
    }
  }

  @Test func aQuestionIsOverAtItsDeadlineAndNotBefore() throws {
    var rehearsal = OfflineReplay()
    try rehearsal.connect(answerMs: 200)
    let asked = rehearsal.ask()
    #expect(rehearsal.session.nextTime == 200)
    #expect(rehearsal.pass(199) == .stay)
    #expect(rehearsal.take().answered.isEmpty)
    #expect(rehearsal.pass(1) == .rest)
    let (answered, problems) = rehearsal.take()
    #expect(answered.map(ObjectIdentifier.init) == [ObjectIdentifier(asked)])
    #expect(problems == [.missedDeadline])
  }

  /// The first connection of the client has heard meanwhile that the daemon does not know its instance.
  @Test func aScopeWhoseInstanceEndsWhileItConnectsBeginsNone() throws {
    var session = ClientSession(hello: Hello(app: "a"), actionPrefix: "p", isJoined: true)
    session.joinedInstance = "T1"
    #expect(session.turn(at: 0) == .connect)
    session.joinedInstance = nil
    session.opened(at: 0)
    #expect(String(decoding: session.output, as: UTF8.self).contains(#""instance":"""#))
    let refusal = ArraySlice(#"{"error":"org.webviewguard.Guard.UnknownInstance","parameters":{}}"#.utf8)
    session.received(try #require(Message(reading: refusal)), at: 0)
    #expect(session.turn(at: 100_000) == .rest)
  }

  /// Later questions have deadlines of their own, and go down with the connection.
  @Test func oneMissedDeadlineAnswersAllThatWait() throws {
    var rehearsal = OfflineReplay()
    try rehearsal.connect(answerMs: 200)
    for _ in 0..<60 {
      _ = rehearsal.ask()
      #expect(rehearsal.pass(1) == .stay)
    }
    #expect(rehearsal.take().answered.isEmpty)
    #expect(rehearsal.passUntilDue() == .rest)
    #expect(rehearsal.now == 200)
    #expect(rehearsal.take().answered.count == 60)
  }

  @Test func nobodyWaitsInTheBackOff() throws {
    var rehearsal = OfflineReplay()
    try rehearsal.connect(answerMs: 200)
    for _ in 0..<5 {
      _ = rehearsal.ask()
      #expect(rehearsal.passUntilDue() == .rest)
      _ = rehearsal.take()
      let (begin, end) = (rehearsal.now, rehearsal.session.nextTime)
      #expect((100...125).contains(end - begin))
      while rehearsal.now < end {
        // Given before `ask` returns, and no attempt is made for it.
        let asked = rehearsal.ask()
        #expect(rehearsal.take().answered.map(ObjectIdentifier.init) == [ObjectIdentifier(asked)])
        #expect(rehearsal.session.nextTime == end)
        #expect(rehearsal.pass(1) == (rehearsal.now < end ? .rest : .connect))
      }
      rehearsal.session.opened(at: rehearsal.now)
      try rehearsal.hear(Wire.attached(answerMs: 200))
      // It is over: who asks now waits again.
      _ = rehearsal.ask()
      #expect(rehearsal.take().answered.isEmpty)
    }
  }

  /// An `Attach` that is not answered: one question waits for it, and the others do not, for as long as it takes.
  @Test func nobodyWaitsForASlowAttachASecondTime() throws {
    var rehearsal = OfflineReplay()
    #expect(rehearsal.pass(0) == .connect)
    rehearsal.session.opened(at: rehearsal.now)
    let contract = FailureContract()
    _ = rehearsal.ask()
    #expect(rehearsal.passUntilDue() == .stay)
    #expect(rehearsal.now == Int64(contract.answerMilliseconds))
    #expect(rehearsal.take().answered.count == 1)
    while rehearsal.session.nextTime > rehearsal.now + 1 {
      _ = rehearsal.ask()
      #expect(rehearsal.take().answered.count == 1)
      #expect(rehearsal.pass(1) == .stay)
    }
    #expect(rehearsal.passUntilDue() == .rest)
    #expect(rehearsal.now == Int64(contract.startMilliseconds))
    #expect(rehearsal.take().problems == [.missedDeadline])
  }

  /// Whoever listens and wants nobody: 100, 200, 400 … 5,000 ms, each up to a quarter longer; questions shorten none.
  @Test(arguments: [GuardProblem.missedDeadline, .unreadable])
  func thePausesGrow(problem: GuardProblem) {
    var rehearsal = OfflineReplay()
    #expect(rehearsal.pass(0) == .connect)
    var least: Int64 = 100
    for _ in 0..<12 {
      rehearsal.session.opened(at: rehearsal.now)
      rehearsal.session.lost(problem, at: rehearsal.now)
      let pause = rehearsal.session.nextTime - rehearsal.now
      #expect((least...least * 5 / 4).contains(pause))
      _ = rehearsal.ask()
      #expect(rehearsal.pass(pause / 2) == .rest)
      #expect(rehearsal.passUntilDue() == .connect)
      least = min(least * 2, 5_000)
    }
  }

  /// Whoever listened and went is asked again, each question at most every 100 ms; an empty place is looked at each time.
  @Test func aQuestionTriesWhereThatCostsNothing() throws {
    var rehearsal = OfflineReplay()
    for _ in 0..<20 {
      _ = rehearsal.ask()
      #expect(rehearsal.pass(0) == .connect)
      rehearsal.session.lost(.missing(path: "/none"), at: rehearsal.now)
      #expect(rehearsal.take().answered.count == 1)
    }
    var rehearsed = OfflineReplay()
    try rehearsed.connect(answerMs: 200)
    rehearsed.session.lost(.closed, at: rehearsed.now)
    for _ in 0..<99 {
      #expect(rehearsed.pass(1) == .rest)
      _ = rehearsed.ask()
      #expect(rehearsed.take().answered.count == 1)
    }
    #expect(rehearsed.pass(1) != .stay)
    _ = rehearsed.ask()
    #expect(rehearsed.take().answered.isEmpty)
  }
}
