internal import DecisionLog
internal import NIOCore
internal import NIOPosix
internal import PolicyFiles

/// The one thread that writes the decision log: it links the records into the chain and hands them to the kernel, and to the
/// disk where answers wait for that.
///
/// Records come in batches from the event loop and leave in the same order; what comes while the disk is busy is the next
/// batch, so that one wait for the disk serves many answers. When the disk fails nothing is dropped: what was sealed is
/// written again until it goes through.
final class LogWriter: Sendable {
  /// How far the log is; told to the event loop after every attempt.
  struct Progress: Sendable {
    /// Number of the newest record that the kernel has.
    var written: UInt64
    /// Number of the newest record that is known to be on the disk.
    var synced: UInt64
    /// The newest record for which an answer may leave.
    var head: LogHead
    /// What the system said, while the log cannot be written.
    var failure: SystemError?
    /// Bytes that wait.
    var waiting: Int
    /// Files that were closed since the last report.
    var closed: [ClosedLogFile] = []
    /// What somebody else did to the files, since the last report.
    var incidents: [String] = []
  }

  private struct Queue {
    var bytes: [UInt8] = []
    var orders: [(at: Int, order: LogSink.Order)] = []
    var isRunning = false
    var mustInspect = false
  }

  private let queue = Locked(Queue())
  private let sink: Locked<LogSink>
  private let durability: DaemonSettings.Durability
  private let thread = NIOThreadPool(numberOfThreads: 1)
  private let tell: @Sendable (Progress) -> Void

  /// `tell` is called on the writing thread.
  init(
    _ opened: OpenedLog, durability: DaemonSettings.Durability, tell: @escaping @Sendable (Progress) -> Void
  ) {
    self.durability = durability
    self.tell = tell
    sink = Locked(LogSink(opened, durability: durability))
    thread.start()
  }

  /// Takes over a batch of unsealed records, and what is to be done once they are written; gives back empty bytes to
  /// collect the next batch in.
  func submit(_ records: inout [UInt8], then order: LogSink.Order? = nil) {
    let mustStart = queue.withLock { queue in
      if queue.bytes.isEmpty { swap(&queue.bytes, &records) } else { queue.bytes += records }
      if let order { queue.orders.append((queue.bytes.count, order)) }
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    records.removeAll(keepingCapacity: true)
    if mustStart { start() }
  }

  /// Tries again what failed.
  func retry() { start() }

  /// Looks whether the file is still there, and writes it again if not.
  func inspect() {
    let mustStart = queue.withLock { queue in
      queue.mustInspect = true
      return !queue.isRunning
    }
    if mustStart { start() }
  }

  /// Writes what waits, brings it to the disk, and ends the thread.
  func stop() -> Progress {
    try? thread.syncShutdownGracefully()
    let progress = run()
    // Answers rest on it in `synced` only, and there it is done; elsewhere this is a last courtesy.
    sink.withLock { sink in try? sink.sync() }
    return progress
  }

  private func start() {
    thread.submit { state in
      guard state == .active else { return }
      let progress = self.run()
      self.tell(progress)
    }
  }

  /// Works until nothing waits. What is reached on the way is told at once: answers wait for it.
  private func run() -> Progress {
    sink.withLock { sink in
      while true {
        let failure = drain(&sink)
        let (more, queued) = queue.withLock { queue in
          if (queue.bytes.isEmpty && queue.orders.isEmpty) || failure != nil { queue.isRunning = false }
          return (queue.isRunning, queue.bytes.count)
        }
        let progress = progress(of: &sink, failure, waiting: sink.waiting + queued)
        guard more else { return progress }
        tell(progress)
      }
    }
  }

  private func progress(of sink: inout LogSink, _ failure: SystemError?, waiting: Int) -> Progress {
    let news = sink.takeNews()
    return Progress(
      written: sink.written.seq, synced: sink.synced.seq, head: durability == .synced ? sink.synced : sink.written,
      failure: failure, waiting: waiting, closed: news.closed, incidents: news.incidents)
  }

  /// Writes what waits and then what came in; returns why it stopped early.
  private func drain(_ sink: inout LogSink) -> SystemError? {
    do throws(SystemError) {
      try sink.advance()
      let mustInspect = queue.withLock { queue in
        sink.take(&queue.bytes, &queue.orders)
        defer { queue.mustInspect = false }
        return queue.mustInspect
      }
      try sink.advance()
      if mustInspect { try sink.inspect() }
      return nil
    } catch {
      return error
    }
  }
}
