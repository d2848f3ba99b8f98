import JSONText
import Testing

@Suite("JSON parser")
struct JSONParserTests {
  @Test(
    "refuses with the right reason",
    arguments: [
      ("", .empty), (" \n\t\r", .empty),
      ("{} x", .trailingContent), ("{}{}", .trailingContent), ("1 2", .trailingContent), ("[1]]", .trailingContent),
      (#""a\"" "b""#, .trailingContent), (" true false", .trailingContent), ("{}\u{0}", .trailingContent),
      ("1,", .trailingContent), (#"{"a":"}"} ]"#, .trailingContent),
      ("[1,]", .syntax), (#"{"a":1,}"#, .syntax), (#"{"a" 1}"#, .syntax), ("[1 2]", .syntax), ("{1:2}", .syntax),
      ("truex", .syntax), ("nul", .syntax), ("NaN", .syntax), ("+1", .syntax), (".5", .syntax), ("'a'", .syntax),
      ("[", .syntax), ("]", .syntax), ("[1,}", .syntax), ("[1]} 2 [", .trailingContent), ("[tru] x", .syntax),
      ("// a\n1", .syntax), ("\u{FEFF}{}", .syntax), ("}{", .syntax), (",", .syntax),
      ("01", .invalidNumber), ("1.", .invalidNumber), ("-", .invalidNumber), ("[0x1]", .invalidNumber),
      ("1e400", .invalidNumber), ("-1e400", .invalidNumber), ("18446744073709551616", .invalidNumber),
      ("-9223372036854775809", .invalidNumber), ("123456789012345678901234567890", .invalidNumber),
      ("\"a", .invalidString), (#""\x""#, .invalidString), (#""\u12""#, .invalidString), (#""\u12g4""#, .invalidString),
      ("\"a\nb\"", .invalidString), ("\"a\u{0}b\"", .invalidString), ("\"\u{1F}\"", .invalidString),
    ] as [(String, JSONError)])
  func refusesWithTheRightReason(text: String, error: JSONError) {
    #expect(throws: error) { try JSONTree(parsing: text) }
  }

  @Test(
    "refuses half a surrogate pair",
    arguments: [
      #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\u0041""#, #""\udc00\ud800""#, #""\ud800\ud800""#,
      #""\udbff\ue000""#, #""\uDFFF""#, #"{"\ud800":1}"#,
    ])
  func refusesHalfASurrogatePair(text: String) {
    #expect(throws: JSONError.invalidString) { try JSONTree(parsing: text) }
  }

  @Test(
    "refuses what is not UTF-8",
    arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80]] as [[UInt8]])
  func refusesWhatIsNotUTF8(bytes: [UInt8]) {
    let text: [UInt8] = [0x22] + bytes + [0x22]
    #expect(throws: JSONError.notUTF8) { try JSONTree(parsing: text.span) }
  }

  @Test("takes the longest input and refuses one byte more")
  func takesTheLongestInput() throws {
    let longest = "\"" + String(repeating: "a", count: 98) + "\""
    #expect(try JSONTree(parsing: longest, maximumLength: 100).string?.utf8.count == 98)
    #expect(throws: JSONError.tooLong) { try JSONTree(parsing: longest + " ", maximumLength: 100) }
    #expect(throws: JSONError.tooLong) { try JSONTree(parsing: "1", maximumLength: -1) }
    let half = String(repeating: " ", count: JSONParser.defaultMaximumLength - 1)
    #expect(try JSONTree(parsing: half + "1") == 1)
    #expect(throws: JSONError.tooLong) { try JSONTree(parsing: half + "12") }
  }

  @Test("takes 64 levels and refuses 65", arguments: ["", "1", "\"a\"", "[]", "{}"])
  func takes64Levels(innermost: String) throws {
    let own = innermost == "[]" || innermost == "{}" ? 1 : 0
    let levels = JSONParser.maximumDepth - own
    let arrays = { String(repeating: "[", count: $0) + innermost + String(repeating: "]", count: $0) }
    #expect(try JSONTree(parsing: arrays(levels)).text() == arrays(levels))
    #expect(throws: JSONError.tooDeep) { try JSONTree(parsing: arrays(levels + 1)) }
    #expect(throws: JSONError.tooDeep) { try JSONTree(parsing: arrays(10_000)) }
    let value = innermost.isEmpty ? "0" : innermost
    let objects = { String(repeating: #"{"a":"#, count: $0) + value + String(repeating: "}", count: $0) }
    #expect(try JSONTree(parsing: objects(levels)).text() == objects(levels))
    #expect(throws: JSONError.tooDeep) { try JSONTree(parsing: objects(levels + 1)) }
  }

  @Test("depth is nesting, not number")
  func depthIsNestingNotNumber() throws {
    let text = "[" + String(repeating: "[{}],", count: 1000) + "0]"
    #expect(try JSONTree(parsing: text)[1000] == 0)
  }

  @Test("goes on after errors, with inputs of all sizes")
  func goesOnAfterErrors() throws {
    var parser = JSONParser()
    for length in [1, 500_000, 3, 4096, 4097, 70_000, 2] {
      let good = Array(("\"" + String(repeating: "é", count: length / 2) + "\"").utf8)
      let found = try parser.withRoot(of: good.span) { $0.stringBytes?.count }
      #expect(found == length / 2 * 2)
      let bad = Array(good.dropLast())
      #expect(throws: JSONError.invalidString) { try parser.withRoot(of: bad.span) { $0.count } }
    }
  }

  @Test("every error is a sentence of its own")
  func everyErrorIsASentence() {
    let sentences = Set(JSONError.allCases.map(\.description))
    #expect(sentences.count == JSONError.allCases.count)
    #expect(sentences.allSatisfy { !$0.hasSuffix(".") && $0.first?.isLowercase == true })
  }
}

extension JSONParser {
  /// The body's result on the root.
  mutating func withRoot<Result>(of bytes: Span<UInt8>, _ body: (JSONValue) -> Result) throws(JSONError) -> Result {
    body(try parse(bytes))
  }
}
