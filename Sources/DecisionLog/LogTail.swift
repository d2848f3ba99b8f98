/// The end of the newest file, read at start: the continuation of the chain, and a crash's remains behind it.
///
///     let tail = LogTail(of: lastMegabyte.span, isWholeFile: false, continuing: .start)
///     // 1. behind the file: a newline when `needsNewline`
///     // 2. an encoder and a chain that continue `tail.head`
///     // 3. first of all the record of `tail.torn`, when there are torn bytes
///
/// Torn bytes stay in the file: a crash must not be an excuse to remove anything. A record that lacks only its newline
/// is whole, and gets it.
package struct LogTail: Sendable, Hashable {
  /// The last whole record; the next one continues it.
  package let head: LogHead
  /// Time of that record, in milliseconds since 1970; 0 when there is none.
  package let time: UInt64
  /// Bytes behind it that are no record and have to be sealed.
  package let torn: TornBytes?
  /// The file ends without a newline.
  package let needsNewline: Bool
  /// The last whole record, if it closes the file.
  package let closing: ClosedFile?

  /// Reads the last bytes of a file, at most `LogLimits.recordBytes` and one more unless no record is found there.
  ///
  /// `before` is the head that the file started from, for a file without any record. Nil when no record is whole and
  /// the bytes are not the whole file: read more of it. `LogVerifier` judges the lines before the last whole record.
  package init?(of tail: Span<UInt8>, isWholeFile: Bool, continuing before: LogHead) {
    var reader = LineReader()
    needsNewline = tail.count > 0 && tail[tail.count - 1] != UInt8(ascii: "\n")
    let textEnd = needsNewline ? tail.count : max(tail.count - 1, 0)
    var end = textEnd
    while true {
      var start = end
      while start > 0, tail[start - 1] != UInt8(ascii: "\n") { start -= 1 }
      if start > 0 || isWholeFile, case .record(let record) = reader.read(tail.extracting(start..<end)) {
        head = record.head
        time = record.time
        closing = ClosedFile(line: tail.extracting(start..<end))
        torn = end < textEnd ? Self.tornBytes(tail.extracting((end + 1)..<textEnd)) : nil
        return
      }
      guard start > 0 else { break }
      end = start - 1
    }
    guard isWholeFile else { return nil }
    head = before
    time = 0
    closing = nil
    torn = tail.count > 0 ? Self.tornBytes(tail.extracting(0..<textEnd)) : nil
  }

  private static func tornBytes(_ bytes: Span<UInt8>) -> TornBytes {
    TornBytes(count: UInt64(bytes.count), hash: LineHash(of: bytes))
  }
}
