internal import GuardModel

import JSONText

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
