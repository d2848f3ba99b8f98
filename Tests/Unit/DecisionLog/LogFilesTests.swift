import DecisionLog
import GuardModel
import Testing

@Suite struct LogFilesTests {
  @Test func namesSortAsTheirRecordsDo() {
    let names = [12, 1, 9, UInt64.max].map { LogNames.closed(firstSeq: $0) }
    #expect(names[1] == "decisions-00000000000000000001.jsonl")
    #expect(names.map { LogNames.firstSeq(of: $0) } == [12, 1, 9, .max])
    #expect(
      LogNames.inOrder(["decisions.jsonl", "other", names[0], names[2], "decisions.jsonl.new"])
        == [names[2], names[0], "decisions.jsonl"])
  }

  @Test(arguments: [
    "decisions-1.jsonl", "decisions-0000000000000000000x.jsonl", "decisions-99999999999999999999.jsonl",
    "decisions-00000000000000000001.jsonl.new", "decisions.jsonl", "decisions-+0000000000000000001.jsonl", "",
  ])
  func otherNamesAreNotOfClosedFiles(_ name: String) { #expect(LogNames.firstSeq(of: name) == nil) }

  @Test func aFileSaysOfItselfWhatAScanFinds() throws {
    let (bytes, closing) = try closedLog(users: [1000, 0, 1000, 70_000])
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    let last = try #require(lines.last)
    #expect(ClosedFile(line: last.span) == closing)
    for pieces in [1, 7, 100, bytes.count] {
      var scan = LogScan()
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        scan.read(bytes.span.extracting(start..<min(start + pieces, bytes.count)))
      }
      #expect(scan.finish() == closing, "\(pieces)")
    }
    #expect(logTail(bytes)?.closing == closing)
  }

  /// The event loop adds up what stands in the file.
  @Test func aRecordIsAsLongAsItsLine() throws {
    var encoder = try LogEncoder.test()
    var batch = LogBatch()
    let length = batch.add { encoder.encodeRepeats(of: "d-1", count: 1, at: testTime, into: &$0) }
    var chain = Chain(continuing: .start)
    chain.seal(&batch, through: length)
    #expect(batch.bytes.count == length && verify([batch.bytes], expecting: chain.head).isSound)
    #expect(encoder.latest == testTime)
  }

  @Test func tornBytesAndOtherLinesAreNoUsers() {
    var scan = LogScan()
    scan.read("{\"seq\":\n\n[]\n{\"uid\":7}\n{\"seq\":3,\"uid\":-1}\n".utf8.span)
    #expect(scan.finish() == ClosedFile(firstSeq: 3))
  }

  @Test(arguments: [
    #"{"v":1,"type":"closed","firstSeq":1,"firstTime":"2026-11-21T02:39:29.122Z"}"#,
    #"{"v":1,"type":"closed","firstSeq":1,"firstTime":"2026-11-21T02:39:29.122Z","users":{}}"#,
    #"{"v":1,"type":"closed","firstSeq":1,"firstTime":"2026-11-21T02:39:29.122Z","users":[{"uid":1}]}"#,
    #"{"v":2,"type":"closed","firstSeq":1,"firstTime":"2026-11-21T02:39:29.122Z","users":[]}"#,
    #"{"v":1,"type":"stop","firstSeq":1,"firstTime":"2026-11-21T02:39:29.122Z","users":[]}"#, "{",
  ])
  func otherRecordsCloseNothing(_ line: String) { #expect(ClosedFile(line: line.utf8.span) == nil) }

  /// The record must fit into a line, however many users there are.
  @Test func ofVeryManyUsersTheLargestAreNamed() throws {
    var file = ClosedFile(firstSeq: 1, firstTime: testTime)
    for uid in 0..<UInt32(20_000) { file.users[.max - uid] = Int.max - Int(uid) }
    var encoder = try LogEncoder.test()
    var unsealed: [UInt8] = []
    encoder.encode(file, at: testTime, into: &unsealed)
    let bytes = sealed(unsealed).bytes
    #expect(bytes.count < LogLimits.recordBytes)
    let read = ClosedFile(line: bytes.span.extracting(first: bytes.count - 1))
    #expect(read?.users.count == 10_000)
    #expect(read?.users[.max] == Int.max)
    #expect(read?.users[.max - 9_999] == Int.max - 9_999)
  }

  /// A log of two files is one chain, and a head finds what is cut off behind the first.
  @Test func theChainGoesOnAcrossFiles() throws {
    let first = try closedLog(users: [1000]).bytes
    let head = try #require(logTail(first)).head
    let second = try smallLog(3, behind: head)
    #expect(verify([first, file(second.lines)], expecting: second.head).end == .attested(through: second.head.seq))
    #expect(verify([first], expecting: second.head).problem?.damage == .truncated(attested: second.head.seq))
    #expect(verify([file(second.lines)]).past == .notAttested)
  }

  /// A file of records that name these users, and the record that closes it.
  private func closedLog(users: [UInt32]) throws -> (bytes: [UInt8], closing: ClosedFile) {
    var encoder = try LogEncoder.test()
    var batch = LogBatch()
    var closing = ClosedFile(firstSeq: 1, firstTime: testTime)
    for uid in users {
      var change = StateChange(.attach)
      change.peer = LoggedPeer(uid: uid, pid: 1)
      closing.users[uid, default: 0] += batch.add { encoder.encode(change, at: testTime, into: &$0) }
    }
    batch.add { encoder.encode(closing, at: testTime + 5, into: &$0) }
    var chain = Chain(continuing: .start)
    chain.seal(&batch, through: batch.bytes.count)
    return (batch.bytes, closing)
  }
}
