import DecisionLog
import Testing

@Suite struct LogTailTests {
  /// Does at start what the log writer does, and returns the file as it is then.
  private func restart(_ bytes: [UInt8], behind before: LogHead = .start) throws -> (bytes: [UInt8], head: LogHead) {
    let tail = try #require(logTail(bytes, behind: before))
    var encoder = try LogEncoder.test(continuing: tail.head)
    var unsealed: [UInt8] = []
    if let torn = tail.torn { encoder.encode(torn, at: testTime, into: &unsealed) }
    encoder.encodeRepeats(of: "after", count: 1, at: testTime, into: &unsealed)
    let more = sealed(unsealed, behind: tail.head)
    return (bytes + (tail.needsNewline ? [UInt8(ascii: "\n")] : []) + more.bytes, more.head)
  }

  @Test func aFileCutAnywhereGoesOnAndIsSound() throws {
    let bytes = file(try smallLog(3).lines)
    for end in 0...bytes.count {
      let log = try restart(Array(bytes[..<end]))
      let result = verify([log.bytes], expecting: log.head)
      #expect(result.problem == nil, "cut at \(end)")
      let isBorder = end == 0 || bytes[end - 1] == UInt8(ascii: "\n") || bytes[end...].first == UInt8(ascii: "\n")
      #expect(result.sealed == (isBorder ? 0 : 1), "cut at \(end)")
    }
  }

  @Test func aSealThatIsTornItselfIsSealedAgain() throws {
    let bytes = file(try smallLog(2).lines)
    let once = try restart(bytes + Array("{\"v\":1,\"se".utf8)).bytes
    for end in bytes.count...once.count {
      let log = try restart(Array(once[..<end]))
      #expect(verify([log.bytes], expecting: log.head).problem == nil, "cut at \(end)")
    }
  }

  @Test(arguments: [
    [0, 0, 0, 0], [10], [10, 10, 10], [0xFF, 10, 0, 10, 1], Array("{}\n".utf8), Array("\n{\"v\":1}\n\nx".utf8),
    [UInt8](repeating: 0, count: 3 << 20),
  ])
  func whateverStandsBehindTheLastRecordIsSealed(_ junk: [UInt8]) throws {
    for lines in try [[], smallLog(2).lines] {
      let log = try restart(file(lines) + junk)
      let result = verify([log.bytes], pieces: 5000, expecting: log.head)
      #expect(result.problem == nil)
      #expect(result.sealed == 1)
    }
  }

  @Test func nothingButTheSealItselfClosesTornBytes() throws {
    let whole = file(try smallLog(2).lines)
    let sealedLog = try restart(whole + Array("torn".utf8))
    #expect(verify([sealedLog.bytes], expecting: sealedLog.head).problem == nil)
    for index in whole.count..<sealedLog.bytes.count {
      for bit in 0..<8 {
        var flipped = sealedLog.bytes
        flipped[index] ^= 1 << bit
        #expect(verify([flipped], pieces: 1000, expecting: sealedLog.head).problem != nil, "byte \(index), bit \(bit)")
      }
    }
    let lines = sealedLog.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    #expect(verify([file([lines[0], lines[1], lines[3], lines[4]])]).problem == nil)
    #expect(verify([file([lines[0], lines[1], lines[2], lines[4]])]).problem?.damage == .notJSON)
    #expect(verify([file([lines[0], lines[1], lines[2]]), file([lines[3], lines[4]])]).problem?.damage == .notJSON)
    #expect(verify([file([lines[0], lines[1], lines[2]])]).problem == LogProblem(line: 3, seq: 3, .notJSON))
  }

  @Test func aSealThatHangsOnAnotherChainClosesNothing() throws {
    let log = try smallLog(2)
    let torn = Array("torn".utf8)
    for (hash, problem) in [
      (log.head.hash, nil), (LineHash.zero, LogProblem(line: 3, seq: 3, .notJSON)),
    ] {
      var encoder = try LogEncoder.test(continuing: log.head)
      var unsealed: [UInt8] = []
      encoder.encode(TornBytes(count: 4, hash: LineHash(of: torn.span)), at: testTime, into: &unsealed)
      let seal = sealed(unsealed, behind: LogHead(seq: 2, hash: hash)).bytes
      #expect(verify([file(log.lines + [torn]) + seal]).problem == problem)
    }
  }

  @Test func aRecordThatLacksOnlyItsNewlineIsWhole() throws {
    let log = try smallLog(2)
    let bytes = Array(file(log.lines).dropLast())
    let tail = try #require(logTail(bytes))
    #expect(tail.needsNewline && tail.torn == nil && tail.head == log.head)
  }

  @Test func anEmptyFileGoesOnFromTheOneBefore() throws {
    let before = try smallLog(2).head
    let tail = try #require(logTail([], behind: before))
    #expect(tail.head == before && tail.torn == nil && !tail.needsNewline)
    let first = file(try smallLog(2).lines)
    let second = try restart(Array("to".utf8), behind: before)
    #expect(verify([first, second.bytes], expecting: second.head).problem == nil)
  }

  @Test func aWindowMustHoldAWholeRecord() throws {
    let log = try smallLog(2)
    let bytes = file(log.lines)
    let last = log.lines[1].count + 1
    for count in 0...bytes.count {
      #expect(logTail(bytes, last: count)?.head == (count > last ? log.head : nil), "\(count) bytes")
    }
  }
}
