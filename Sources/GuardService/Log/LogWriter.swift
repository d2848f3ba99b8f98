internal import DecisionLog
internal import Glibc
internal import NIOCore
internal import NIOPosix

/// The one thread that writes the decision log: it links the records into the chain and hands them to the kernel.
///
/// Records come in batches from the event loop and leave in the same order. When the disk fails nothing is dropped: what
/// was sealed is written again until it goes through.
final class LogWriter: Sendable {
  /// How far the log is; told to the event loop after every attempt.
  struct Progress: Sendable {
    /// Number of the newest record that the kernel has.
    var written: UInt64
    var head: LogHead
    /// What the system said, while the log cannot be written.
    var failure: SystemError?
    /// Bytes that wait.
    var waiting: Int
  }

  private struct Queue {
    var bytes: [UInt8] = []
    var through: UInt64 = 0
    var isRunning = false
  }

  /// What only the thread touches.
  private struct Sink {
    var chain: Chain
    var sealed: [UInt8] = []
    var start = 0
    var through: UInt64
    /// The newest record that the kernel has as a whole.
    var written: LogHead
  }

  private let file: LogFile
  private let queue = Locked(Queue())
  private let sink: Locked<Sink>
  private let thread = NIOThreadPool(numberOfThreads: 1)
  private let tell: @Sendable (Progress) -> Void

  /// `tell` is called on the writing thread.
  init(file: LogFile, continuing head: LogHead, tell: @escaping @Sendable (Progress) -> Void) {
    self.file = file
    self.tell = tell
    sink = Locked(Sink(chain: Chain(continuing: head), through: head.seq, written: head))
    thread.start()
  }

  /// Takes a batch of unsealed records, the last of which has the number `through`.
  func submit(_ records: [UInt8], through: UInt64) {
    let mustStart = queue.withLock { queue in
      queue.bytes += records
      queue.through = through
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    if mustStart { start() }
  }

  /// Tries again what failed.
  func retry() { start() }

  /// Writes what waits, and ends the thread.
  func stop() -> Progress {
    try? thread.syncShutdownGracefully()
    return run()
  }

  private func start() {
    thread.submit { state in
      guard state == .active else { return }
      let progress = self.run()
      self.tell(progress)
    }
  }

  private func run() -> Progress {
    sink.withLock { sink in
      while true {
        let failure = drain(&sink)
        let more = queue.withLock { queue in
          if queue.bytes.isEmpty || failure != nil { queue.isRunning = false }
          return queue.isRunning
        }
        if more { continue }
        let waiting = sink.sealed.count - sink.start + queue.withLock { $0.bytes.count }
        return Progress(written: sink.through, head: sink.written, failure: failure, waiting: waiting)
      }
    }
  }

  /// Writes what is sealed, then seals and writes what came in; returns why it stopped early.
  private func drain(_ sink: inout Sink) -> SystemError? {
    do {
      try flush(&sink)
      let (records, through) = queue.withLock { queue in
        defer { queue.bytes.removeAll(keepingCapacity: true) }
        return (queue.bytes, queue.through)
      }
      guard !records.isEmpty else { return nil }
      sink.chain.seal(records.span, into: &sink.sealed)
      try flush(&sink)
      sink.through = through
      return nil
    } catch {
      return error
    }
  }

  private func flush(_ sink: inout Sink) throws(SystemError) {
    while sink.start < sink.sealed.count { sink.start = try file.append(sink.sealed, from: sink.start) }
    sink.sealed.removeAll(keepingCapacity: true)
    sink.start = 0
    sink.through = sink.chain.head.seq
    sink.written = sink.chain.head
  }
}
