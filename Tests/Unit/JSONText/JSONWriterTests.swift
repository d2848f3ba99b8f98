import JSONText
import TestSupport
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
  @Test("writes every number of digits")
  func writesEveryNumberOfDigits() {
    var power: UInt64 = 1
    for _ in 0..<20 {
      for number in [power - 1, power, power + 1, power &* 7 &+ 3, UInt64.max - power] {
        var writer = JSONWriter()
        writer.value(number)
        #expect(writer.bytes == Array(String(number).utf8))
      }
      power = power.multipliedReportingOverflow(by: 10).overflow ? power : power * 10
    }
  }

  @Test("puts commas where they belong")
  func putsCommasWhereTheyBelong() {
    var writer = JSONWriter(appendingTo: Array("> ".utf8))
    writer.beginObject()
    writer.member("a", 1)
    writer.member("b", "x")
    writer.key("c")
    writer.beginArray()
    writer.beginArray()
    writer.endArray()
    writer.beginObject()
    writer.endObject()
    writer.null()
    writer.raw("[0]")
    writer.endArray()
    writer.key(escaping: "d\"".utf8.span)
    writer.raw("{}".utf8.span)
    writer.member("e", true)
    writer.endObject()
    writer.endDocument(0)
    writer.value(2)
    writer.endDocument(UInt8(ascii: "\n"))
    #expect(Self.text(writer.bytes) == "> {\"a\":1,\"b\":\"x\",\"c\":[[],{},null,[0]],\"d\\\"\":{},\"e\":true}\u{0}2\n")
  }

  @Test("writes every kind of value")
  func writesEveryKindOfValue() {
    let bytes = Array("a\"b".utf8)
    let word: StaticString = "w\\"
    var writer = JSONWriter()
    writer.beginArray()
    writer.value("s")
    writer.value(word)
    writer.value(bytes)
    writer.value(bytes.span.extracting(1...))
    writer.value(bytes.span)
    for number in [0, -1, 10, .min, .max] as [Int] { writer.value(number) }
    writer.value(UInt64.max)
    for number in [0.1, -0.0, 1e300, .infinity, .nan] as [Double] { writer.value(number) }
    writer.value(false)
    writer.endArray()
    #expect(
      Self.text(writer.take()) == #"["s","w\\","a\"b","\"b","a\"b",0,-1,10,-9223372036854775808,9223372036854775807,"#
        + #"18446744073709551615,0.1,-0.0,1e+300,null,null,false]"#)
    #expect(writer.bytes.isEmpty)
  }

  /// Every position in and around the eight bytes that are looked at together.
  @Test("escapes at every position")
  func escapesAtEveryPosition() {
    let escapes = [
      "\"": #"\""#, "\\": #"\\"#, "\n": #"\n"#, "\u{1}": #"\u0001"#, "\u{7F}": #"\u007f"#, "\u{2028}": #"\u2028"#,
    ]
    for (character, escape) in escapes {
      for length in 0..<20 {
        for position in 0...length {
          let before = String(repeating: "a", count: position)
          let after = String(repeating: "!", count: length - position)
          #expect(Self.quoted(before + character + after) == "\"\(before)\(escape)\(after)\"")
          #expect(Self.quoted(before + character + character + after) == "\"\(before)\(escape)\(escape)\(after)\"")
        }
      }
    }
  }

  @Test("escapes exactly the characters it says")
  func escapesExactlyTheCharactersItSays() {
    var readable: Set<UInt32> = [0x61C, 0x200E, 0x200F, 0x2028, 0x2029]
    readable.formUnion(0x7F...0x9F)
    readable.formUnion(0x202A...0x202E)
    readable.formUnion(0x2066...0x2069)
    let short: [UInt32: String] = [0x22: "\"", 0x5C: "\\", 8: "b", 9: "t", 10: "n", 12: "f", 13: "r"]
    for code in UInt32(0)...0x2FFFF {
      guard let scalar = Unicode.Scalar(code) else { continue }
      let written = Self.quoted(String(Character(scalar)))
      if let letter = short[code] {
        #expect(written == "\"\\\(letter)\"")
      } else if code < 0x20 || readable.contains(code) {
        let hex = String(code, radix: 16)
        #expect(written == "\"\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)\"")
      } else if written.utf8.dropFirst().dropLast().elementsEqual(String(Character(scalar)).utf8) == false {
        Issue.record("U+\(String(code, radix: 16)) became \(written)")
      }
    }
  }

  @Test("repairs what is not UTF-8 as String does, seeded", arguments: [1, 2, 3] as [UInt64])
  func repairsWhatIsNotUTF8(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pieces: [UInt8] = [
      0x41, 0x22, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        pieces[Int.random(in: pieces.indices, using: &generator)]
      }
      var writer = JSONWriter()
      writer.value(bytes)
      let read = try JSONTree(parsing: writer.bytes.span).string
      #expect(read.map { Array($0.utf8) } == Array(String(decoding: bytes, as: UTF8.self).utf8), "seed \(seed)")
    }
  }

  @Test("indents for people")
  func indentsForPeople() throws {
    let tree: JSONTree = ["a": [1, [], ["b": [:]]], "c": nil]
    let expected = """
      {
        "a": [
          1,
          [],
          {
            "b": {}
          }
        ],
        "c": null
      }
      """
    #expect(tree.text(layout: .indented) == expected)
    #expect(try JSONTree(parsing: expected) == tree)
  }

  @Test("is empty when what it held was taken, and when it is reset")
  func isEmptyOnceTaken() {
    var writer = JSONWriter()
    writer.beginArray()
    writer.value(1)
    let taken = writer.take()
    #expect(Self.text(taken) == "[1")
    writer.value(2)
    #expect(Self.text(writer.bytes) == "2")
    writer.reset()
    writer.value(3)
    #expect(Self.text(writer.bytes) == "3")
  }

  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.value(text)
    return Self.text(writer.bytes)
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
