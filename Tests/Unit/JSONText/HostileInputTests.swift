import JSONText
import TestSupport
import Testing

/// What strangers send. A crash fails these tests; so does a document that is taken but reads back otherwise.
@Suite("Hostile input")
struct HostileInputTests {
  private static let document = #"""
    {"a":[1,-2.5e3,true,false,null,"x\u00e9\ud83d\ude00\n",{"k":{},"l":[]}],"é":18446744073709551615,"z":"€"}
    """#

  @Test("every truncation is refused")
  func everyTruncationIsRefused() throws {
    let bytes = Array(Self.document.utf8)
    var parser = JSONParser()
    for length in 0..<bytes.count {
      let start = Array(bytes[..<length])
      #expect(throws: JSONError.self, "\(length) bytes") { try parser.withRoot(of: start.span) { $0.count } }
    }
    #expect(try parser.withRoot(of: bytes.span) { $0.count } == 3)
  }

  @Test("any one byte changed is refused or reads back, seeded", arguments: [31, 32] as [UInt64])
  func anyOneByteChanged(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var taken = 0
    for round in 0..<20_000 {
      var bytes = Array(Self.document.utf8)
      bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      taken += try Self.readsBack(bytes, "seed \(seed), round \(round)") ? 1 : 0
    }
    #expect(taken > 100 && taken < 20_000)
  }

  @Test("garbage is refused or reads back, seeded", arguments: [41, 42] as [UInt64])
  func garbage(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      _ = try Self.readsBack(bytes, "seed \(seed), round \(round)")
    }
  }

  @Test("garbage made of JSON's own signs is refused or reads back, seeded", arguments: [51, 52] as [UInt64])
  func garbageOfSigns(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let signs = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\"a\"", "\"b\"", "1", "-", ".5", "e9", "true", "null", " ", "\\u",
      "d800",
    ]
    var taken = 0
    for round in 0..<20_000 {
      let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        signs[Int.random(in: signs.indices, using: &generator)]
      }
      taken += try Self.readsBack(Array(text.joined().utf8), "seed \(seed), round \(round)") ? 1 : 0
    }
    #expect(taken > 100)
  }

  private static func readsBack(_ bytes: [UInt8], _ comment: Comment) throws -> Bool {
    guard let tree = try? JSONTree(parsing: bytes.span) else { return false }
    #expect(try JSONTree(parsing: tree.text()) == tree, comment)
    return true
  }
}
