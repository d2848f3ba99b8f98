internal import Bytes
internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// The event loop's side of the decision log: encodes records, hands them over in batches, and knows how far the log is.
///
/// A class, since a struct in the core would be copied to ask it anything.
final class DecisionRecorder {
  @exclusivity(unchecked) var encoder: LogEncoder
  /// The entry of the decision at hand, filled and encoded in place: it is long, and was copied ten times.
  @exclusivity(unchecked) var entry = DecisionEntry()
  @exclusivity(unchecked) var batch = LogBatch()
  let writer: LogWriter
  @exclusivity(unchecked) private(set) var progress: LogWriter.Progress
  @exclusivity(unchecked) var history: LogHistory
  private let durability: DaemonSettings.Durability
  @exclusivity(unchecked) var submittedBytes = 0
  @exclusivity(unchecked) private var failingSince: UInt64?
  /// Decisions answered without a record while the log failed.
  @exclusivity(unchecked) private var lost: UInt64 = 0
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
  var waitingBytes: Int { submittedBytes + batch.bytes.count }

  /// Too much waits for the disk: reading must pause.
  var isSaturated: Bool { submittedBytes + batch.bytes.count > Self.maximumWaiting }

  /// Clients are not read from: so much waits, and the disk takes it.
  var pausesReading: Bool { isSaturated && progress.failure == nil }

  /// More than so many records wait to be written.
  func isBehind(by records: UInt64) -> Bool { newest > progress.written + records && progress.failure == nil }

  /// Whether a record may be added: not while the log fails and the queue is full.
  var hasRoom: Bool { !isFailing || !isSaturated }

  /// Whether one record may be added now; if not, it counts as lost.
  func takeRoom() -> Bool {
    guard !hasRoom else { return true }
    lost += 1
    lostInAll += 1
    return false
  }

  /// Encodes one record; `body` gets the encoder and the batch. `place` is that of the user whom the record names.
  func record(of place: Int? = nil, _ body: (inout LogEncoder, inout [UInt8]) -> Void) {
    let seq = encoder.nextSeq
    let bytes = batch.add { body(&encoder, &$0) }
    history.note(bytes, seq: seq, at: encoder.latest, of: place)
  }

  /// Encodes the record of the decision in `entry`; the user with this place asked for it.
  func recordEntry(of event: inout Event, as form: RenderedAnswer, from place: Int) {
    let seq = encoder.nextSeq
    let bytes = batch.add { Self.encode(&entry, of: &event, as: form, &encoder, &$0) }
    // The engine writes into the bytes of these URLs again, and would have to copy them.
    (entry.url, entry.from) = (.absent, .absent)
    history.note(bytes, seq: seq, at: encoder.latest, of: place)
  }

  /// In place: Swift copies what a class holds when it is lent otherwise.
  private static func encode(
    _ entry: inout DecisionEntry, of event: inout Event, as form: RenderedAnswer, _ encoder: inout LogEncoder,
    _ batch: inout [UInt8]
  ) {
    if let written = form.record {
      encoder.encode(entry, of: event, as: written, into: &batch)
    } else {
      encoder.encode(entry, of: event, as: form.report, into: &batch)
    }
  }

  /// The URL of the newest decision as its record has it.
  var judgedURL: GrowingBytes { encoder.judgedURL }

  /// The log's words for an answer, to be copied into records.
  func written(_ report: DecisionReport, for entry: DecisionEntry) -> WrittenAnswer? {
    encoder.written(report, for: entry)
  }

  /// Hands the batch to the writing thread.
  func submit() {
    guard !batch.isEmpty else { return }
    submittedBytes += batch.bytes.count
    writer.submit(&batch)
    if history.isFileFull { closeFile(at: encoder.latest) }
  }

  func retry() { writer.retry() }

  /// Takes note of how far the log is. When it works again after a failure, a record says how long it did not and how
  /// many answers went out without one.
  func update(_ progress: LogWriter.Progress, at time: UInt64) {
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

  /// Writes everything that waits and ends the thread; afterwards `progress` has the count of unwritten bytes.
  func stop() {
    submit()
    progress = writer.stop()
  }
}

/// Rotation, retention, and the shares of users.
extension DecisionRecorder {
  /// Ends the active file with the record that says so; the next record begins another file.
  func closeFile(at time: UInt64) {
    let content = history.close()
    batch.add { encoder.encode(content, at: time, into: &$0) }
    submittedBytes += batch.bytes.count
    writer.submit(&batch, then: .close(content, at: time))
  }

  /// The work of every second: a new file on a new day, the end of files that are too old or too many, and a look at
  /// the file. Returns the records that were removed.
  func keepHouse(at time: UInt64) -> PrunedRecords? {
    guard !isFailing else { return nil }
    writer.inspect()
    if history.isOfAnotherDay(than: time) {
      submit()
      closeFile(at: time)
    }
    guard let (files, pruned) = history.prune(at: time) else { return nil }
    record { $0.encode(pruned, at: time, into: &$1) }
    submittedBytes += batch.bytes.count
    writer.submit(&batch, then: .remove(files))
    return pruned
  }

