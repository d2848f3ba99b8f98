import DecisionLog
import Testing

@Suite struct LogVerifierTests {
  @Test(arguments: [1, 2, 7, 64, 100_000])
  func aWholeLogIsSoundInPiecesOfAnySize(_ pieces: Int) throws {
    let log = try smallLog(6)
    let files = [file(Array(log.lines[..<2])), file(Array(log.lines[2..<5])), file([]), file(Array(log.lines[5...]))]
    let result = verify(files, pieces: pieces, expecting: log.head)
    #expect(result.problem == nil)
    #expect(result.count == 6 && result.firstSeq == 1 && result.head == log.head)
    #expect(result.past == .whole && result.end == .attested(through: 6))
    #expect(verify(files, pieces: pieces).end == .notAttested)
    #expect(verify(files).text == ["6 records are sound, 1 to 6, head \(log.head.text)", "the end is not attested"])
  }

  @Test func noFlippedBitOfAnyByteIsAccepted() throws {
    let log = try smallLog(3)
    let bytes = file(log.lines)
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        #expect(verify([flipped], pieces: 1000, expecting: log.head).problem != nil, "byte \(index), bit \(bit)")
      }
    }
  }

  /// The problem names the record whose byte was flipped, wherever in the log it stands.
  @Test func aFlippedByteIsBlamedOnItsOwnRecord() throws {
    let log = try smallLog(5)
    for (number, line) in log.lines.enumerated() {
      for index in line.indices {
        var lines = log.lines
        lines[number][index] ^= 0x01
        let problem = try #require(verify([file(lines)], pieces: 1000, expecting: log.head).problem)
        #expect(problem.line == number + 1, "record \(number + 1), byte \(index): \(problem)")
        #expect(problem.seq == UInt64(number + 1), "record \(number + 1), byte \(index): \(problem)")
      }
    }
  }

  @Test func aDeletedLineIsMissing() throws {
    let log = try smallLog(6)
    for index in 1..<5 {
      var lines = log.lines
      lines.remove(at: index)
      let problem = try #require(verify([file(lines)]).problem)
      let seq = UInt64(index + 1)
      #expect(problem == LogProblem(line: index + 1, seq: seq, .missing(through: seq)))
    }
    let cut = Array(log.lines[..<2] + log.lines[4...])
    #expect(verify([file(cut)]).problem == LogProblem(line: 3, seq: 3, .missing(through: 4)))
    #expect(verify([file(cut)]).problem?.text == "records 3 to 4 are missing")
  }

  @Test func aDuplicatedLineIsOutOfPlace() throws {
    let log = try smallLog(4)
    for index in log.lines.indices {
      var lines = log.lines
      lines.insert(lines[index], at: index + 1)
      #expect(
        verify([file(lines)]).problem == LogProblem(line: index + 2, seq: UInt64(index + 1), .reordered))
    }
  }

  @Test func swappedLinesAreOutOfPlace() throws {
    let log = try smallLog(6)
    for index in 1..<5 {
      var lines = log.lines
      lines.swapAt(index, index + 1)
      #expect(
        verify([file(lines)]).problem == LogProblem(line: index + 1, seq: UInt64(index + 2), .reordered))
    }
    let files = [file(Array(log.lines[3...])), file(Array(log.lines[..<3]))]
    #expect(verify(files).problem == LogProblem(file: 2, line: 1, seq: 1, .reordered))
  }

  @Test func insertedLinesAreFound() throws {
    let log = try smallLog(4)
    let strangers = try [
      Array("".utf8), Array("{}".utf8), Array("not JSON".utf8), Array(repeating: 0, count: 40),
      smallLog(1).lines[0], smallLog(1, behind: LogHead(seq: 1, hash: log.head.hash)).lines[0],
      smallLog(1, behind: LogHead(seq: 98, hash: log.head.hash)).lines[0],
    ]
    for stranger in strangers {
      for place in 0...3 {
        var lines = log.lines
        lines.insert(stranger, at: place)
        let isRepeatedFirst = place == 0 && stranger == log.lines[0]
        let problem = verify([file(lines)], expecting: log.head).problem
        #expect(problem != nil || isRepeatedFirst, "\(stranger) at \(place)")
      }
    }
  }

  @Test func aCutTailIsFoundOnlyWithAHead() throws {
    let log = try smallLog(5)
    for kept in 0..<5 {
      let cut = [file(Array(log.lines[..<kept]))]
      #expect(verify(cut).problem == nil)
      #expect(verify(cut).end == .notAttested)
      let problem = try #require(verify(cut, expecting: log.head).problem)
      #expect(problem == LogProblem(line: kept + 1, seq: UInt64(kept + 1), .truncated(attested: 5)))
    }
  }

  @Test func aLastLineCutShortIsTorn() throws {
    let log = try smallLog(3)
    let bytes = file(log.lines)
    let lastStart = bytes.count - log.lines[2].count - 1
    for end in (lastStart + 1)..<bytes.count {
      #expect(verify([Array(bytes[..<end])]).problem == LogProblem(line: 3, seq: 3, .torn))
    }
    #expect(verify([Array(bytes[..<(bytes.count - 1)]), file([])]).problem?.damage == .torn)
  }

  @Test func aHeadAttestsItsRecordAndWhatLiesBefore() throws {
    let log = try smallLog(5)
    let earlier = try smallLog(3).head
    #expect(verify([file(log.lines)], expecting: earlier).end == .attested(through: 3))
    let other = LogHead(seq: 3, hash: log.head.hash)
    #expect(
      verify([file(log.lines)], expecting: other).problem == LogProblem(line: 3, seq: 3, .differsFromHead))
    #expect(verify([file(log.lines)], expecting: .start).end == .attested(through: 0))
    #expect(verify([], expecting: .start).problem == nil)
    #expect(verify([]).text == ["the log holds no records", "the end is not attested"])
  }

  /// M4: whoever removes the oldest files by hand leaves no record of it. No head makes up for that.
  @Test func aLogThatBeginsInTheMiddleIsBroken() throws {
    let log = try smallLog(5)
    for gone in 1...4 {
      for head in [nil, log.head, try smallLog(gone).head, .start] {
        let result = verify([file(Array(log.lines[gone...]))], expecting: head)
        #expect(result.problem == LogProblem(file: 1, line: 1, seq: 1, damage: .missing(through: UInt64(gone))))
      }
    }
  }

  @Test func aPartOfALogSaysSo() throws {
    let log = try smallLog(5)
    let rest = [file(Array(log.lines[2...]))]
    func verify(_ files: [[UInt8]], expecting head: LogHead) -> LogVerification {
      DecisionLogTests.verify(files, expecting: head, isPart: true)
    }
    let result = verify(rest, expecting: log.head)
    #expect(result.problem == nil)
    #expect(result.firstSeq == 3 && result.past == .notAttested)
    #expect(result.text.last == "starts at record 3, its past is not attested")
    let before = try smallLog(2).head
    #expect(verify(rest, expecting: before).end == .attested(through: 2))
    #expect(verify(rest, expecting: LogHead(seq: 2, hash: log.head.hash)).problem?.damage == .differsFromHead)
    #expect(verify(rest, expecting: try smallLog(1).head).end == .headIsOlder)
  }

  @Test func aPrunedRecordSpeaksForThePast() throws {
    let log = try smallLog(4)
    let removed = try smallLog(2).head
    for (last, past) in [(removed, LogVerification.Past.pruned), (log.head, .notAttested)] {
      var encoder = try LogEncoder.test(continuing: log.head)
      var unsealed: [UInt8] = []
      encoder.encode(PrunedRecords(files: 1, firstSeq: 1, last: last), at: testTime, into: &unsealed)
      let end = sealed(unsealed, behind: log.head)
      let files = [file(Array(log.lines[2...])) + end.bytes]
      let result = verify(files, expecting: end.head)
      #expect(result.isSound == (past == .pruned))
      #expect(result.past == past)
      #expect(verify(files, expecting: end.head, isPart: true).isSound)
    }
  }

  @Test func fieldsAndTypesOfLaterVersionsAreAccepted() throws {
    let unsealed = #"""
      {"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"decision","new":{"prev":"x","seq":9},"list":[1,null]
      {"v":1,"seq":2,"time":"2026-11-21T02:39:29.123Z","type":"holiday"

      """#
    let log = sealed(Array(unsealed.utf8))
    #expect(verify([log.bytes], expecting: log.head).problem == nil)
  }

  @Test(arguments: [
    #"{"v":2,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"stop""#,
    #"{"v":"1","seq":1,"time":"2026-11-21T02:39:29.123Z","type":"stop""#,
    #"{"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"stop""#,
    #"{"v":1,"seq":0,"time":"2026-11-21T02:39:29.123Z","type":"stop""#,
    #"{"v":1,"seq":-1,"time":"2026-11-21T02:39:29.123Z","type":"stop""#,
    #"{"v":1,"seq":18446744073709551615,"time":"2026-11-21T02:39:29.123Z","type":"stop""#,
    #"{"v":1,"seq":1,"time":"yesterday","type":"stop""#, #"{"v":1,"seq":1,"type":"stop""#,
    #"{"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z""#,
  ])
  func aLineThatIsNoRecordIsMalformed(_ unsealed: String) {
    let log = sealed(Array(unsealed.utf8))
    #expect(verify([log.bytes]).problem == LogProblem(line: 1, seq: 1, .malformed))
  }

  @Test func theHashStandsLastAndInOneSpelling() {
    let start = #"{"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"stop""#
    let zeros = LineHash.zero.hex
    #expect(verify([Array((start + ",\"prev\":\"\(zeros)\"}\n").utf8)]).problem == nil)
    for end in [
      ",\"prev\":\"\(zeros)\",\"x\":1}", ",\"prev\":\"\(zeros)\" }", ", \"prev\":\"\(zeros)\"}",
      ",\"prev\": \"\(zeros)\"}",
      ",\"prev\":\"\\u0030\(zeros.dropLast())\"}", ",\"prev\":\"\(zeros)\"}\r", ",\"prev\":0}", "}",
    ] {
      #expect(verify([Array((start + end + "\n").utf8)]).problem == LogProblem(line: 1, seq: 1, .malformed), "\(end)")
    }
  }

  @Test func twoKeysOfOneNameAreNoJSON() {
    let twice = #"{"v":1,"seq":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"stop""#
    #expect(verify([sealed(Array(twice.utf8)).bytes]).problem?.damage == .notJSON)
  }

  @Test func aLineLongerThanAnyRecordIsReadToItsEnd() throws {
    let log = try smallLog(2)
    var verifier = LogVerifier()
    verifier.beginFile()
    verifier.read(file(log.lines).span)
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    for _ in 0..<64 { verifier.read(zeros.span) }
    #expect(verifier.finish().problem == LogProblem(line: 3, seq: 3, .torn))
  }
}

extension LogProblem {
  init(file: Int = 1, line: Int, seq: UInt64, _ damage: LogDamage) {
    self.init(file: file, line: line, seq: seq, damage: damage)
  }
}
