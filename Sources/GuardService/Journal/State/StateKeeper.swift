internal import PolicyEngine

/// The event loop's side of the state file: collects the changes, hands them over in batches, and knows which answers
/// must wait for them.
struct StateKeeper {
  private var pending = StateRecords()
  private var submitted: UInt64 = 0
  private let writer: StateWriter
  private(set) var progress: StateWriter.Progress
  /// The second since 1970 that the file knows of, or soon will.
  private var second: UInt64
  private var checkpointedSecond: UInt64

  init(writer: StateWriter, latest: UInt64) {
    self.writer = writer
    progress = writer.settle()
    second = latest / 1000
    checkpointedSecond = second
  }

  /// Number of the set that will hold the changes up to now: an answer that rests on it leaves when it is settled.
  /// Changes nothing: each answer asks for it, and both are taken in place to avoid copies.
  mutating func newest(_ state: inout GuardState) -> UInt64 {
    submitted + (pending.isEmpty && !state.hasChanges ? 0 : 1)
  }

  /// Changes were handed over that the thread has not told of.
  var waits: Bool { submitted > progress.settled }

  /// Notes an instance; nil for one that ended.
  mutating func note(_ token: String, _ instance: KeptInstance?) { pending.instances[token] = .some(instance) }

  /// Notes a timed exception; nil for one that is to be forgotten.
  mutating func note(exception: KeptException?, _ id: String) { pending.exceptions[id] = .some(exception) }

  /// Notes a short text by name; an empty one is none.
  mutating func note(mark: String, _ name: String) { pending.marks[name] = mark }

  /// An answer rests on this time, in milliseconds since 1970. Everything that ends does so at a whole second, so each
  /// second is written once, and before the first answer in it leaves.
  mutating func note(time: UInt64) {
    guard time / 1000 > second else { return }
    second = time / 1000
    pending.latest = time
  }

  /// Hands the changes to the writing thread.
  mutating func submit(_ state: inout GuardState) {
    // Answers wait for a set by its number: where a change was told and there is none, it is an empty one.
    let isAwaited = state.hasChanges
    if isAwaited { state.takeChanges(into: &pending.clips) }
    guard isAwaited || !pending.isEmpty else { return }
    submitted += 1
    writer.submit(pending, through: submitted)
    pending = StateRecords()
  }

  mutating func update(_ progress: StateWriter.Progress) { self.progress = progress }

  func retry() { writer.retry() }

  /// Brings the file to the disk when the clock's mark has moved since the last time.
  mutating func checkpoint() {
    guard second > checkpointedSecond else { return }
    checkpointedSecond = second
    writer.submit { $0.wantsCheckpoint = true }
  }

  /// Writes the waiting changes and ends the thread.
  mutating func stop(_ state: inout GuardState) {
    submit(&state)
    progress = writer.stop()
  }
}
