internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import Logging
internal import NIOCore
package import PolicyEngine
package import PolicyFiles

/// Start, the tick of every second, and the end.
extension GuardCore {
  /// Takes the log up again; see ``Journal``.
  func begin(
    _ log: OpenedLog, key: [UInt8], expecting mark: String?, _ bound: NIOLoopBound<GuardCore>, isDriven: Bool = false
  ) {
    journal.begin(log, key: key, expecting: mark, isDriven: isDriven) { progress in
      bound.eventLoop.execute { bound.value.logDidProgress(progress) }
    }
  }

  func begin(_ watch: SocketWatch) {
    serving.sockets = watch
    serving.tellOfSockets(snapshot)
  }

  func stopListening() -> EventLoopFuture<Void> { serving.sockets?.close() ?? loop.makeSucceededVoidFuture() }

  /// Takes note of the log's progress, and sends the replies that waited for it.
  func logDidProgress(_ progress: LogWriter.Progress) {
    vitals.supervision.logReported()
    let wasSaturated = journal.isSaturated
    journal.update(progress)
    submit()
    turns.resume()
    if wasSaturated, !journal.isSaturated { resumeAll() }
  }

  /// Says that the daemon serves, and begins to give signs of life when a service manager waits for them.
  func beginSupervision(_ bound: NIOLoopBound<GuardCore>) {
    vitals.supervision.ready(standing)
    guard let interval = vitals.supervision.interval else { return }
    loop.scheduleRepeatedTask(initialDelay: .zero, delay: .nanoseconds(interval)) { _ in bound.value.beat() }
  }

  private func beat() {
    vitals.supervision.say(standing)
    vitals.supervision.beat(logWaits: journal.hasUnwritten, stateWaits: journal.state.waits)
  }

  /// The daemon's state, in one line.
  var standing: String { policy.standing(snapshot) + journal.standing }

  func startTicking(_ bound: NIOLoopBound<GuardCore>) {
    startReadingFacts(bound)
    loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in bound.value.tick() }
  }

  private func tick() {
    let now = journal.now()
    for session in sessions.values { journal.recordRepeats(session.actions.expire(at: now)) }
    let isMinute = vitals.tick()
    let seconds = policy.settings.limits.attachSeconds
    for connection in serving.unattached(for: seconds, hasPolicy: snapshot.hasPolicy) { end(connection) }
    serving.sockets?.check()
    policy.checkContract()
    serving.checkOpenFiles()
    expireRules(at: now, isIdle: true)
    endExceptionsWhileIdle(at: now)
    tickAccounts(at: now)
    runWipes(at: now)
    expireRestarts(at: now)
    tickKeys()
    settleDirectories()
    if vitals.ticks.isMultiple(of: Self.namingSeconds) { refreshUsers() }
    if isMinute {
      recordCounts()
      turns.forgetIdle()
      serving.keep()
    }
    journal.keep(at: now, second: vitals.ticks)
    submit()
  }

  /// Decisions that got no record of their own are at least counted.
  private func recordCounts() {
    journal.recordCounts()
    for session in sessions.values { journal.recordRefusals(of: session) }
  }

  /// Records the end, lets every answer leave, and returns how many bytes of the log could not be written.
  func end() -> Int {
    for session in sessions.values { forgetActions(of: session) }
    recordCounts()
    let unwritten = journal.end(&state)
    release()
    for connection in serving.connections.values { end(connection) }
    return unwritten
  }
}

extension DaemonSettings.Limits {
  /// The caps of the state.
  package var state: StateLimits {
    var limits = StateLimits()
    limits.viewersPerInstance = viewersPerInstance
    limits.windowsPerInstance = windowsPerInstance
    limits.instancesPerUser = instancesPerUser
    limits.switchMilliseconds = UInt64(switchSeconds) * 1000
    return limits
  }
}
