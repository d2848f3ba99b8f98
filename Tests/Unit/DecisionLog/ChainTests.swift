import DecisionLog
import Digests
import Testing

@Suite struct ChainTests {
  @Test func everyLineNamesTheHashOfTheLineBefore() throws {
    let log = try smallLog(5)
    var prev = String(repeating: "0", count: 64)
    for line in log.lines {
      #expect(try text(line).hasSuffix(",\"prev\":\"\(prev)\"}"))
      prev = SHA256.digest(of: line.span).hex
    }
    #expect(log.head.text == "5:" + prev)
  }

  @Test func theFirstLineIsKnownToTheByte() throws {
    let line = try smallLog(1).lines[0]
    #expect(
      try text(line) == #"""
        {"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"repeats","id":"d-0","count":2,\#
        "prev":"0000000000000000000000000000000000000000000000000000000000000000"}
        """#)
  }

  @Test func recordsMayBeSealedOneByOneOrTogether() throws {
    var encoder = try LogEncoder.test()
    var together = LogBatch()
    var ends: [Int] = []
    for index in 0..<6 {
      var other = LogBatch()
      other.add { encoder.encodeRepeats(of: String(repeating: "d", count: index), count: 1, at: 0, into: &$0) }
      together.append(other)
      ends.append(together.bytes.count)
    }
    var oneByOne = together
    var (chain, chainOfOnes) = (Chain(continuing: .start), Chain(continuing: .start))
    chain.seal(&together, through: ends[2])
    #expect(together.sealedBytes == ends[2] && chain.head.seq == 3)
    chain.seal(&together, through: ends[5])
    for end in [0] + ends {
      chainOfOnes.seal(&oneByOne, through: end)
      #expect(oneByOne.sealedBytes == end)
    }
    #expect(together.bytes == oneByOne.bytes && chain.head == chainOfOnes.head)
    #expect(verify([together.bytes], expecting: chain.head).isSound)
  }

  /// The bytes that were written are used again for other records.
  @Test func anEmptiedBatchIsSealedAnew() throws {
    var encoder = try LogEncoder.test()
    var chain = Chain(continuing: .start)
    var batch = LogBatch()
    var file: [UInt8] = []
    for count in 1...3 {
      for _ in 0..<count { batch.add { encoder.encodeRepeats(of: "d", count: 1, at: 0, into: &$0) } }
      chain.seal(&batch, through: batch.bytes.count)
      file += batch.bytes
      batch.removeAll()
      #expect(batch.isEmpty && batch.sealedBytes == 0)
    }
    #expect(verify([file], expecting: chain.head).isSound && chain.head.seq == 6)
  }

  @Test func headsAreReadAsTheyAreWritten() throws {
    let head = try smallLog(3).head
    #expect(LogHead(head.text) == head)
    #expect(LogHead(LogHead.start.text) == .start)
    let hex = head.hash.hex
    for text in [
      "", ":", "3", hex, "3:", ":" + hex, "3:" + hex + "0", "3:" + hex.dropLast(), "03:" + hex, "+3:" + hex,
      " 3:" + hex,
      "3:" + hex.uppercased(), "3:" + hex + ":", "-1:" + hex, "3:g" + hex.dropFirst(), "18446744073709551615:" + hex,
      "18446744073709551616:" + hex,
    ] { #expect(LogHead(text) == nil, "\(text)") }
  }
}
