internal import GuardModel

/// The conversation with the daemon, without sockets and clocks: attaches, repeats the app's statements, and then
/// carries calls and their replies, which come in order. Times are milliseconds of one clock that never goes back.
///
/// Any failure ends the connection: its calls get no reply, and the back-off begins.
package struct ClientSession: Sendable {
  enum Link: Sendable, Hashable {
    case down
    case connecting
    /// `Attach` is on its way.
    case attaching
    /// Ready; not attached as long as the daemon never had a policy.
    case up(isAttached: Bool)
  }

  /// The call that waits for its reply.
  enum Sent: Sendable {
    case attach(deadline: Int64)
    case replay(Statement, deadline: Int64)
    case call(ClientCall, wasAttached: Bool)

    var deadline: Int64 {
      switch self {
      case .attach(let deadline), .replay(_, let deadline): deadline
      case .call(let call, _): call.deadline
      }
    }
  }

  let hello: Hello
  /// A scope's conversation joins the client's instance, and never begins one: a new one would know no viewers.
  let isJoined: Bool
  /// The instance to join; nil while the client has none.
  package var joinedInstance: String?
  var contract = FailureContract()
  /// `Attach` succeeded once, so the contract comes from the daemon itself.
  var hasAttached = false
  /// The daemon's reply to the last `Attach`; empty when it had no policy.
  var attachment: [String: GuardValue] = [:]
  var token: String?
  var registrations = Registrations()
  var actions: ActionBook
  /// The accounts that the daemon asked to show, by request.
  var switches = OpenSwitches()
  var link = Link.down
  var backOff = BackOff()
  /// The error with which the daemon refused the latest connection; nil without one.
  private var refusal: GuardError.ErrorReply?
  /// The problem that ended the latest connection; nil while one is up.
  var latestProblem: GuardProblem?
  var sent: [Sent] = []
  var replays: [Sent] = []
  var waiting: [ClientCall] = []
  /// The callers that wait for the first connection, with their deadlines.
  var starters: [(answer: PendingAnswer, deadline: Int64)] = []
  /// A question missed its deadline while connecting: the next ones do not wait for this connection.
  var attemptIsSlow = false
  package var output: [UInt8] = []
  package var effects: [Effect] = []

  /// Maximum calls under way: the daemon takes 256 per connection by default.
  static let maximumSent = 64

  package init(hello: Hello, actionPrefix: String, isJoined: Bool = false) {
    (self.hello, self.isJoined) = (hello, isJoined)
    actions = ActionBook(prefix: actionPrefix)
  }

  /// The token of the instance, once there is one.
  var instance: String? { link == .up(isAttached: true) ? token : nil }

  var standing: LineStanding {
    let isConnected = if case .up = link { true } else { false }
    return LineStanding(isConnected: isConnected, contract: contract, attachment: attachment)
  }

  /// The conversation of a scope of this one's client.
  func joining(_ actionPrefix: String) -> ClientSession {
    var hello = hello
    hello.app = attachment["app"]?.string ?? hello.app
    var joined = ClientSession(hello: hello, actionPrefix: actionPrefix, isJoined: true)
    (joined.contract, joined.hasAttached) = (contract, hasAttached)
    return joined
  }

  // MARK: Calls of the app

  /// Sends a call as soon as the connection is ready. While no connection is possible, it answers at once.
  mutating func submit(_ call: ClientCall, at time: Int64) {
    let mayWait = link == .down ? mayJoin && backOff.isOverForQuestions(at: time) : !attemptIsSlow
    guard mayWait else { return finish(call, unanswered(call.purpose)) }
    waiting.append(call)
    flush(at: time)
  }

  /// Answers after the last statement, or at the first failure.
  mutating func start(_ answer: PendingAnswer, at time: Int64) {
    if backOff.isForever { return effects.append(.give(answer, .nothing)) }
    if case .up = link, isSettled { return effects.append(.give(answer, .reply([:]))) }
    starters.append((answer, time + Int64(contract.startMilliseconds)))
  }

  // MARK: Calls of the thread

  /// Ends late calls. Returns the line's next wish.
  package mutating func turn(at time: Int64) -> LineWish {
    expire(at: time)
    guard link == .down else { return .stay }
    guard mayJoin else { return .rest }
    let isTime = waiting.isEmpty ? backOff.isOver(at: time) : backOff.isOverForQuestions(at: time)
    guard isTime else { return .rest }
    link = .connecting
    refusal = nil
    backOff.attempted(at: time)
    return .connect
  }

  /// The time at which `turn` is due next, if nothing else happens.
  package var nextTime: Int64 {
    let deadlines = (sent + replays).map(\.deadline) + waiting.map(\.deadline) + starters.map(\.deadline)
    return min(deadlines.min() ?? .max, link == .down && mayJoin ? backOff.until : .max)
  }

  package mutating func opened(at time: Int64) {
    link = .attaching
    attach(at: time)
  }

  /// There is no connection, or no longer.
  package mutating func lost(_ problem: GuardProblem, at time: Int64) {
    guard link != .down else { return }
    // Each question may try, and each would report the same.
    if latestProblem != problem { effects.append(.report(problem)) }
    latestProblem = problem
    if case .attachRefused(let refusal) = problem { self.refusal = refusal }
    backOff.failed(at: time, link == .connecting ? .away : problem == .closed ? .gone : .bad)
    goDown()
  }

  /// What came; `flush` follows when all of it was received.
  package mutating func received(_ message: Message, at time: Int64) {
    guard link != .down else { return }
    guard !sent.isEmpty, !message.continues else { return lost(.unreadable, at: time) }
    switch sent.removeFirst() {
    case .attach: attached(message, at: time)
    case .replay(let statement, _): replayed(statement, message)
    case .call(let call, let wasAttached): replied(to: call, wasAttached, message, at: time)
    }
  }

  /// The app ends it all. Questions that are asked in a scope after its end, by a task that outlived it, are blocked:
  /// the scope around it may be allowed more.
  mutating func close() {
    refusal = nil
    goDown()
    if isJoined { refusal = GuardError.ErrorReply(name: "scopeEnded", parameters: [:]) }
    backOff.never()
  }

  private var mayJoin: Bool { !isJoined || joinedInstance != nil }

  /// The answer to a call that the daemon did not hear. A daemon that refuses this app did answer, with an error: this
  /// blocks, regardless of the contract for a missing answer.
  private func unanswered(_ purpose: CallPurpose) -> CallAnswer {
    switch purpose {
    case .question, .other: refusal.map { .refused($0) } ?? .nothing
    case .statement, .switching: .nothing
    }
  }

  private mutating func goDown() {
    let wasConnected = standing.isConnected
    link = .down
    if wasConnected { effects.append(.stand(standing)) }
    attemptIsSlow = false
    output = []
    let calls = sent.compactMap { if case .call(let call, _) = $0 { call } else { nil } } + waiting
    let ready = starters
    (sent, replays, waiting, starters) = ([], [], [], [])
    for call in calls { finish(call, unanswered(call.purpose)) }
    for starter in ready { effects.append(.give(starter.answer, .nothing)) }
  }

  private mutating func expire(at time: Int64) {
    for starter in starters where starter.deadline <= time { effects.append(.give(starter.answer, .nothing)) }
    starters.removeAll { $0.deadline <= time }
    let isLate = (sent + replays).contains { $0.deadline <= time }
    let late = waiting.filter { $0.deadline <= time }
    if isLate { return lost(.missedDeadline, at: time) }
    guard !late.isEmpty else { return }
    if case .up = link { return lost(.missedDeadline, at: time) }
    waiting.removeAll { $0.deadline <= time }
    attemptIsSlow = link != .down
    for call in late { finish(call, .nothing) }
  }
}

