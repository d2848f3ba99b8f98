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
    var together: [UInt8] = []
    var oneByOne: [UInt8] = []
    var chain = Chain(continuing: .start)
    for index in 0..<4 {
      var single: [UInt8] = []
      encoder.encodeRepeats(of: "d-\(index)", count: 1, at: 0, into: &single)
      together += single
      if index == 2 { single.removeLast() }
      chain.seal(single.span, into: &oneByOne)
    }
    let log = sealed(together)
    #expect(log.bytes == oneByOne)
    #expect(log.head == chain.head)
    chain.seal([UInt8]().span, into: &oneByOne)
    #expect(log.head == chain.head)
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
