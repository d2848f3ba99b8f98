import GuardProtocol
import TestSupport
import Testing

@Suite struct FrameSplitterTests {
  @Test func framesEndWithNUL() {
    var splitter = FrameSplitter()
    let buffer = Array("{}\0\0[1]\0{".utf8)
    #expect(splitter.next(in: buffer.span) == .frame(0..<2))
    #expect(splitter.next(in: buffer.span) == .frame(3..<3))
    #expect(splitter.next(in: buffer.span) == .frame(4..<7))
    #expect(splitter.next(in: buffer.span) == .incomplete)
    #expect(splitter.isInsideFrame)
    #expect(splitter.discard() == 8)
    #expect(splitter.discard() == 0)
    #expect(splitter.next(in: "{}\0".utf8.span) == .frame(0..<2))
    #expect(!splitter.isInsideFrame)
  }

  @Test func nothingIsIncomplete() {
    var splitter = FrameSplitter()
    #expect(splitter.next(in: [UInt8]().span) == .incomplete)
    #expect(!splitter.isInsideFrame)
  }

  @Test(arguments: [0, 1, 7, 8, 9, 64])
  func theMaximumIsALengthThatIsTaken(_ maximum: Int) {
    let longest = [UInt8](repeating: 1, count: maximum) + [0]
    var splitter = FrameSplitter(maximumLength: maximum)
    #expect(splitter.next(in: longest.span) == .frame(0..<maximum))

    let tooLong = [UInt8](repeating: 1, count: maximum + 1)
    for buffer in [tooLong, tooLong + [0], tooLong + longest] {
      var splitter = FrameSplitter(maximumLength: maximum)
      #expect(splitter.next(in: buffer.span) == .tooLong)
      #expect(splitter.next(in: buffer.span) == .tooLong)
    }
    var waiting = FrameSplitter(maximumLength: maximum)
    #expect(waiting.next(in: longest.span.extracting(0..<maximum)) == .incomplete)
    #expect(waiting.next(in: tooLong.span) == .tooLong)
  }

  /// However the bytes arrive, and however often the buffer is cleared, the frames are those of one look at the whole.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func piecesMakeNoDifference(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let maximum = Int.random(in: 0...40, using: &random)
    let bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in
      Int.random(in: 0..<12, using: &random) == 0 ? UInt8(0) : UInt8.random(in: 1...255, using: &random)
    }
    #expect(split(bytes, maximum, inPieces: &random) == splitPlainly(bytes, maximum))
  }

  private struct Result: Equatable {
    var frames: [[UInt8]] = []
    var isTooLong = false
  }

  private func split(_ bytes: [UInt8], _ maximum: Int, inPieces random: inout SeededGenerator) -> Result {
    var splitter = FrameSplitter(maximumLength: maximum)
    var buffer: [UInt8] = []
    var rest = bytes[...]
    var result = Result()
    while true {
      switch splitter.next(in: buffer.span) {
      case .frame(let range): result.frames.append(Array(buffer[range]))
      case .tooLong:
        result.isTooLong = true
        return result
      case .incomplete:
        guard !rest.isEmpty else { return result }
        if Bool.random(using: &random) { buffer.removeFirst(splitter.discard()) }
        let piece = rest.prefix(Int.random(in: 1...20, using: &random))
        buffer += piece
        rest = rest.dropFirst(piece.count)
      }
    }
  }

  /// The slow and obvious way.
  private func splitPlainly(_ bytes: [UInt8], _ maximum: Int) -> Result {
    var result = Result()
    var pieces = bytes.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
    let unfinished = pieces.removeLast()
    for piece in pieces {
      guard piece.count <= maximum else { return Result(frames: result.frames, isTooLong: true) }
      result.frames.append(piece)
    }
    result.isTooLong = unfinished.count > maximum
    return result
  }

  /// One byte at a time costs as many looks as there are bytes, not their square.
  @Test func bytesAreLookedAtOnce() {
    let buffer = [UInt8](repeating: 1, count: 400_000)
    var splitter = FrameSplitter()
    let cost = Yardstick.cost(runs: 1) {
      for count in stride(from: 1, through: buffer.count, by: 1) {
        guard splitter.next(in: buffer.span.extracting(0..<count)) == .incomplete else { return }
      }
    }
    // Looking again each time would be 80 billion bytes: minutes, even eight at a time.
    #expect(cost < 5_000)
    #expect(splitter.isInsideFrame)
  }
}
