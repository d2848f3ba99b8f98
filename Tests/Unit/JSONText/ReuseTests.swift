import Glibc
import JSONText
import Testing

/// The buffers stay where they are, and memory in use does not grow.
@Suite("Reuse", .serialized)
struct ReuseTests {
  private static let requests = (0..<50).map { number in
    Array(#"{"method":"a.b.C","parameters":{"url":"https://docs.contoso.com/d/\#(number)","n":[1,2.5]}}"#.utf8)
  }

  @Test("a parser keeps its buffers over 10,000 parses")
  func aParserKeepsItsBuffers() throws {
    var parser = JSONParser()
    var places: Set<UInt> = []
    for round in 0..<10_000 {
      let request = Self.requests[round % Self.requests.count]
      places.insert(
        try parser.withRoot(of: request.span) { root in
          root["method"]?.stringBytes?.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } ?? 0
        })
    }
    #expect(places.count == 1 && !places.contains(0))
  }

  @Test("a writer keeps its buffer over 10,000 documents")
  func aWriterKeepsItsBuffer() {
    var writer = JSONWriter()
    var places: Set<UInt> = []
    for round in 0..<10_000 {
      writer.reset()
      writer.value(Self.requests[round % 2])
      writer.endDocument(0)
      places.insert(writer.span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
    }
    #expect(places.count == 1)
  }

  /// Other tests run meanwhile, so the bound is loose: 10,000 lost parsers would take 400 MB.
  @Test("parsers give back what they took")
  func parsersGiveBackWhatTheyTook() throws {
    let before = Self.peakKilobytes()
    for round in 0..<10_000 {
      var parser = JSONParser()
      let request = Self.requests[round % Self.requests.count]
      #expect(try parser.withRoot(of: request.span) { $0.count } == 2)
    }
    #expect(Self.peakKilobytes() - before < 100_000)
  }

  private static func peakKilobytes() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }
}
