/// The chain through a log: each record ends with the hash of the line before it.
///
/// The event loop encodes everything of a record but that hash (`LogEncoder`), so that no decision waits for SHA-256.
/// The log writer owns the chain and completes the records, in the order of their numbers.
///
///     var chain = Chain(continuing: .start)
///     chain.seal(encoded.span, into: &file)      // {"v":1,"seq":1,…,"prev":"0000…"} and a newline, for each record
///     chain.head.text                            // what to attest
package struct Chain: Sendable {
  /// The newest record sealed.
  package private(set) var head: LogHead

  /// A chain that goes on behind `head`: the one that `LogTail` found, or `.start`.
  package init(continuing head: LogHead) { self.head = head }

  /// Completes unsealed records, each ended by a newline, and appends them.
  ///
  /// Any number of records at once; a last one without its newline is completed too. What cannot be written in whole
  /// has to be written again from the same bytes: the chain has moved on.
  package mutating func seal(_ unsealed: Span<UInt8>, into sealed: inout [UInt8]) {
    var start = 0
    while start < unsealed.count {
      let end = endOfLine(in: unsealed, from: start)
      sealRecord(unsealed.extracting(start..<end), into: &sealed)
      start = end + 1
    }
  }

  /// Bytes that sealing adds to each record.
  package static let addedBytes = ChainLink.count

  private mutating func sealRecord(_ record: Span<UInt8>, into sealed: inout [UInt8]) {
    let start = sealed.count
    record.withUnsafeBufferPointer { sealed.append(contentsOf: $0) }
    sealed.append(contentsOf: ChainLink.opening.utf8)
    head.hash.appendHex(to: &sealed)
    sealed.append(contentsOf: ChainLink.closing.utf8)
    head = LogHead(seq: head.seq + 1, hash: LineHash(of: sealed.span.extracting(start..<sealed.count)))
    sealed.append(UInt8(ascii: "\n"))
  }
}

/// Where the newline stands, or the end. Eight bytes at a time, after "Bit Twiddling Hacks", "Determine if a word has a
/// byte equal to n".
private func endOfLine(in text: Span<UInt8>, from start: Int) -> Int {
  var index = start
  let words = text.bytes
  while index + 8 <= text.count {
    let word = UInt64(littleEndian: words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    let other = word ^ 0x0A0A_0A0A_0A0A_0A0A
    let marks = (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
    if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
    index += 8
  }
  while index < text.count, text[index] != UInt8(ascii: "\n") { index += 1 }
  return index
}

/// The end of every line: `,"prev":"…"}`.
enum ChainLink {
  static let opening = #","prev":""#
  static let closing = #""}"#
  /// Bytes of a whole link.
  static let count = opening.utf8.count + LineHash.hexCount + closing.utf8.count
}
