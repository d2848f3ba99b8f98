internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import Platform
internal import PolicyFiles

/// The daemon's reports about its log: to the journal, and in the status.
extension GuardCore {
  /// Takes note of the log's progress, and sends the replies that waited for it.
  func logDidProgress(_ progress: LogWriter.Progress) {
    supervision.logReported()
    tellOfFailure(progress)
    for incident in progress.incidents { logger.critical("\(incident)") }
    let wasSaturated = isSaturated
    recorder?.update(progress, at: clock.now())
    noteLogProgress()
    if !progress.closed.isEmpty { attestHead() }
    submit()
    turns.resume()
    if wasSaturated, !isSaturated { resumeAll() }
  }

  private func tellOfFailure(_ progress: LogWriter.Progress) {
    guard let wasFailing = recorder?.isFailing else { return }
    if let failure = progress.failure, !wasFailing {
      metrics.logFailures += 1
      logger.critical(
        "the decision log cannot be written",
        metadata: ["error": "\(failure)", "onLogFailure": "\(settings.log.onLogFailure.rawValue)"])
    } else if progress.failure == nil, wasFailing {
      logger.notice("the decision log can be written again")
    }
  }

  /// Gives the head to the journal, which another user keeps: `log verify --head` then finds a log that was cut off.
  func attestHead() {
    guard let head = recorder?.progress.head, head != attestedHead, head.seq > 0 else { return }
    attestedHead = head
    logger.notice("log head", metadata: ["head": "\(head.text)"])
  }

  /// The log's work of every second.
  func keepLog(at time: UInt64) {
    if ticks % Self.headInterval == 0 { attestHead() }
    if ticks % 60 == 0 { recordLimited() }
    recoverShares()
    guard let pruned = recorder?.keepHouse(at: time) else { return }
    let metadata: Logger.Metadata = ["files": "\(pruned.files)", "through": "\(pruned.last.seq)"]
    if pruned.cause == .size {
      logger.warning("the decision log is too large: files were removed before their time", metadata: metadata)
    } else {
      logger.notice("files of the decision log were removed, since they are old enough", metadata: metadata)
    }
  }

  /// Seconds after which a head that moved is told again.
  private static let headInterval = 10

  var logStatus: LogStatus? {
    guard let recorder else { return nil }
    var status = LogStatus()
    status.durability = settings.log.durability.rawValue
    status.files = recorder.history.files
    status.bytes = recorder.history.bytes
    status.written = recorder.progress.written
    status.synced = settings.log.durability == .synced ? recorder.progress.synced : nil
    status.failure = recorder.progress.failure?.description
    status.lost = logLoss
    status.prunedEarly = recorder.history.prunedEarly
    status.fullShares = recorder.history.shares.full
    return status
  }
}
