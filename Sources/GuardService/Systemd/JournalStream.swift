internal import Glibc
package import Logging
internal import Platform

/// Whether a stream leads to systemd's journal, which reads a priority at the start of each line. Source: sd-daemon(3).
package enum JournalStream {
  /// `$JOURNAL_STREAM` names the device and the inode of the journal's socket; a stream that was redirected is another.
  package static func isJournal(_ descriptor: Int32, stated: String?) -> Bool {
    let numbers = (stated ?? "").split(separator: ":").map { UInt64($0) }
    guard numbers.count == 2, let found = FileStatus(descriptor: descriptor)?.identity else { return false }
    return numbers == [found.device, found.number]
  }

  /// The message with the priority of its level before each of its lines, so that `journalctl -p err` finds what matters.
  ///
  /// `error`, "a\nb" is "<3>a\n<3>b".
  package static func marked(_ message: String, _ level: Logger.Level) -> String {
    message.split(separator: "\n", omittingEmptySubsequences: false).map { "<\(priority(level))>\($0)" }
      .joined(separator: "\n")
  }

  /// The level of syslog(3).
  private static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
