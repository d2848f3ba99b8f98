internal import Digests

/// The newest record of a log: its number and the hash of its line.
///
/// Written elsewhere, to the system journal and into `status`, it attests the log's end: without it a log whose last
/// lines were cut off looks the same as one that simply ends there.
///
///     LogHead("7:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")?.seq    // 7
package struct LogHead: Sendable, Hashable {
  /// Number of the newest record; 0 before the first.
  package var seq: UInt64
  /// Hash of its line; zeros before the first.
  package var hash: LineHash

  /// The head of a log without records.
  package static let start = LogHead(seq: 0, hash: .zero)

  package init(seq: UInt64, hash: LineHash) {
    self.seq = seq
    self.hash = hash
  }

  /// `N:hex`, N in decimal without leading zeros.
  package var text: String { String(seq) + ":" + hash.hex }

  /// The head written as `text`; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let seq = UInt64(parts[0]), let hash = LineHash(hex: String(parts[1])) else { return nil }
    self.init(seq: seq, hash: hash)
    guard seq < .max, self.text == text else { return nil }
  }
}

/// The SHA-256 of one line of the log, without its newline.
///
/// The zero value stands before the first record.
package struct LineHash: Sendable, Hashable {
  private var digest = SHA256Digest()

  /// 64 zeros: the previous hash in the first record of a log.
  package static let zero = LineHash()

  /// Hexadecimal digits of a hash: two for each of its 32 bytes.
  static let hexCount = 64

  private init() {}

  /// The hash of a line, given without its newline.
  package init(of line: Span<UInt8>) {
    self.init(SHA256.digest(of: line))
  }

  init(_ digest: SHA256Digest) { self.digest = digest }

  /// The hash written as 64 lower-case hexadecimal digits; nil for anything else.
  package init?(hex: String) {
    guard let digest = SHA256Digest(hex: hex.utf8.span) else { return nil }
    self.digest = digest
  }

  /// The hash as 64 lower-case hexadecimal digits.
  package var hex: String { digest.hex }

  /// Writes the 64 digits over the bytes from `place` on.
  func writeHex(to bytes: UnsafeMutableRawBufferPointer, at place: Int) { digest.writeHex(to: bytes, at: place) }
}

/// Finds one record of a file by its number, and the hash of its line, without reading the others as JSON.
///
///     var search = HeadSearch(for: 7)
///     search.read(chunk)       // again and again
///     search.found?.hash
package struct HeadSearch: ~Copyable {
  private let start: [UInt8]
  private let seq: UInt64
  private var partial: [UInt8] = []
  package private(set) var found: LogHead?

  package init(for seq: UInt64) {
    self.seq = seq
    start = Array("{\"v\":\(LogEncoder.version),\"seq\":\(seq),".utf8)
  }

  /// The next bytes of the file.
  package mutating func read(_ chunk: Span<UInt8>) {
    var begin = 0
    while begin < chunk.count, found == nil {
      var end = begin
      while end < chunk.count, chunk[end] != UInt8(ascii: "\n") { end += 1 }
      let piece = chunk.extracting(begin..<end)
      if partial.count <= LogLimits.recordBytes { piece.withUnsafeBufferPointer { partial.append(contentsOf: $0) } }
      if end < chunk.count {
        if partial.starts(with: start) { found = LogHead(seq: seq, hash: LineHash(of: partial.span)) }
        partial.removeAll(keepingCapacity: true)
      }
      begin = end + 1
    }
  }
}

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
