internal import GuardModel
internal import JSONText

/// The summary of a complete file in its last record: it tells, at the next start, how much of the log each user fills,
/// without reading it all.
package struct ClosedFile: Sendable, Hashable {
  /// The number of the file's first record; the file's name has it too.
  package var firstSeq: UInt64
  /// Time of the first record, in milliseconds since 1970.
  package var firstTime: UInt64
  /// Bytes of the records that name each user.
  package var users: [UInt32: Int]

  package init(firstSeq: UInt64 = 0, firstTime: UInt64 = 0, users: [UInt32: Int] = [:]) {
    self.firstSeq = firstSeq
    self.firstTime = firstTime
    self.users = users
  }

  /// Maximum number of users, which fits into a record whatever their uids; beyond it, those with the most bytes are
  /// named.
  static let maximumUsers = 10_000

  /// Reads a line, given without its newline; nil when it is not the record that closes a file.
  package init?(line: Span<UInt8>) {
    var parser = JSONParser(maximumLength: LogLimits.recordBytes)
    guard let root = try? parser.parse(line), root["v"]?.uint == UInt64(LogEncoder.version),
      root["type"]?.string == RecordType.closed.rawValue, let first = root["firstSeq"]?.uint,
      let time = root["firstTime"]?.string.flatMap(RFC3339.milliseconds), let users = root["users"],
      users.kind == .array
    else { return nil }
    self.init(firstSeq: first, firstTime: time)
    var elements = users.elements
    while let element = elements.next() {
      guard let uid = element["uid"]?.uint, let bytes = element["bytes"]?.uint else { return nil }
      self.users[UInt32(clamping: uid)] = Int(clamping: bytes)
    }
  }
}

extension LogEncoder {
  /// Appends the record that closes a file. It must be the last of the file.
  package mutating func encode(_ file: ClosedFile, at time: UInt64, into bytes: inout [UInt8]) {
    append(.closed, at: time, into: &bytes) { record, encoder in
      record.number("firstSeq", file.firstSeq)
      encoder.writeTime("firstTime", file.firstTime, &record)
      record.users(file.users)
    }
  }
}

/// Reads a whole file of the log to make a `ClosedFile` that no record holds: for the growing file, and for one that a
/// crash left without its last record.
///
///     var scan = LogScan()
///     scan.read(chunk)                  // again and again
///     scan.finish().users               // [1000: 52_311]
package struct LogScan: ~Copyable {
  private var parser = JSONParser(maximumLength: LogLimits.recordBytes)
  private var partial: [UInt8] = []
  private var file = ClosedFile()

  package init() {}

  /// The next bytes of the file.
  package mutating func read(_ chunk: Span<UInt8>) {
    var start = 0
    while start < chunk.count {
      var end = start
      while end < chunk.count, chunk[end] != UInt8(ascii: "\n") { end += 1 }
      let piece = chunk.extracting(start..<end)
      if end == chunk.count || !partial.isEmpty { keep(piece) }
      if end < chunk.count {
        if partial.isEmpty { take(piece) } else { takePartial() }
      }
      start = end + 1
    }
  }

  /// The result, once all was read.
  package mutating func finish() -> ClosedFile {
    if !partial.isEmpty { takePartial() }
    return file
  }

  /// A line longer than any record is none, and is not kept.
  private mutating func keep(_ piece: Span<UInt8>) {
    guard partial.count <= LogLimits.recordBytes else { return }
    piece.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
  }

  private mutating func takePartial() {
    var line: [UInt8] = []
    swap(&line, &partial)
    take(line.span)
  }

  private mutating func take(_ line: Span<UInt8>) {
    guard let facts = Self.facts(of: line, &parser) else { return }
    if file.firstSeq == 0 { (file.firstSeq, file.firstTime) = (facts.seq, facts.time) }
    if let uid = facts.uid { file.users[uid, default: 0] += line.count + 1 }
  }

  private static func facts(
    of line: Span<UInt8>, _ parser: inout JSONParser
  ) -> (seq: UInt64, time: UInt64, uid: UInt32?)? {
    guard let root = try? parser.parse(line), let seq = root["seq"]?.uint else { return nil }
    let time = root["time"]?.string.flatMap(RFC3339.milliseconds) ?? 0
    return (seq, time, root["uid"]?.uint.map { UInt32(clamping: $0) })
  }
}

/// The names of the log's files.
///
///     LogNames.closed(firstSeq: 7)                               // decisions-00000000000000000007.jsonl
///     LogNames.firstSeq(of: "decisions-00000000000000000007.jsonl")    // 7
///
/// The names of closed files sort as their records do.
package enum LogNames {
  /// The file that grows.
  package static let active = "decisions.jsonl"
  /// Locked by the daemon that writes.
  package static let lock = "decisions.lock"
  /// The key of the account pseudonyms.
  package static let key = "pseudonym.key"

  private static let digits = 20
  private static let prefix = "decisions-"
  private static let suffix = ".jsonl"

  /// The name of a file that is complete, by the number of its first record.
  package static func closed(firstSeq: UInt64) -> String {
    let number = String(firstSeq)
    return prefix + String(repeating: "0", count: digits - number.utf8.count) + number + suffix
  }

  /// The number in the name of a closed file; nil for any other name.
  package static func firstSeq(of name: String) -> UInt64? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
    let number = name.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    guard number.utf8.count == digits, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(number)
  }

  /// Whether a name is that of a file with records.
  package static func isLog(_ name: String) -> Bool { name == active || firstSeq(of: name) != nil }

  /// The names with records among those of a directory, in the order of their records; the active one last.
  package static func inOrder(_ names: [String]) -> [String] {
    names.filter { firstSeq(of: $0) != nil }.sorted() + names.filter { $0 == active }
  }
}

/// The bounds that writer, reader and recovery agree on.
package enum LogLimits {
  /// The longest line, in bytes: 1 MiB. Two URLs and all texts of a record fit, even when every byte is escaped. A
  /// longer line is no record, so a reader needs no more memory than this.
  package static let recordBytes = 1 << 20
}
