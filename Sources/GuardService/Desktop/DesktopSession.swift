package import Bus
internal import Glibc
internal import GuardModel
internal import Platform
internal import PolicyEngine

/// The work of the bus's thread: questions to persons that are under way, and readings of their presence.
package struct DesktopSession: ~Copyable {
  private struct Question {
    var number: UInt64
    var ask: UnlockAsk
    /// Nil while polkit is asked without a dialogue.
    var cancellation: String?
    var deadline: Int64
  }

  private struct Reading {
    var sessions: [UInt64: PresenceReading.Session] = [:]
    var listing: UInt64?
    var found: [UInt32: [Presence]] = [:]
    var deadline: Int64
  }

  private let waking: Int32
  private let opening: @Sendable () throws(BusError) -> Bus
  private var bus: Bus?
  private var questions: [UInt64: Question] = [:]
  private var reading: Reading?
  private var watched: Set<UInt32> = []
  private var nextReading: Int64 = 0
  /// After a failure the bus is not opened again before this time.
  private var retryAt: Int64 = 0
  private var news: [DesktopBus.News] = []

  /// Milliseconds between two readings of the persons who are watched; news of sessions bring one sooner.
  private static let interval: Int64 = 30_000
  /// Milliseconds from the first news of sessions to a reading: news mostly come in groups.
  private static let settling: Int64 = 300
  private static let retry: Int64 = 5_000
  private static let patience: Int64 = 10_000

  /// - Parameters:
  ///   - waking: a descriptor that is readable when new orders have come; -1 for none.
  ///   - opening: connects to the bus.
  package init(
    waking: Int32, opening: @escaping @Sendable () throws(BusError) -> Bus = { () throws(BusError) in try Bus(.system) }
  ) {
    self.waking = waking
    self.opening = opening
  }

  /// Carries out orders, waits for the bus once, and returns the news.
  package mutating func step(_ orders: borrowing DesktopBus.Orders) -> [DesktopBus.News] {
    defer { news = [] }
    if orders.hasEnded {
      end()
      return news
    }
    if orders.watched != watched {
      if !orders.watched.isSubset(of: watched) { nextReading = 0 }
      watched = orders.watched
    }
    do throws(BusError) {
      try open(needed: !orders.asks.isEmpty || !watched.isEmpty)
      for (number, ask) in orders.asks { begin(ask, number) }
      expire()
      try read()
      try hear()
    } catch {
      fail(error, orders)
    }
    return news
  }

  private var now: Int64 { SystemClock.monotonicMilliseconds }

  private mutating func open(needed: Bool) throws(BusError) {
    guard bus == nil, needed else { return }
    guard now >= retryAt else { throw .gone }
    let opened = try opening()
    try opened.subscribe(PresenceReading.news, milliseconds: Int(Self.patience))
    bus = opened
    nextReading = 0
  }

  /// The connection ended, or could not be opened: every question fails, and every presence is unknown.
  private mutating func fail(_ error: BusError, _ orders: borrowing DesktopBus.Orders) {
    bus = nil
    if now >= retryAt { retryAt = now + Self.retry }
    let numbers = questions.values.map(\.number) + orders.asks.map(\.number)
    for number in Set(numbers) { news.append(.unlock(number, .serviceFailure, "\(error)")) }
    questions = [:]
    reading = nil
    if !watched.isEmpty { news.append(.presences(unknown)) }
    guard numbers.isEmpty else { return }
    var wait = pollfd(fd: waking, events: Int16(POLLIN), revents: 0)
    poll(&wait, 1, Int32(clamping: watched.isEmpty ? 60_000 : max(0, retryAt - now)))
  }

  private var unknown: [UInt32: Presence] { Dictionary(uniqueKeysWithValues: watched.map { ($0, .unknown) }) }

  // MARK: Questions

  private mutating func begin(_ ask: UnlockAsk, _ number: UInt64) {
    put(Question(number: number, ask: ask, deadline: now + UnlockAsk.patienceWithout))
  }

  private mutating func put(_ question: Question) {
    guard let bus, let call = question.ask.call(cancellation: question.cancellation) else {
      // The program has ended, and no other one waits for the answer.
      news.append(.unlock(question.number, .refused, nil))
      return
    }
    do throws(BusError) { questions[try bus.begin(call)] = question } catch {
      news.append(.unlock(question.number, .serviceFailure, "\(error)"))
    }
  }

  private mutating func answer(_ question: Question, _ answer: Result<[BusValue], BusError>) {
    guard question.cancellation == nil else {
      let result = UnlockResult(afterDialogue: answer)
      // From now on the person's presence matters.
      if result == .unlocked { nextReading = 0 }
      return news.append(.unlock(question.number, result, Self.words(answer)))
    }
    if let result = UnlockResult(withoutDialogue: answer) {
      return news.append(.unlock(question.number, result, Self.words(answer)))
    }
    var asked = question
    asked.cancellation = "webviewguard-\(question.number)"
    asked.deadline = now + UnlockAsk.patience
    put(asked)
  }

  private static func words(_ answer: Result<[BusValue], BusError>) -> String? {
    if case .failure(let error) = answer { "\(error)" } else { nil }
  }

  private mutating func expire() {
    for (cookie, question) in questions where question.deadline <= now {
      questions[cookie] = nil
      news.append(
        .unlock(question.number, question.cancellation == nil ? .serviceFailure : .timedOut, "no answer in time"))
      if let cancellation = question.cancellation { _ = try? bus?.begin(UnlockAsk.cancelling(cancellation)) }
    }
    if let deadline = reading?.deadline, deadline <= now {
      reading = nil
      news.append(.presences(unknown))
    }
  }

  private mutating func end() {
    for question in questions.values {
      if let cancellation = question.cancellation { _ = try? bus?.begin(UnlockAsk.cancelling(cancellation)) }
    }
    // The library sends the calls that were begun when it next looks at the bus.
    _ = try? bus?.next(milliseconds: 0)
    bus = nil
  }

  // MARK: Presence

  private mutating func read() throws(BusError) {
    guard let bus, !watched.isEmpty, reading == nil, nextReading <= now else { return }
    nextReading = now + Self.interval
    var begun = Reading(deadline: now + Self.patience)
    begun.listing = try bus.begin(PresenceReading.listing)
    reading = begun
  }

  private mutating func take(_ sessions: [PresenceReading.Session]?) throws(BusError) {
    guard var begun = reading, let bus else { return }
    begun.listing = nil
    for session in sessions ?? [] where watched.contains(session.uid) {
      begun.sessions[try bus.begin(session.properties)] = session
    }
    reading = begun
    finishReading()
  }

  private mutating func take(_ answer: Result<[BusValue], BusError>, of session: PresenceReading.Session) {
    if case .success(let values) = answer,
      let presence = PresenceReading.presence(values, at: SystemClock.monotonicMicroseconds)
    {
      reading?.found[session.uid, default: []].append(presence)
    }
    finishReading()
  }

  private mutating func finishReading() {
    guard let done = reading, done.listing == nil, done.sessions.isEmpty else { return }
    reading = nil
    news.append(
      .presences(
        Dictionary(uniqueKeysWithValues: watched.map { ($0, PresenceReading.together(done.found[$0] ?? [])) })))
  }

  // MARK: The bus

  /// Waits for the next message, the next deadline or an order.
  private mutating func hear() throws(BusError) {
    guard let bus else {
      var wait = pollfd(fd: waking, events: Int16(POLLIN), revents: 0)
      if news.isEmpty { poll(&wait, 1, waking < 0 ? 1000 : 60_000) }
      return
    }
    var deadline = now + (waking < 0 ? 1000 : 60_000)
    for question in questions.values { deadline = min(deadline, question.deadline) }
    if let reading { deadline = min(deadline, reading.deadline) }
    if !watched.isEmpty, reading == nil { deadline = min(deadline, nextReading) }
    let wait = news.isEmpty ? max(0, deadline - now) : 0
    switch try bus.next(milliseconds: Int(wait), waking: waking) {
    case .reply(let cookie, let answer)?: try take(cookie, answer)
    case .signal?: nextReading = min(nextReading, now + Self.settling)
    case nil: break
    }
  }

  private mutating func take(_ cookie: UInt64, _ answer: Result<[BusValue], BusError>) throws(BusError) {
    if let question = questions.removeValue(forKey: cookie) {
      self.answer(question, answer)
    } else if reading?.listing == cookie {
      try take((try? answer.get()).flatMap(PresenceReading.sessions))
    } else if let session = reading?.sessions.removeValue(forKey: cookie) {
      take(answer, of: session)
    }
  }
}
