internal import Glibc
package import Logging
internal import Platform

/// The operational log, written by a thread of its own.
///
/// The reader of standard error may be slow or gone, and peers can provoke messages at will; neither may hold up the
/// event loop. The queue is bounded: messages that do not fit are counted, and the count is logged.
package struct QueuedLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  package var logLevel = Logger.Level.notice
  private let writer: LoopWriter<MessageSink>
  private let isJournal: Bool

  /// A handler that writes to a file descriptor, standard error unless another is given.
  package init(descriptor: Int32 = STDERR_FILENO) {
    writer = LoopWriter(MessageSink(descriptor: descriptor), MessageSink.Queue())
    isJournal = JournalStream.isJournal(descriptor, stated: getenv("JOURNAL_STREAM").map { String(cString: $0) })
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(
    level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
    function: String, line: UInt
  ) {
    let all = self.metadata.merging(metadata ?? [:]) { _, own in own }
    let facts = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let text = JournalText.line("\(level): \(message)", keepsLines: true) + JournalText.line(facts)
    let marked = (isJournal ? JournalStream.marked(text, level) : text) + "\n"
    writer.submit { $0.add(marked) }
  }

  /// Waits until everything said so far is written, or a second has passed.
  package func flush() {
    for _ in 0..<100 {
      if writer.rests { return }
      usleep(10_000)
    }
  }
}

/// Standard error, or the file that stands for it.
private struct MessageSink: WriterSink {
  struct Queue: WriterQueue {
    var lines: [String] = []
    var dropped = 0

    /// Maximum lines that wait.
    static let capacity = 1000

    var isEmpty: Bool { lines.isEmpty }

    mutating func add(_ line: String) {
      if lines.count < Self.capacity { lines.append(line) } else { dropped += 1 }
    }
  }

  let descriptor: Int32
  private var text = ""

  init(descriptor: Int32) { self.descriptor = descriptor }

  mutating func take(_ queue: inout Queue) {
    text = queue.lines.joined()
    if queue.dropped > 0 {
      text += "warning: \(queue.dropped) messages were dropped, since nobody read them in time\n"
    }
    queue = Queue()
  }

  mutating func write() -> Bool {
    // The reader is gone when this fails, and no other is left to tell.
    _ = Stream.write(Array(text.utf8).span, to: descriptor)
    return true
  }

  func report(_ queue: borrowing Queue) {}

  func end() {}
}

/// Whether a stream leads to systemd's journal, which reads a priority at the start of each line. Source: sd-daemon(3).
package enum JournalStream {
  /// `$JOURNAL_STREAM` names the device and the inode of the journal's socket; a stream that was redirected is another.
  package static func isJournal(_ descriptor: Int32, stated: String?) -> Bool {
    let numbers = (stated ?? "").split(separator: ":").map { UInt64($0) }
    guard numbers.count == 2, let found = FileStatus(descriptor: descriptor)?.identity else { return false }
    return numbers == [found.device, found.number]
  }

  /// The message with the priority of its level before each of its lines, so that `journalctl -p err` finds the errors.
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
