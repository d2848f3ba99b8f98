internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import Logging
internal import NIOCore
package import PolicyEngine
package import PolicyFiles

/// Start, the tick of every second, and the end.
extension GuardCore {
  /// Takes the log up again. A record that a crash left half written is sealed before anything else is recorded.
  ///
  /// - Parameters:
  ///   - mark: the head that the daemon before this one had written, as the state file has it.
  ///   - isDriven: the log is written when the loop's user says so; see ``DrivenGuard``.
  func begin(
    _ log: OpenedLog, key: [UInt8], expecting mark: String?, _ bound: NIOLoopBound<GuardCore>, isDriven: Bool = false
  ) {
    guard let pseudonyms = AccountPseudonyms(key: key) else { return }
    let sink = LogSink(log, durability: settings.log.durability)
    let writer = LogWriter(sink, LogSink.Queue(), isDriven: isDriven) { progress in
      bound.eventLoop.execute { bound.value.logDidProgress(progress) }
    }
    let encoder = LogEncoder(
      continuing: log.tail.head, pseudonyms: pseudonyms, redaction: settings.log.redaction,
      accounts: settings.log.accounts)
    recorder = DecisionRecorder(encoder: encoder, writer: writer, opened: log, settings: settings.log)
    loads.logFile = log.file.path
    if !clockWasRepaired { clock.advance(to: log.latest) }
    renumberDecisions()
    let now = clock.now()
    if let torn = log.tail.torn {
      logger.warning("the last record was cut short and is sealed", metadata: ["bytes": "\(torn.count)"])
      recorder?.record { $0.encode(torn, at: now, into: &$1) }
    }
    lookForLoss(in: log, expecting: mark)
    if clockWasRepaired { record(.repaired) }
    recorder?.record { $0.encodeStart(of: identity, at: now, into: &$1) }
    // At once: a daemon that is restarted again and again must still let go of old files.
    keepLog(at: now)
  }

  private var identity: ServiceIdentity {
    ServiceIdentity(version: version, pid: getpid(), bootID: BootID.current)
  }

  func startTicking(_ bound: NIOLoopBound<GuardCore>) {
    loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in bound.value.tick() }
  }

  private func tick() {
    let now = clock.now()
    for session in sessions.values { recordRepeats(session.actions.expire(at: now)) }
    ticks += 1
    endUnattached()
    sockets?.check()
    checkContract()
    checkOpenFiles()
    expireRules(at: now, isIdle: true)
    endExceptionsWhileIdle(at: now)
    if ticks % 60 == 0 {
      recordCounts()
      keeper?.checkpoint()
      quotas.forgetGone()
      turns.forgetIdle()
      tellUntoldFaults()
    }
    keepClock()
    keepLog(at: now)
    keepHead()
    if recorder?.isFailing ?? false { recorder?.retry() }
    if keeper?.progress.failure != nil { keeper?.retry() }
    submit()
  }

  /// Decisions that got no record of their own are at least counted.
  private func recordCounts() {
    for key in uncounted.keys { recordCounts(of: key) }
    for session in sessions.values { recordRefusals(of: session) }
  }

  func recordCounts(of key: CountKey) {
    guard let count = uncounted[key], recorder?.hasRoom() ?? false else { return }
    uncounted[key] = nil
    var entry = DecisionCount(
      app: key.app, outcome: key.outcome, reason: key.reason, advised: key.advised, count: count)
    (entry.instance, entry.viewer, entry.uid) = (key.instance, key.viewer, key.uid)
    recorder?.record(of: key.place) { $0.encode(entry, at: clock.now(), into: &$1) }
  }

  /// Records the end, lets every answer leave, and returns how many bytes of the log could not be written.
  func end() -> Int {
    for session in sessions.values { recordRepeats(session.actions.clear()) }
    recordCounts()
    recordLimited()
    recorder?.record { $0.encodeStop(of: identity, at: clock.now(), into: &$1) }
    recorder?.stop()
    attestHead()
    keepHead()
    keeper?.stop(&state)
    release()
    for connection in connections.values { connection.channel.close(promise: nil) }
    return recorder?.progress.waiting ?? 0
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
