internal import NIOPosix
internal import Synchronization

/// The one thread that writes the state file.
///
/// Sets of changes come from the event loop; while one is being written the next ones merge, so that what waits never grows
/// beyond the state itself. When the disk fails nothing is forgotten: a mark tells the next daemon not to believe the file,
/// and the changes are written again until they go through.
package final class StateWriter: Sendable {
  /// How far the file is.
  package struct Progress: Sendable {
    /// Number of the newest set that a killed daemon would not lose, or of which the mark tells.
    package var settled: UInt64 = 0
    /// Why the file cannot be written; nil when it can.
    package var failure: String?
  }

  private struct Queue {
    var changes = StateRecords()
    var through: UInt64 = 0
    var wantsCheckpoint = false
    var isRunning = false
  }

  /// What only the thread touches.
  private struct Sink: ~Copyable {
    var store: StateStore
    /// Taken from the queue and not written yet.
    var changes = StateRecords()
    var progress = Progress()
  }

  private let queue = Mutex(Queue())
  private let sink: Mutex<Sink>
  private let doubt: DoubtMark
  private let thread = NIOThreadPool(numberOfThreads: 1)
  /// Called on the writing thread, after every attempt.
  private let listener = Mutex<(@Sendable (Progress) -> Void)?>(nil)

  /// The mark goes away with the first set that is written.
  init(store: consuming sending StateStore, doubt: DoubtMark) {
    self.doubt = doubt
    sink = Mutex(Sink(store: store))
    thread.start()
  }

  func tell(_ body: @escaping @Sendable (Progress) -> Void) { listener.withLock { $0 = body } }

  /// Takes the set of changes with the number `through`.
  package func submit(_ changes: StateRecords, through: UInt64) {
    let mustStart = queue.withLock { queue in
      if queue.changes.isEmpty { queue.changes = changes } else { queue.changes.merge(changes) }
      queue.through = through
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    if mustStart { start() }
  }

  /// Tries again what failed.
  func retry() { start() }

  /// Brings everything written to the disk, so that a power cut does not take it.
  func checkpoint() {
    queue.withLock { $0.wantsCheckpoint = true }
    start()
  }

  /// Writes what waits, and ends the thread.
  package func stop() -> Progress {
    try? thread.syncShutdownGracefully()
    queue.withLock { $0.wantsCheckpoint = true }
    return run()
  }

  private func start() {
    thread.submit { state in
      guard state == .active else { return }
      let progress = self.run()
      self.listener.withLock { $0 }?(progress)
    }
  }

  private func run() -> Progress {
    sink.withLock { sink in
      while true {
        let (through, wantsCheckpoint) = take(&sink)
        write(&sink, through: through, thenCheckpoint: wantsCheckpoint)
        let failed = sink.progress.failure != nil
        let more = queue.withLock { queue in
          if queue.changes.isEmpty || failed { queue.isRunning = false }
          return queue.isRunning
        }
        if !more { return sink.progress }
      }
    }
  }

  private func take(_ sink: inout Sink) -> (through: UInt64, wantsCheckpoint: Bool) {
    queue.withLock { queue in
      if sink.changes.isEmpty { sink.changes = queue.changes } else { sink.changes.merge(queue.changes) }
      queue.changes = StateRecords()
      defer { queue.wantsCheckpoint = false }
      return (queue.through, queue.wantsCheckpoint)
    }
  }

  private func write(_ sink: inout Sink, through: UInt64, thenCheckpoint: Bool) {
    do throws(SQLiteError) {
      if !sink.changes.isEmpty { try sink.store.write(sink.changes) }
      sink.changes = StateRecords()
      if thenCheckpoint { try sink.store.database.checkpoint() }
      if sink.progress.failure != nil { try? doubt.clear() }
      sink.progress = Progress(settled: through, failure: nil)
    } catch {
      let isMarked = doubt.set()
      let cause = isMarked ? error.description : "\(error.description), and `\(doubt.path)` cannot be made"
      sink.progress = Progress(settled: through, failure: cause)
    }
  }
}
