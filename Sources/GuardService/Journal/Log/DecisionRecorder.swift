internal import DecisionLog
internal import GuardModel
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// The event loop's side of the decision log: encodes records, hands them over in batches, and knows how far the log is.
struct DecisionRecorder {
  var encoder: LogEncoder
  var batch: [UInt8] = []
  let writer: LogWriter
  private(set) var progress: LogWriter.Progress
  var history: LogHistory
  private let durability: DaemonSettings.Durability
  var submittedBytes = 0
  private var failingSince: UInt64?
  /// Decisions answered without a record while the log failed.
  private var lost: UInt64 = 0
  /// The same since the start.
  private(set) var lostInAll: UInt64 = 0

  /// Bytes that may wait for the disk before the daemon stops reading from its clients.
  static let maximumWaiting = 16 << 20

  init(encoder: LogEncoder, writer: LogWriter, opened: OpenedLog, settings: DaemonSettings.Log) {
    self.encoder = encoder
    self.writer = writer
    history = LogHistory(opened, settings)
    durability = settings.durability
    let head = opened.tail.head
    progress = LogWriter.Progress(written: head.seq, synced: head.seq, head: head, failure: nil, waiting: 0)
  }

  var isFailing: Bool { progress.failure != nil }

  /// The number of the newest record for which an answer may leave.
  var settled: UInt64 { durability == .synced ? progress.synced : progress.written }

  /// The number of the newest record encoded: an answer may leave when the log is written up to it.
  var newest: UInt64 { encoder.nextSeq - 1 }

  /// Bytes that wait for the disk.
  var waitingBytes: Int { submittedBytes + batch.count }

  /// So much waits for the disk that reading must pause.
  var isSaturated: Bool { submittedBytes + batch.count > Self.maximumWaiting }

  /// Clients are not read from: so much waits, and the disk takes it.
  var pausesReading: Bool { isSaturated && progress.failure == nil }

  /// More than so many records wait to be written.
  func isBehind(by records: UInt64) -> Bool { newest > progress.written + records && progress.failure == nil }

  /// Whether a record may be added. While the log fails and the queue is full, records are counted instead.
  mutating func hasRoom() -> Bool {
    guard isFailing, isSaturated else { return true }
    lost += 1
    lostInAll += 1
    return false
  }

  /// Encodes one record; `body` gets the encoder and the batch. `place` is that of the user whom the record names.
  mutating func record(of place: Int? = nil, _ body: (inout LogEncoder, inout [UInt8]) -> Void) {
    let (seq, start) = (encoder.nextSeq, batch.count)
    body(&encoder, &batch)
    history.note(batch.count - start + Chain.addedBytes, seq: seq, at: encoder.latest, of: place)
  }

  /// Encodes the record of a decision that the user with this place asked for.
  mutating func record(_ entry: DecisionEntry, of event: inout Event, as form: AnswerForm, from place: Int) {
    let (seq, start) = (encoder.nextSeq, batch.count)
    encoder.encode(entry, of: event, as: form.report, form.record, into: &batch)
    history.note(batch.count - start + Chain.addedBytes, seq: seq, at: encoder.latest, of: place)
  }

  /// The URL of the newest decision as its record has it.
  var judgedURL: [UInt8] { encoder.judgedURL }

  /// What records say of an answer, to be copied into them.
  mutating func written(_ report: DecisionReport) -> WrittenAnswer? { encoder.written(report) }

  /// Hands the batch to the writing thread.
  mutating func submit() {
    guard !batch.isEmpty else { return }
    submittedBytes += batch.count
    writer.submit(&batch)
    if history.isFileFull { closeFile(at: encoder.latest) }
  }

  func retry() { writer.retry() }

  /// Takes note of how far the log is. When it works again after a failure, a record says how long it did not and how
  /// many answers went out without one.
  mutating func update(_ progress: LogWriter.Progress, at time: UInt64) {
    submittedBytes = progress.waiting
    for file in progress.closed { history.add(file) }
    for incident in progress.incidents {
      record { $0.encode(LogFailure(cause: incident, since: time, lost: 0), at: time, into: &$1) }
    }
    defer { self.progress = progress }
    if progress.failure != nil {
      failingSince = failingSince ?? time
      return
    }
    guard let since = failingSince, let cause = self.progress.failure else { return }
    let failure = LogFailure(cause: cause.description, since: since, lost: lost)
    record { $0.encode(failure, at: time, into: &$1) }
    (failingSince, lost) = (nil, 0)
  }

  /// Writes what waits and ends the thread; afterwards `progress` says how much could not be written.
  mutating func stop() {
    submit()
    progress = writer.stop()
  }
}
