internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import Platform

/// A decision log taken up again: where its chain ends, what a crash left behind it, and which files there are.
///
/// A crash may have ended the daemon before this one between any two steps of a rotation. Each of its remains is taken
/// up: an active file that ends with its `closed` record and was not renamed, none, an empty one, and a closed file
/// without a `closed` record.
struct OpenedLog: Sendable {
  let directory: LogDirectory
  let file: LogFile
  let tail: LogTail
  /// The closed files, oldest first.
  let closed: [ClosedLogFile]
  /// Contents of the active file so far.
  var active: ClosedFile

  /// Opens the log in a directory and finds its end. A very large file without a record at its end is refused:
  /// appending to it would hide its damage.
  init(directory path: String) throws(StartError) {
    let directory = try LogDirectory.claim(path)
    let opened: Self?
    do throws(SystemError) { opened = try Self(in: directory) } catch { throw .system(error) }
    guard let opened else {
      throw .log("`\(directory.active)` does not end in a record; move it away to start a new log")
    }
    self = opened
  }

  private init?(in directory: LogDirectory) throws(SystemError) {
    var closed: [ClosedLogFile] = []
    for name in try directory.closedNames() {
      closed.append(try ClosedLogFile(name, in: directory, continuing: closed.last?.head ?? .start))
    }
    var file = try LogFile.open(directory.active)
    var tail = try file.logTail(continuing: closed.last?.head ?? .start)
    if let found = tail, let closing = found.closing, found.torn == nil {
      if found.needsNewline { try file.append([UInt8(ascii: "\n")]) }
      try file.sync()
      let name = try directory.close(file, firstSeq: closing.firstSeq)
      closed.append(try ClosedLogFile(name, in: directory, continuing: .start))
      file = try LogFile.open(directory.active)
      tail = try file.logTail(continuing: closed.last?.head ?? .start)
    }
    try directory.sync()
    guard let tail else { return nil }
    self.directory = directory
    self.closed = closed
    self.file = file
    self.tail = tail
    active = try file.scan()
  }

  /// Counts the records of subordinate uids for their owners, as the daemon that wrote them did.
  mutating func fold(by persons: PersonLookUp) {
    var users: [UInt32: Int] = [:]
    for (uid, bytes) in active.users {
      guard case .known(let person) = persons.person(of: uid) else {
        users[uid, default: 0] += bytes
        continue
      }
      users[person, default: 0] += bytes
    }
    active.users = users
  }

  /// The time of the newest record, in milliseconds since 1970; those before it are earlier, or were made by a clock that
  /// was repaired since.
  var latest: UInt64 { tail.time > 0 ? tail.time : closed.last?.latest ?? 0 }
}

/// A file of the log that is complete.
struct ClosedLogFile: Sendable, Hashable {
  var name: String
  var firstSeq: UInt64
  /// Its last record.
  var head: LogHead
  /// When that was written, in milliseconds since 1970.
  var latest: UInt64
  var bytes: Int
  /// Bytes of each user's records.
  var users: [UInt32: Int]
}

extension ClosedLogFile {
  /// Reads the facts about a closed file from its last record; from all of it, if there is no such record.
  fileprivate init(_ name: String, in directory: LogDirectory, continuing before: LogHead) throws(SystemError) {
    let file = try LogFile.openForReading(directory.place(of: name))
    let tail = try file.logTail(continuing: before)
    let closing: ClosedFile
    if let found = tail?.closing { closing = found } else { closing = try file.scan() }
    self.init(
      name: name, firstSeq: closing.firstSeq, head: tail?.head ?? before, latest: tail?.time ?? 0, bytes: file.size,
      users: closing.users)
  }
}

extension LogFile {
  /// The end of the file; nil when it is very large and its last part holds no record.
  fileprivate func logTail(continuing before: LogHead) throws(SystemError) -> LogTail? {
    let size = size
    for part in [Self.shortTail, LogLimits.recordBytes + 1, Self.longTail] {
      let bytes = try tail(part)
      let isWhole = bytes.count == size
      if let tail = LogTail(of: bytes.span, isWholeFile: isWhole, continuing: before) { return tail }
    }
    return nil
  }

  /// Most files end in a short record.
  private static let shortTail = 1 << 14
  /// A power cut may leave that much behind the last record.
  private static let longTail = 256 << 20

  fileprivate func scan() throws(SystemError) -> ClosedFile {
    var scan = LogScan()
    var place = 0
    while let piece = try piece(from: place) {
      scan.read(piece.span)
      place += piece.count
    }
    return scan.finish()
  }
}

/// Whether a record that was written is still there.
extension OpenedLog {
  /// False when the log ends before it, or has another record in its place. A record of a file that is gone cannot be looked
  /// at and counts as gone.
  func holds(_ head: LogHead) -> Bool {
    guard head.seq > 0, head.seq <= tail.head.seq else { return head == .start }
    if let file = closed.first(where: { $0.head.seq >= head.seq }) {
      return file.head.seq == head.seq ? file.head.hash == head.hash : finds(head, in: directory.place(of: file.name))
    }
    return tail.head.seq == head.seq ? tail.head.hash == head.hash : finds(head, in: directory.active)
  }

  private func finds(_ head: LogHead, in path: String) -> Bool {
    do throws(SystemError) {
      let file = try LogFile.openForReading(path)
      var search = HeadSearch(for: head.seq)
      var place = 0
      while search.found == nil, let piece = try file.piece(from: place) {
        search.read(piece.span)
        place += piece.count
      }
      return search.found == head
    } catch {
      return false
    }
  }
}