/// The switches of identity that the daemon asked for and the app has not answered yet.
///
/// After `success` the identity is in force without `SetIdentity`. The client still has to remember it, or a reconnect
/// would bring back the earlier account.
struct OpenSwitches: Sendable {
  struct Asked: Sendable {
    var level: GuardClient.IdentityTarget
    var shown: ShownAccounts
  }

  private var open: [(request: String, asked: Asked)] = []

  /// Maximum open requests, as at the daemon.
  static let capacity = 32

  /// Records the request of a decision: in the window of the viewer, or in the process when it has none.
  mutating func note(_ reply: [String: GuardValue], _ viewers: [String?], _ registrations: Registrations) {
    let decisions = reply["decision"].map { [$0] } ?? reply["decisions"]?.array ?? []
    for (decision, viewer) in zip(decisions, viewers) {
      guard let request = decision["request"]?.string, let account = decision["switchTo"]?.string else { continue }
      note(request, account: account, window: viewer.flatMap { registrations.window(of: $0) })
    }
  }

  /// Records the request of news.
  mutating func note(_ request: String, account: String, window: String?) {
    _ = end(request)
    if open.count >= Self.capacity { open.removeFirst() }
    open.append((request, Asked(level: window.map { .window($0) } ?? .process, shown: .one(account))))
  }

  /// Takes an answered request; returns the requested switch.
  mutating func end(_ request: String) -> Asked? {
    guard let index = open.firstIndex(where: { $0.request == request }) else { return nil }
    return open.remove(at: index).asked
  }
}
