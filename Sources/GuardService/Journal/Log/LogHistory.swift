internal import DecisionLog
internal import Glibc
internal import PolicyFiles

/// What the event loop knows of the log's files: when the active one must be closed, and which closed ones must go.
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
    // Who may fill all of it is held up by nothing: the oldest files go instead.
    let maximum = settings.userPercent < 100 ? limits.bytes / 100 * settings.userPercent : .max
    shares = LogShares(
      maximum: maximum, keepDays: settings.keepDays, owner: geteuid(), closed: opened.closed.map(\.users),
      active: opened.active.users)
  }

  /// What all files hold, in bytes.
  var bytes: Int { closedBytes + activeBytes }

  /// How many files there are, the active one included.
  var files: Int { closed.count + 1 }

  /// Notes a record of the active file; of the user with that place, when it is somebody's.
  mutating func note(_ bytes: Int, seq: UInt64, at time: UInt64, of place: Int?) {
    if firstSeq == 0 { (firstSeq, firstTime) = (seq, time) }
    activeBytes += bytes
    if let place { shares.add(bytes, at: place) }
  }

  /// Whether the active file is as large as it may be.
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

  /// How many of the oldest files are past their age. What stands before a file is older than it, whatever time a clock gave
  /// it that was wrong.
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