  /// Where the share of a user is kept.
  func place(of uid: UInt32) -> Int { history.shares.place(of: uid) }

  /// Whether a user's records fill their share: then their further decisions are only counted.
  func isShareFull(at place: Int) -> Bool { history.shares.isFull(at: place) }

  /// Gives room to the shares that have been full for an hour; returns their users.
  func recoverShares(at uptime: UInt64) -> [UInt32] { history.shares.recover(at: uptime) }

  func countLimited(_ kind: WritableKeyPath<LimitedDecisions, UInt64>, at place: Int) {
    history.shares.count(kind, at: place)
  }

  /// Records the counts of decisions without records; returns them.
  func recordLimited(at time: UInt64) -> [LimitedDecisions] {
    guard hasRoom else { return [] }
    let all = history.shares.takeLimited()
    for (place, limited) in all { record(of: place) { $0.encode(limited, at: time, into: &$1) } }
    return all.map(\.limited)
  }
}

/// The event loop's knowledge of the log's files: when the active one must be closed, and which closed ones must go.
struct LogHistory {
  /// The closed files, oldest first.
  private(set) var closed: [ClosedLogFile]
  var shares: LogShares
  /// When files last went before their time, in milliseconds since 1970.
  private(set) var prunedEarly: UInt64?
  private let limits: Limits
  /// Bytes of the closed files.
  private var closedBytes: Int
  private(set) var activeBytes: Int
  /// The first record of the active file; 0 when it has none.
  private var firstSeq: UInt64
  private var firstTime: UInt64

  /// The settings in bytes and milliseconds.
  private struct Limits {
    var fileBytes: Int
    var bytes: Int
    var age: UInt64

    /// A file is at most a quarter of the log: else too much would go with the oldest.
    init(_ settings: DaemonSettings.Log) {
      bytes = settings.maximumMegabytes << 20
      fileBytes = min(settings.rotateMegabytes << 20, bytes / 4)
      age = UInt64(settings.keepDays) * LogHistory.day
    }
  }

  private static let day: UInt64 = 86_400_000

  init(_ opened: OpenedLog, _ settings: DaemonSettings.Log) {
    limits = Limits(settings)
    closed = opened.closed
    closedBytes = opened.closed.reduce(0) { $0 + $1.bytes }
    activeBytes = opened.file.size
    (firstSeq, firstTime) = (opened.active.firstSeq, opened.active.firstTime)
    // A user who may fill all of it is never held up: the oldest files go instead.
    let maximum = settings.userPercent < 100 ? limits.bytes / 100 * settings.userPercent : .max
    shares = LogShares(
      maximum: maximum, keepDays: settings.keepDays, owner: geteuid(), closed: opened.closed.map(\.users),
      active: opened.active.users)
  }

  /// Size of all files, in bytes.
  var bytes: Int { closedBytes + activeBytes }

  /// Number of files, the active one included.
  var files: Int { closed.count + 1 }

  /// Notes a record of the active file, and counts it for the user with that place, if any.
  mutating func note(_ bytes: Int, seq: UInt64, at time: UInt64, of place: Int?) {
    if firstSeq == 0 { (firstSeq, firstTime) = (seq, time) }
    activeBytes += bytes
    if let place { shares.add(bytes, at: place) }
  }

  /// Whether the active file has reached its maximum size.
  var isFileFull: Bool { activeBytes > limits.fileBytes }

  /// Whether the active file began on another day, in UTC.
  func isOfAnotherDay(than time: UInt64) -> Bool { firstSeq > 0 && firstTime / Self.day != time / Self.day }

  /// The active file ends here; the record that says so is still to be added, to the next file's account.
  mutating func close() -> ClosedFile {
    let file = ClosedFile(firstSeq: firstSeq, firstTime: firstTime, users: shares.close())
    (firstSeq, firstTime, activeBytes) = (0, 0, 0)
    return file
  }

  /// The writer has closed a file.
  mutating func add(_ file: ClosedLogFile) {
    closed.append(file)
    closedBytes += file.bytes
  }

  /// Number of the oldest files that are past their age. Files before an old file are old too, whatever time a wrong
  /// clock gave them.
  private func oldCount(at time: UInt64) -> Int {
    (closed.lastIndex { $0.latest + limits.age < time } ?? -1) + 1
  }

  /// The oldest files, when they must go: those past their age, else those beyond the size.
  mutating func prune(at time: UInt64) -> (files: [ClosedLogFile], record: PrunedRecords)? {
    var count = oldCount(at: time)
    var cause = PrunedRecords.Cause.age
    if count == 0 {
      cause = .size
      var rest = bytes
      while rest > limits.bytes, count < closed.count {
        rest -= closed[count].bytes
        count += 1
      }
    }
    guard count > 0 else { return nil }
    let files = Array(closed[..<count])
    guard let first = files.first, let last = files.last else { return nil }
    closed.removeFirst(count)
    for file in files {
      closedBytes -= file.bytes
      shares.release(file.users)
    }
    if cause == .size { prunedEarly = time }
    return (files, PrunedRecords(files: count, firstSeq: first.firstSeq, last: last.head, cause: cause))
  }
}
