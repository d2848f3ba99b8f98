internal import NIOPosix

/// The one thread that writes the state file.
///
/// Sets of changes come from the event loop; while one is being written the next ones merge, so that what waits never grows
/// beyond the state itself. When the disk fails nothing is forgotten: a mark tells the next daemon not to believe the file,
/// and the changes are written again until they go through. Where not even the mark can be made, answers wait.
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
    /// Nil when it has stopped, and then there is no lock either: another daemon may have the file.
    var store: StateStore?
    var lock: StateLock?
    /// The mark is there; it goes away with the next set that is written.
    var isMarked: Bool
    /// Taken from the queue and not written yet.
    var changes = StateRecords()
    var progress = Progress()
  }

  private let queue = Locked(Queue())
  private let sink: Locked<Sink>
  private let doubt: DoubtMark
  private let thread = NIOThreadPool(numberOfThreads: 1)
  /// Called on the writing thread, after every attempt.
  private let listener = Locked<(@Sendable (Progress) -> Void)?>(nil)

  /// Takes away at once what the file says and does not hold, and the mark with it.
  init(store: consuming sending StateStore, lock: StateLock, doubt: DoubtMark) {
    self.doubt = doubt
    sink = Locked(Sink(store: store, lock: lock, isMarked: doubt.isSet))
    thread.start()
    _ = run()
  }

  /// How far it got by now.
  var progress: Progress { sink.withLock { $0.progress } }

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

  /// Writes what waits, ends the thread and closes the file, which may then be opened again.
  package func stop() -> Progress {
    try? thread.syncShutdownGracefully()
    queue.withLock { $0.wantsCheckpoint = true }
    let progress = run()
    sink.withLock { sink in
      sink.store = nil
      sink.lock = nil
    }
    return progress
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
      while sink.lock != nil {
        let (through, wantsCheckpoint) = take(&sink)
        write(&sink, through: through, thenCheckpoint: wantsCheckpoint)
        let failed = sink.progress.failure != nil
        let more = queue.withLock { queue in
          if queue.changes.isEmpty || failed { queue.isRunning = false }
          return queue.isRunning
        }
        if !more { break }
      }
      return sink.progress
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
      if !sink.changes.isEmpty || sink.store?.mustForget == true { try sink.store?.write(sink.changes) }
    } catch {
      sink.isMarked = doubt.set()
      sink.progress.failure =
        sink.isMarked ? error.description : "\(error.description), and `\(doubt.path)` cannot be made: answers wait"
      if sink.isMarked { sink.progress.settled = through }
      return
    }
    sink.changes = StateRecords()
    sink.progress = Progress(settled: through, failure: unmark(&sink))
    guard thenCheckpoint, sink.progress.failure == nil else { return }
    // The kernel has everything already: a killed daemon loses nothing.
    do throws(SQLiteError) { try sink.store?.database.checkpoint() } catch {
      sink.progress.failure = error.description
    }
  }

  /// Returns why the mark stays, and makes the next daemon lose the state for nothing.
  private func unmark(_ sink: inout Sink) -> String? {
    guard sink.isMarked else { return nil }
    do throws(SystemError) {
      try doubt.clear()
      sink.isMarked = false
      return nil
    } catch {
      return error.description
    }
  }
}
