import DecisionLog
import TestSupport
import Testing

/// One record of a file is found by its number, however the bytes come.
@Suite struct HeadSearchTests {
  private func found(_ seq: UInt64, in bytes: [UInt8], pieces: Int) -> LogHead? {
    var search = HeadSearch(for: seq)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
      search.read(piece.span)
    }
    return search.found
  }

  @Test(arguments: [1, 2, 7, 64, 1 << 20])
  func everyRecordIsFoundInPiecesOfAnySize(_ pieces: Int) throws {
    let log = try smallLog(20)
    let bytes = file(log.lines)
    for seq in 1...20 as ClosedRange<UInt64> {
      let line = log.lines[Int(seq) - 1]
      let expected = LogHead(seq: seq, hash: LineHash(of: line.span))
      #expect(found(seq, in: bytes, pieces: pieces) == expected)
    }
    #expect(found(20, in: bytes, pieces: pieces) == log.head)
    for seq in [0, 21, 200, .max] as [UInt64] { #expect(found(seq, in: bytes, pieces: pieces) == nil) }
  }

  /// A number that another begins with, or that stands elsewhere in a record, is another's.
  @Test func aNumberIsTheWholeNumberOfTheRecord() throws {
    let head = LogHead(seq: 118, hash: LineHash(of: [UInt8]("x".utf8).span))
    let bytes = file(try smallLog(4, behind: head).lines)
    for seq in [1, 11, 12, 2, 9] as [UInt64] { #expect(found(seq, in: bytes, pieces: 16) == nil, "\(seq)") }
    #expect(found(119, in: bytes, pieces: 16) != nil)
    let quoted = Array(#"{"v":1,"seq":3,"text":"{\"v\":1,\"seq\":7,"}"#.utf8)
    #expect(found(7, in: quoted + [0x0A], pieces: 8) == nil)
  }

  /// The daemon was cut short in the record: it is not written, and so it is not found.
  @Test func aLineWithoutItsEndIsNoRecord() throws {
    let log = try smallLog(3)
    let bytes = Array(file(log.lines).dropLast())
    #expect(found(3, in: bytes, pieces: 5) == nil)
    #expect(found(2, in: bytes, pieces: 5) != nil)
  }

  /// A line that is longer than any record is passed over, and takes no more memory than one.
  @Test func aLineThatIsTooLongIsPassedOver() throws {
    let log = try smallLog(2)
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 3 * LogLimits.recordBytes)
    let bytes = file([log.lines[0], long, log.lines[1]])
    #expect(found(2, in: bytes, pieces: 4096) == log.head)
  }

  /// Of a record that somebody altered the hash is another.
  @Test func anAlteredRecordHasAnotherHash() throws {
    let log = try smallLog(5)
    for position in log.lines[4].indices.dropFirst(20) {
      var lines = log.lines
      lines[4][position] ^= 1
      guard lines[4][position] != UInt8(ascii: "\n") else { continue }
      #expect(found(5, in: file(lines), pieces: 64) != log.head)
    }
  }
}
