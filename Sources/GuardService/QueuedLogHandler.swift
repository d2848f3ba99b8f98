internal import Glibc
package import Logging
internal import NIOPosix

/// The operational log, written by a thread of its own.
///
/// Whoever reads standard error may be slow or gone, and peers can provoke messages at will; neither may hold up the event
/// loop. The queue is bounded: what does not fit is counted, and the count is said.
package struct QueuedLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  package var logLevel = Logger.Level.notice
  private let queue: MessageQueue
  private let isJournal: Bool

  /// A handler that writes to a file descriptor, standard error unless another is given.
  package init(descriptor: Int32 = STDERR_FILENO) {
    queue = MessageQueue(descriptor: descriptor)
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
    let text = JournalText.line("\(level): \(message)\(facts)")
    queue.add((isJournal ? JournalStream.marked(text, level) : text) + "\n")
  }

  /// Waits until everything said so far is written, or a second has passed.
  package func flush() { queue.flush() }
}

/// Lines that wait to be written, in order.
private final class MessageQueue: Sendable {
  private struct Waiting {
    var lines: [String] = []
    var dropped = 0
    var isRunning = false
  }

  /// So many lines may wait.
  static let capacity = 1000

  private let descriptor: Int32
  private let waiting = Locked(Waiting())
  private let thread = NIOThreadPool(numberOfThreads: 1)

  init(descriptor: Int32) {
    self.descriptor = descriptor
    thread.start()
  }

  func add(_ line: String) {
    let mustStart = waiting.withLock { waiting in
      guard waiting.lines.count < Self.capacity else {
        waiting.dropped += 1
        return false
      }
      waiting.lines.append(line)
      defer { waiting.isRunning = true }
      return !waiting.isRunning
    }
    if mustStart { thread.submit { _ in self.drain() } }
  }

  func flush() {
    for _ in 0..<100 {
      if waiting.withLock({ !$0.isRunning }) { return }
      usleep(10_000)
    }
  }

  private func drain() {
    while true {
      let (lines, dropped) = waiting.withLock { waiting in
        defer { (waiting.lines, waiting.dropped) = ([], 0) }
        if waiting.lines.isEmpty { waiting.isRunning = false }
        return (waiting.lines, waiting.dropped)
      }
      guard !lines.isEmpty else { return }
      var text = lines.joined()
      if dropped > 0 { text += "warning: \(dropped) messages were dropped, since nobody read them in time\n" }
      // Whoever should read this is gone: there is nobody left to tell.
      try? SmallFile.write(Array(text.utf8), to: descriptor, path: "standard error")
    }
  }
}
