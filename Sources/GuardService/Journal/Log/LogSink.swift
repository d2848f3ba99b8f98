internal import DecisionLog
internal import Glibc
internal import Platform
internal import PolicyFiles

/// The thread that writes the decision log. The event loop bounds its queue: it stops to read from its clients when
/// `Progress.waiting` is too much.
typealias LogWriter = LoopWriter<LogSink>

extension LogWriter {
  /// Takes over a batch of unsealed records, with an order to carry out once they are written; gives back an empty one
  /// to collect the next records in.
  func submit(_ records: inout LogBatch, then order: LogSink.Order? = nil) {
    submit { queue in
      if queue.records.isEmpty { swap(&queue.records, &records) } else { queue.records.append(records) }
      if let order { queue.orders.append((queue.records.bytes.count, order)) }
    }
    records.removeAll()
  }

  /// Looks whether the file is still there, and writes it again if not.
  func inspect() { submit { $0.mustInspect = true } }
}

/// The decision log as the writing thread has it: it links the records into the chain and hands them to the kernel, and
/// to the disk where answers wait for that.
///
/// A failed step is tried again from where it stopped: no record is dropped, and none is written twice.
struct LogSink: WriterSink {
  /// Unsealed records, and the orders to carry out at given bytes of them.
  struct Queue: WriterQueue {
    var records = LogBatch()
    var orders: [(at: Int, order: Order)] = []
    var mustInspect = false

    var isEmpty: Bool { records.isEmpty && orders.isEmpty && !mustInspect }
  }

  /// An order to carry out once everything before it is written.
  enum Order: Sendable {
    /// The file ends here; the next record begins another one.
    case close(ClosedFile, at: UInt64)
    /// These closed files go, since a record that says so is written.
    case remove([ClosedLogFile])
  }

  /// The log's progress.
  struct Progress: Sendable {
    /// Number of the newest record that the kernel has.
    var written: UInt64
    /// Number of the newest record that is known to be on the disk.
    var synced: UInt64
    /// The newest record for which an answer may leave.
    var head: LogHead
    /// The error of the system, while the log cannot be written.
    var failure: SystemError?
    /// Bytes that wait.
    var waiting: Int
    /// Files that were closed since the last report.
    var closed: [ClosedLogFile] = []
    /// Things that others did to the files, since the last report.
    var incidents: [String] = []
  }

  private var written: LogHead
  private var synced: LogHead
  private var failure: SystemError?
  /// Files that were closed since the last report.
  private var closed: [ClosedLogFile] = []
  /// Faults of the files, in words.
  private var incidents: [String] = []

  private let directory: LogDirectory
  private let durability: DaemonSettings.Durability
  private var file: LogFile
  private var chain: Chain
  /// Records that were taken, written up to `start`.
  private var taken = LogBatch()
  private var start = 0
  /// The file ends in the middle of a line, which must not take the next record with it.
  private var mustEndLine: Bool
  /// Orders to carry out at given bytes of `taken`.
  private var orders: [(at: Int, order: Order)] = []
  private var mustInspect = false
  /// Bytes that the file has, unless another program touches it.
  private var fileBytes: Int
  /// The file has its closed name already, in the middle of an order.
  private var closedName: String?
  /// The disk refused bytes that the kernel had taken: any part of them may be missing.
  private var mustRewrite = false

  init(_ opened: OpenedLog, durability: DaemonSettings.Durability) {
    directory = opened.directory
    file = opened.file
    self.durability = durability
    chain = Chain(continuing: opened.tail.head)
    written = opened.tail.head
    synced = opened.tail.head
    fileBytes = opened.file.size
    mustEndLine = opened.tail.needsNewline
  }

  private static let newline = [UInt8(ascii: "\n")]

  mutating func take(_ queue: inout Queue) {
    mustInspect = mustInspect || queue.mustInspect
    queue.mustInspect = false
    guard start == taken.bytes.count, orders.isEmpty else { return }
    taken.removeAll()
    start = 0
    swap(&taken, &queue.records)
    swap(&orders, &queue.orders)
  }

