internal import Platform

/// The thread that writes the state file. Sets of changes that wait merge, so that they never grow beyond the state itself.
package typealias StateWriter = LoopWriter<StateSink>

extension StateWriter {
  /// Takes the set of changes with the number `through`.
  package func submit(_ changes: StateRecords, through: UInt64) {
    submit { queue in
      if queue.changes.isEmpty { queue.changes = changes } else { queue.changes.merge(changes) }
      queue.through = through
    }
  }
}

/// The state file as the writing thread has it.
///
/// When the disk fails nothing is forgotten: a mark tells the next daemon not to believe the file, and the changes are
/// written again until they go through. Where not even the mark can be made, answers wait.
package struct StateSink: ~Copyable, WriterSink {
  package struct Queue: WriterQueue {
    var changes = StateRecords()
    /// Number of the newest set; nil when nothing came since the last time. A set may be empty: answers wait for it still.
    var through: UInt64?
    /// Everything written is to be brought to the disk, so that a power cut does not take it.
    var wantsCheckpoint = false

    package var isEmpty: Bool { changes.isEmpty && through == nil && !wantsCheckpoint }
  }

  /// The file's progress.
  package struct Progress: Sendable {
    /// Number of the newest set that a killed daemon would not lose, or of which the mark tells.
    package var settled: UInt64 = 0
    /// Why the file cannot be written; nil when it can.
    package var failure: String?
  }

  /// Nil when it has stopped, and then there is no lock either: another daemon may have the file.
  private var store: StateStore?
  private var locks: LockCopy
  private var lock: FileLock?
  private let doubt: DoubtMark
  /// The mark is there; it goes away with the next set that is written.
  private var isMarked: Bool
  /// Changes that were taken from the queue and are not written yet.
  private var changes = StateRecords()
  private var through: UInt64 = 0
  private var wantsCheckpoint = false
  private var progress = Progress()

  init(store: consuming StateStore, locks: consuming LockCopy, lock: FileLock, doubt: DoubtMark) {
    self.store = .some(store)
    self.locks = locks
    self.lock = lock
    self.doubt = doubt
    isMarked = doubt.isSet
  }

  package mutating func take(_ queue: inout Queue) {
    if changes.isEmpty { changes = queue.changes } else { changes.merge(queue.changes) }
    through = queue.through ?? through
    wantsCheckpoint = queue.wantsCheckpoint
    queue = Queue()
  }

  package mutating func write() -> Bool {
    guard lock != nil else { return false }
    do throws(SQLiteError) {
      try locks.write(changes)
      if !changes.isEmpty || store?.mustForget == true { try store?.write(changes) }
    } catch {
      isMarked = doubt.set()
      progress.failure =
        isMarked ? error.description : "\(error.description), and `\(doubt.path)` cannot be made: answers wait"
      if isMarked { progress.settled = through }
      return false
    }
    changes = StateRecords()
    progress = Progress(settled: through, failure: unmark())
    if wantsCheckpoint, progress.failure == nil { checkpoint() }
    return progress.failure == nil
  }

  package mutating func report(_ queue: borrowing Queue) -> Progress { progress }

  /// Closes the file, which may then be opened again.
  package mutating func end() {
    if progress.failure == nil { checkpoint() }
    store = nil
    locks.close()
    lock = nil
  }

  /// The kernel has everything already: a killed daemon loses nothing.
  private mutating func checkpoint() {
    do throws(SQLiteError) {
      try locks.checkpoint()
      try store?.database.checkpoint()
    } catch {
      progress.failure = error.description
    }
  }

  /// Returns why the mark stays, and makes the next daemon lose the state for nothing.
  private mutating func unmark() -> String? {
    guard isMarked else { return nil }
    do throws(SystemError) {
      try doubt.clear()
      isMarked = false
      return nil
    } catch {
      return error.description
    }
  }
}
