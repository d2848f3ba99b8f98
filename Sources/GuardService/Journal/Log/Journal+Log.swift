internal import DecisionLog
internal import GuardModel
internal import Logging
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// The life of the decision log: its start, its work of every second, and its end.
extension Journal {
  /// Takes the log up again. A record that a crash left half written is sealed before anything else is recorded.
  ///
  /// - Parameters:
  ///   - mark: the head that the daemon before this one had written, as the state file has it.
  ///   - isDriven: the log is written when the loop's user says so; see ``DrivenGuard``.
  ///   - tell: hears of the log's progress, on its thread.
  mutating func begin(
    _ log: OpenedLog, key: [UInt8], expecting mark: String?, isDriven: Bool,
    tell: @escaping @Sendable (LogWriter.Progress) -> Void
  ) {
    guard let pseudonyms = AccountPseudonyms(key: key) else { return }
    let sink = LogSink(log, durability: settings.durability)
    let encoder = LogEncoder(
      continuing: log.tail.head, pseudonyms: pseudonyms, redaction: settings.redaction, accounts: settings.accounts)
    recorder = DecisionRecorder(
      encoder: encoder, writer: LogWriter(sink, LogSink.Queue(), isDriven: isDriven, tell: tell), opened: log,
      settings: settings)
    logFile = log.file.path
    if !clockWasRepaired { clock.advance(to: log.latest) }
    renumberDecisions()
    if let torn = log.tail.torn {
      logger.warning("the last record was cut short and is sealed", metadata: ["bytes": "\(torn.count)"])
      record { $0.encode(torn, at: $1, into: &$2) }
    }
    lookForLoss(in: log, expecting: mark)
    if clockWasRepaired { record(.repaired) }
    let service = service
    record { $0.encodeStart(of: service, at: $1, into: &$2) }
    // At once: a daemon that is restarted again and again must still let go of old files.
    attestHead()
    recordLimited()
    keepFiles(at: clock.now())
  }

  /// As `begin`, for a log that is written when its user says so.
  package mutating func begin(driven directory: String, key: [UInt8]) throws(StartError) {
    begin(try OpenedLog(directory: directory), key: key, expecting: nil, isDriven: true) { _ in }
  }

  /// Writes the records that wait, where the user drives the log.
  package mutating func write() {
    recorder?.submit()
    if let (progress, _) = settle() { update(progress) }
  }

  /// The work of every second, after so many of them.
  package mutating func keep(at time: UInt64, second: Int) {
    if second % 60 == 0 { state.checkpoint() }
    keepClock()
    if second % Self.headInterval == 0 { attestHead() }
    if second % 60 == 0 { recordLimited() }
    keepFiles(at: time)
    keepHead()
    if isFailing { recorder?.retry() }
    state.retryIfFailing()
  }

  /// Seconds after which a head that moved is told again.
  private static let headInterval = 10

  private mutating func keepFiles(at time: UInt64) {
    recoverShares()
    guard let pruned = recorder?.keepHouse(at: time) else { return }
    let metadata: Logger.Metadata = ["files": "\(pruned.files)", "through": "\(pruned.last.seq)"]
    if pruned.cause == .size {
      logger.warning("the decision log is too large: files were removed before their time", metadata: metadata)
    } else {
      logger.notice("files of the decision log were removed, since they are old enough", metadata: metadata)
    }
  }

  /// Hands records and changes to the threads that write.
  mutating func submit(_ state: inout GuardState) {
    if let recorder {
      recorder.submit()
      if recorder.settled < recorder.newest {
        lag.submitted(recorder.newest, at: SystemClock.monotonicMicroseconds / 1000)
      }
    }
    self.state.submit(&state)
  }

  /// Takes note of the log's progress.
  mutating func update(_ progress: LogWriter.Progress) {
    guard let recorder else { return }
    tellOfFailure(progress, before: recorder.isFailing)
    for incident in progress.incidents { logger.critical("\(incident)") }
    recorder.update(progress, at: clock.now())
    lag.written(recorder.settled, of: recorder.newest, at: SystemClock.monotonicMicroseconds / 1000)
    if !progress.closed.isEmpty { attestHead() }
  }

  private mutating func tellOfFailure(_ progress: LogWriter.Progress, before wasFailing: Bool) {
    if let failure = progress.failure, !wasFailing {
      logFailures += 1
      logger.critical(
        "the decision log cannot be written",
        metadata: ["error": "\(failure)", "onLogFailure": "\(settings.onLogFailure.rawValue)"])
    } else if progress.failure == nil, wasFailing {
      logger.notice("the decision log can be written again")
    }
  }

  /// Records the end, writes all that waits, and ends the threads. Returns how many bytes of the log could not be
  /// written.
  mutating func end(_ state: inout GuardState) -> Int {
    recordLimited()
    let time = clock.now()
    recorder?.record { $0.encodeStop(of: service, at: time, into: &$1) }
    recorder?.stop()
    attestHead()
    keepHead()
    self.state.stop(&state)
    return recorder?.progress.waiting ?? 0
  }

  /// For a loop that its user drives: writes the records that wait, and returns the log's progress; nil without a log.
  func settle() -> (progress: LogWriter.Progress, hadWork: Bool)? {
    recorder.map { recorder in
      let hadWork = recorder.submittedBytes > 0
      return (recorder.writer.settle(), hadWork)
    }
  }

  // MARK: The head

  /// Gives the head to the system's journal, which another user keeps: `log verify --head` then finds a log that was cut
  /// off.
  private mutating func attestHead() {
    guard let head = recorder?.progress.head, head != attestedHead, head.seq > 0 else { return }
    attestedHead = head
    logger.notice("log head", metadata: ["head": "\(head.text)"])
  }

  /// The name of the mark that has the head of the log: the next start detects a log that was cut while no daemon ran.
  ///
  /// The state file is the daemon's own, as the log is. A program that can write both can hide a cut from the daemon, but
  /// not from the system's journal, which has the heads as well.
  private static let headMark = "logHead"

  /// The mark that a daemon before this one left.
  static func headMark(of opened: OpenedState?) -> String? { opened?.records.marks[headMark] }

  /// Writes down how far the log is.
  private mutating func keepHead() {
    guard let head = recorder?.progress.head, state.isKept, head.seq > 0, head != keptHead else { return }
    keptHead = head
    state.note(mark: "\(head.text) \(BootID.current) \(logFile ?? "")", Self.headMark)
  }

  /// Looks whether the log still has the newest record that a daemon before this one knew to be written. Nothing is known of
  /// a log that lies elsewhere.
  private mutating func lookForLoss(in log: OpenedLog, expecting mark: String?) {
    let words = mark?.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false) ?? []
    guard words.count == 3, let head = LogHead(String(words[0])), words[2] == log.file.path, !log.holds(head) else {
      return
    }
    let isSameBoot = !words[1].isEmpty && words[1] == BootID.current
    let cause = isSameBoot ? "somebody cut or replaced it" : "a power cut took them, or somebody cut or replaced it"
    loss = "the log ended at record \(log.tail.head.seq), and record \(head.seq) had been written: \(cause)"
    logger.critical(
      "records of the decision log are gone", metadata: ["expected": "\(head.text)", "found": "\(log.tail.head.text)"])
    record { $0.encode(LostRecords(expected: head, isSameBoot: isSameBoot), at: $1, into: &$2) }
  }
}