  mutating func write() -> Bool {
    let wantsInspection = mustInspect
    mustInspect = false
    do throws(SystemError) {
      try advance()
      if wantsInspection { try inspect() }
      failure = nil
    } catch {
      failure = error
      // A file that is not in its place takes bytes all the same: the log works again when it was put back.
      mustInspect = wantsInspection
    }
    return failure == nil
  }

  mutating func report(_ queue: borrowing Queue) -> Progress {
    defer { (closed, incidents) = ([], []) }
    return Progress(
      written: written.seq, synced: synced.seq, head: durability == .synced ? synced : written, failure: failure,
      waiting: taken.bytes.count - start + queue.records.bytes.count, closed: closed, incidents: incidents)
  }

  /// Answers rest on the disk in `synced` only, and there it has everything; elsewhere this is a last courtesy.
  mutating func end() { try? sync() }

  /// Writes everything that was taken; to the disk, where answers wait for that.
  private mutating func advance() throws(SystemError) {
    if mustRewrite { try rewrite() }
    while true {
      try flush()
      if let first = orders.first, first.at == start {
        try perform(first.order)
        orders.removeFirst()
        continue
      }
      guard start < taken.bytes.count else { break }
      chain.seal(&taken, through: orders.first?.at ?? taken.bytes.count)
    }
    if durability == .synced { try sync() }
  }

  private mutating func flush() throws(SystemError) {
    if mustEndLine {
      try file.append(Self.newline)
      fileBytes += Self.newline.count
      mustEndLine = false
    }
    while start < taken.sealedBytes {
      let end = try file.append(taken.bytes, in: start..<taken.sealedBytes)
      fileBytes += end - start
      start = end
    }
    written = chain.head
  }

  /// Brings the file to the disk. After a failure the kernel may take lost bytes for written, and report success the
  /// next time. Everything is therefore written to a new file then.
  private mutating func sync() throws(SystemError) {
    guard synced != written else { return }
    do throws(SystemError) { try file.sync() } catch {
      mustRewrite = true
      throw error
    }
    synced = written
  }

  // MARK: Files

  private mutating func perform(_ order: Order) throws(SystemError) {
    switch order {
    case .close(let content, let time): try close(content, at: time)
    case .remove(let files): try remove(files)
    }
  }

  /// Closes the file and begins the next one. Each step is on the disk before the next is taken, and a start can take
  /// up the log after each of them.
  private mutating func close(_ content: ClosedFile, at time: UInt64) throws(SystemError) {
    let name: String
    if let closedName {
      name = closedName
    } else {
      if !file.isInPlace { try restore() }
      try sync()
      name = try directory.close(file, firstSeq: content.firstSeq)
      closedName = name
    }
    file = try LogFile.open(directory.active)
    try directory.sync()
    closed.append(
      ClosedLogFile(
        name: name, firstSeq: content.firstSeq, head: written, latest: time, bytes: fileBytes, users: content.users))
    closedName = nil
    fileBytes = 0
  }

  /// The record of a removal is on the disk before the file goes: else a power cut might leave a log with a hole.
  private mutating func remove(_ files: [ClosedLogFile]) throws(SystemError) {
    try sync()
    for file in files where unlink(directory.place(of: file.name)) != 0 && errno != ENOENT {
      incidents.append(SystemError("remove", directory.place(of: file.name)).description)
    }
    try directory.sync()
  }

  /// Looks whether the file still has the written records. One that was removed or replaced is written again, as a
  /// whole.
  private mutating func inspect() throws(SystemError) {
    if mustRewrite || closedName != nil { return }
    if !file.isInPlace { return try restore() }
    let size = file.size
    guard size != fileBytes else { return }
    incidents.append("`\(file.path)` was changed by somebody else: it holds \(size) bytes in place of \(fileBytes)")
    fileBytes = size
    if size > 0, try file.tail(1) != Self.newline { mustEndLine = true }
  }

  private mutating func restore() throws(SystemError) {
    let isReplaced = access(file.path, F_OK) == 0
    try rewrite()
    incidents.append("`\(file.path)` was \(isReplaced ? "replaced" : "removed"), and is written again")
  }

  private mutating func rewrite() throws(SystemError) {
    file = try directory.restore(file)
    mustRewrite = false
    synced = written
  }
}
