internal import DecisionLog
internal import GuardProtocol
internal import Logging

/// The head of the log, kept beside it: the next start detects a log that was cut while no daemon ran.
///
/// The state file is the daemon's own, as the log is. A program that can write both can hide a cut from the daemon, but
/// not from the journal, which has the heads as well.
extension GuardCore {
  private static let headMark = "logHead"

  /// The mark that a daemon before this one left.
  static func headMark(of opened: OpenedState?) -> String? { opened?.records.marks[headMark] }

  /// Writes down how far the log is; called every second, and at the end.
  func keepHead() {
    guard let recorder, keeper != nil, let head = Optional(recorder.progress.head), head.seq > 0, head != keptHead
    else {
      return
    }
    keptHead = head
    keeper?.note(mark: "\(head.text) \(BootID.current) \(loads.logFile ?? "")", Self.headMark)
  }

  /// Looks whether the log still has the newest record that a daemon before this one knew to be written. Nothing is known of
  /// a log that lies elsewhere.
  func lookForLoss(in log: OpenedLog, expecting mark: String?) {
    let words = mark?.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false) ?? []
    guard words.count == 3, let head = LogHead(String(words[0])), words[2] == log.file.path, !log.holds(head) else {
      return
    }
    let isSameBoot = !words[1].isEmpty && words[1] == BootID.current
    let loss = LostRecords(expected: head, isSameBoot: isSameBoot)
    let cause = isSameBoot ? "somebody cut or replaced it" : "a power cut took them, or somebody cut or replaced it"
    logLoss = "the log ended at record \(log.tail.head.seq), and record \(head.seq) had been written: \(cause)"
    logger.critical(
      "records of the decision log are gone", metadata: ["expected": "\(head.text)", "found": "\(log.tail.head.text)"])
    recorder?.record { $0.encode(loss, at: clock.now(), into: &$1) }
  }
}
