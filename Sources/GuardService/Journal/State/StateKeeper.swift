internal import AccountKeys
internal import Logging
internal import PolicyEngine

/// The event loop's side of the state file: collects the changes, hands them over in batches, and knows which answers
/// must wait for them. Without a file it takes notes and answers alike, and no answer waits.
struct StateKeeper {
  private let logger: Logger
  private var pending = StateRecords()
  private var submitted: UInt64 = 0
  private var progress = StateWriter.Progress()
  /// Nil when nothing outlives the daemon.
  private var writer: StateWriter?
  /// The file that is written; nil when none is.
  private(set) var file: String?
  /// Why the state was lost, or cannot be kept; nil when all is well.
  private(set) var error: String?
  /// Why locks of accounts may be lost; nil when all is well.
  private(set) var lockLoss: String?
  /// How often the file began to fail.
  private(set) var failures: UInt64 = 0
  /// The second since 1970 that the file knows of, or soon will.
  private var second: UInt64 = 0
  private var checkpointedSecond: UInt64 = 0

  init(logger: Logger) { self.logger = logger }

  /// Takes the file up, or notes why there is none; false when nothing can be kept.
  ///
  /// - Parameter tell: hears of the file's progress, on its thread.
  mutating func take(
    _ opened: OpenedState, at file: String, tell: @escaping @Sendable (StateWriter.Progress) -> Void
  ) -> Bool {
    (error, lockLoss) = (opened.loss, opened.lockLoss)
    if let lockLoss { logger.critical("locks of accounts may be lost", metadata: ["cause": "\(lockLoss)"]) }
    if let loss = opened.loss {
      logger.critical(
        "the state is lost: until the next copy or change every clip has an unknown managed owner, and no exception holds",
        metadata: ["file": "\(file)", "cause": "\(loss)"])
    }
    guard let writer = opened.writer else { return false }
    (self.writer, self.file) = (writer, file)
    writer.tell(tell)
    progress = writer.settle()
    second = (opened.records.latest ?? 0) / 1000
    checkpointedSecond = second
    error = opened.loss ?? progress.failure
    if let failure = progress.failure { tellOfFailure(failure) }
    return true
  }

  /// There is a file.
  var isKept: Bool { writer != nil }

  /// Why the file cannot be written; nil when it can, and when there is none.
  var failure: String? { progress.failure }

  /// Number of the newest set of changes that a killed daemon would not lose.
  var settled: UInt64 { isKept ? progress.settled : .max }

  /// Number of the set that will hold the changes up to now: an answer that rests on it leaves when it is settled.
  /// Changes nothing: each answer asks for it, and both are taken in place to avoid copies.
  mutating func newest(_ state: inout GuardState) -> UInt64 {
    guard isKept else { return 0 }
    return submitted + (pending.isEmpty && !state.hasChanges ? 0 : 1)
  }

  /// Changes were handed over that the file's thread has not told of.
  var waits: Bool { submitted > progress.settled }

  /// Notes an instance; nil for one that ended.
  mutating func note(_ token: String, _ instance: KeptInstance?) {
    if isKept { pending.instances[token] = .some(instance) }
  }

  /// Notes a timed exception; nil for one that is to be forgotten.
  mutating func note(exception: KeptException?, _ id: String) {
    if isKept { pending.exceptions[id] = .some(exception) }
  }

  /// Notes the owner of a file that keeps no label.
  mutating func note(owner: AccountTag, of file: FilePlace) {
    if isKept { pending.files[file] = owner }
  }

  /// Notes a short text by name; an empty one is none.
  mutating func note(mark: String, _ name: String) {
    if isKept { pending.marks[name] = mark }
  }

  /// An answer rests on this time, in milliseconds since 1970. Everything that ends does so at a whole second, so each
  /// second is written once, and before the first answer in it leaves.
  mutating func note(time: UInt64) {
    guard isKept, time / 1000 > second else { return }
    second = time / 1000
    pending.latest = time
  }

  /// Hands the changes to the writing thread.
  mutating func submit(_ state: inout GuardState) {
    guard let writer else { return }
    // Answers wait for a set by its number: where a change was told and there is none, it is an empty one.
    let isAwaited = state.hasChanges
    if isAwaited { state.takeChanges(into: &pending.clips) }
    guard isAwaited || !pending.isEmpty else { return }
    submitted += 1
    writer.submit(pending, through: submitted)
    pending = StateRecords()
  }

  /// Takes note of the file's progress.
  mutating func update(_ progress: StateWriter.Progress) {
    if let failure = progress.failure, self.failure == nil {
      tellOfFailure(failure)
    } else if progress.failure == nil, self.failure != nil {
      logger.notice("the state can be written again", metadata: ["file": "\(file ?? "")"])
    }
    error = progress.failure ?? (self.failure == nil ? error : nil)
    self.progress = progress
  }

  private mutating func tellOfFailure(_ failure: String) {
    failures += 1
    logger.critical(
      "the state cannot be written; a restart would take every clip for an unknown managed owner's",
      metadata: ["file": "\(file ?? "")", "cause": "\(failure)"])
  }

  func retryIfFailing() { if failure != nil { writer?.retry() } }

  /// Brings the file to the disk when the clock's mark has moved since the last time.
  mutating func checkpoint() {
    guard second > checkpointedSecond else { return }
    checkpointedSecond = second
    writer?.submit { $0.wantsCheckpoint = true }
  }

  /// Writes the waiting changes and ends the thread.
  mutating func stop(_ state: inout GuardState) {
    submit(&state)
    if let writer { progress = writer.stop() }
  }
}
