internal import NIOPosix

/// The things that wait until the thread of a `LoopWriter` takes them.
package protocol WriterQueue: Sendable {
  /// Nothing waits, and nothing is asked for.
  var isEmpty: Bool { get }
}

/// The place that a `LoopWriter` writes to: a file, a database, a stream.
///
/// One thread at a time touches it. It holds the things that it took and could not write yet, so that nothing is dropped and
/// nothing is written twice.
package protocol WriterSink: ~Copyable, SendableMetatype {
  associatedtype Queue: WriterQueue
  /// The sink's progress.
  associatedtype Progress: Sendable

  /// Moves the waiting items from the queue to the sink. The queue is locked meanwhile, so this copies and waits for
  /// nothing. A sink that is not done with earlier items may leave the queue as it is, and gets it again.
  mutating func take(_ queue: inout Queue)

  /// Writes everything that was taken; may block. False when something is left and trying again at once is no use.
  mutating func write() -> Bool

  /// The sink's progress, while `queue` waits. News that this returns once are not returned again.
  mutating func report(_ queue: borrowing Queue) -> Progress

  /// The last call, on the thread that stops the writer, after the last attempt to write.
  mutating func end()
}

/// A thread that writes what the event loop queues, since nothing on the loop may block.
///
/// The rules, which are the same for the decision log, the state file and the journal:
/// - The order of writing is the order of submitting. The things that come while the sink is busy are its next batch,
///   so that one wait for the disk serves many.
/// - The queue is bounded by its own type: it merges, it counts what it drops, or its user pauses when reports say that
///   much waits. `submit` never waits for the sink.
/// - The thread rests while nothing waits. The first `submit` after that wakes it; the others cost one lock.
/// - After every attempt the listener hears the sink's progress, on the writing thread, with no lock held. It may
///   submit.
/// - A sink that fails keeps its items. The thread then rests until the next `submit` or `retry`, even if items wait.
/// - `stop` tries to write everything that waits, and ends the thread. The things that are submitted later are not
///   written.
package final class LoopWriter<Sink: WriterSink & ~Copyable>: Sendable {
  package typealias Progress = Sink.Progress

  private struct Waiting: Sendable {
    var queue: Sink.Queue
    /// The thread works, or was told to: it will look at the queue again.
    var isRunning = false
  }

  /// Trap: a bare closure in `Locked` gets one more layer around it each time it is read, and after a day a call of it
  /// would overflow the stack. A struct is handed over as it is.
  private struct Listener: Sendable {
    let hear: @Sendable (Progress) -> Void
  }

  private let waiting: Locked<Waiting>
  private let sink: Locked<Sink>
  private let listener: Locked<Listener?>
  /// Nil where the user drives it.
  private let thread: NIOThreadPool?

  /// - Parameter isDriven: it has no thread, and writes when its user calls `settle`.
  package init(
    _ sink: consuming sending Sink, _ queue: Sink.Queue, isDriven: Bool = false,
    tell: (@Sendable (Progress) -> Void)? = nil
  ) {
    waiting = Locked(Waiting(queue: queue))
    self.sink = Locked(sink)
    listener = Locked(tell.map { Listener(hear: $0) })
    thread = isDriven ? nil : NIOThreadPool(numberOfThreads: 1)
    thread?.start()
  }

  /// From now on `body` hears how far the sink is.
  package func tell(_ body: @escaping @Sendable (Progress) -> Void) {
    listener.withLock { $0 = Listener(hear: body) }
  }

  /// Adds to the queue, or asks for something there, and wakes the thread. `change` runs at once, on the calling thread.
  package func submit(_ change: (inout Sink.Queue) -> Void) {
    let mustStart = waiting.withLock { waiting in
      change(&waiting.queue)
      defer { waiting.isRunning = true }
      return !waiting.isRunning
    }
    if mustStart { start() }
  }

  /// Tries a failed step again.
  package func retry() { submit { _ in } }

  /// The thread has nothing to do, or its sink has failed.
  package var rests: Bool { waiting.withLock { !$0.isRunning } }

  /// Works on the calling thread until nothing waits or the sink fails, and returns how far the sink is then.
  package func settle() -> Progress {
    while true {
      let (progress, rests) = attempt()
      if rests { return progress }
      listener.withLock { $0 }?.hear(progress)
    }
  }

  /// Writes the waiting items, ends the thread, and returns the sink's progress.
  package func stop() -> Progress {
    try? thread?.syncShutdownGracefully()
    _ = settle()
    return sink.withLock { sink in
      sink.end()
      return waiting.withLock { sink.report($0.queue) }
    }
  }

  private func start() {
    thread?.submit { state in
      guard state == .active else { return }
      let progress = self.settle()
      self.listener.withLock { $0 }?.hear(progress)
    }
  }

  private func attempt() -> (progress: Progress, rests: Bool) {
    sink.withLock { sink in
      waiting.withLock { sink.take(&$0.queue) }
      let isDone = sink.write()
      return waiting.withLock { waiting in
        let rests = !isDone || waiting.queue.isEmpty
        if rests { waiting.isRunning = false }
        return (sink.report(waiting.queue), rests)
      }
    }
  }
}
