internal import Bus
internal import GuardModel
internal import Glibc
internal import Platform
internal import PolicyEngine

/// What the bus's thread has under way: questions to persons, and a reading of who is there.
struct DesktopSession: ~Copyable {
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
  private var bus: Bus?
  private var questions: [UInt64: Question] = [:]
  private var reading: Reading?
  private var watched: Set<UInt32> = []
  private var nextReading: Int64 = 0
  /// A bus that was not there is not tried before.
  private var retryAt: Int64 = 0
  private var news: [DesktopBus.News] = []

  /// Whoever is watched is looked after this often, in milliseconds, besides news of sessions.
  private static let interval: Int64 = 30_000
  /// So soon after news, which mostly come in groups.
  private static let settling: Int64 = 300
  private static let retry: Int64 = 5_000
  private static let patience: Int64 = 10_000

  init(waking: Int32) { self.waking = waking }

  /// Carries out orders, waits for the bus once, and returns what came of it.
  mutating func step(_ orders: borrowing DesktopBus.Orders) -> [DesktopBus.News] {
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
    let opened = try Bus(.system)
    try opened.subscribe(PresenceReading.news, milliseconds: Int(Self.patience))
    bus = opened
    nextReading = 0
  }

  /// The connection is lost, or was never had: whoever waits is told, and nothing is known of anybody.
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
      // The program has ended: nobody waits for the answer.
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
      // Whether the person is there matters from now on.
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
    // What was begun leaves with the next look at the bus.
    _ = try? bus?.next(milliseconds: 0)
    bus = nil
  }

  // MARK: Who is there

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
