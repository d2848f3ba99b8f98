import Bytes
import JSONText
import Testing

@Suite("JSON value")
struct JSONValueTests {
  private static let request = """
    {"method":"org.webviewguard.Guard.Navigate","parameters":{"event":{"viewer":"E",\
    "url":"https://docs.contoso.com/d/42","frame":"main","hop":false,"gesture":"yes","action":"a-17"}}}
    """

  @Test("tells texts of every length from those with one other byte")
  func tellsTextsApart() {
    for count in 0...40 {
      let text = (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }
      #expect(areEqual(text, Array(text)))
      #expect(!areEqual(text, text + [0]))
      for index in 0..<count {
        var other = text
        other[index] ^= 0x80
        #expect(!areEqual(text, other) && !areEqual(other, text))
      }
    }
  }

  private func areEqual(_ text: [UInt8], _ other: [UInt8]) -> Bool { text.span.matches(other.span) }

  @Test("finds members along a path")
  func findsMembersAlongAPath() throws {
    var parser = JSONParser()
    let root = try parser.parse(Self.request.utf8.span)
    let url = root["parameters"]?["event"]?["url"]?.string
    let hop = root["parameters"]?["event"]?["hop"]?.bool
    let missing = root["parameters"]?["url"] == nil
    #expect(url == "https://docs.contoso.com/d/42")
    #expect(hop == false)
    #expect(missing)
  }

  @Test("gives nil for what it is not")
  func givesNilForWhatItIsNot() throws {
    for text in ["null", "true", "1", "-1.5", "\"a\"", "[1]", #"{"a":1}"#] {
      var parser = JSONParser()
      let root = try parser.parse(text.utf8.span)
      let kind = root.kind
      #expect(root.isNull == (kind == .null))
      #expect((root.bool != nil) == (kind == .bool))
      #expect((root.double != nil) == (kind == .number))
      #expect((root.int != nil) == (text == "1") && (root.uint != nil) == (text == "1"))
      #expect((root.string != nil) == (kind == .string))
      let hasBytes = root.stringBytes != nil
      let hasMember = root["a"] != nil
      var members = root.members
      var elements = root.elements
      let firstMember = members.next() != nil
      let firstElement = elements.next() != nil
      #expect(hasBytes == (kind == .string))
      #expect(hasMember == (kind == .object) && firstMember == (kind == .object))
      #expect(firstElement == (kind == .array))
      #expect(root.count == (kind == .array || kind == .object ? 1 : 0))
    }
  }

  @Test(
    "numbers at the borders",
    arguments: [
      ("0", 0, 0, 0), ("-0", 0, 0, 0), ("-1", -1, nil, -1),
      ("9007199254740993", 9_007_199_254_740_993, 9_007_199_254_740_993, 9_007_199_254_740_992),
      ("9223372036854775807", Int64.max, 9_223_372_036_854_775_807, 0x1p63),
      ("-9223372036854775808", Int64.min, nil, -0x1p63),
      ("9223372036854775808", nil, 9_223_372_036_854_775_808, 0x1p63),
      ("18446744073709551615", nil, UInt64.max, 0x1p64),
      ("12.0", nil, nil, 12), ("1e2", nil, nil, 100), ("0.1", nil, nil, 0.1),
      ("5e-324", nil, nil, Double.leastNonzeroMagnitude),
      ("1e-400", nil, nil, 0), ("1.7976931348623157e308", nil, nil, Double.greatestFiniteMagnitude),
      ("2.2250738585072011e-308", nil, nil, Double.leastNormalMagnitude.nextDown),
    ] as [(String, Int64?, UInt64?, Double)])
  func numbersAtTheBorders(text: String, int: Int64?, uint: UInt64?, double: Double) throws {
    var parser = JSONParser()
    let root = try parser.parse(text.utf8.span)
    let found = (root.int, root.uint, root.double)
    #expect(found.0 == int && found.1 == uint && found.2 == double)
  }

  @Test(
    "unescapes strings",
    arguments: [
      (#""""#, ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
      (#""\ud83d\ude00\uD83D\uDE00""#, "😀😀"), (#""a\u0000b""#, "a\u{0}b"), (#""\uffff\ufeff""#, "\u{FFFF}\u{FEFF}"),
      ("\"\u{7F}\u{80}\u{2028}\"", "\u{7F}\u{80}\u{2028}"),
    ])
  func unescapesStrings(text: String, expected: String) throws {
    var parser = JSONParser()
    let root = try parser.parse(text.utf8.span)
    let count = root.stringBytes?.count
    #expect(root.string.map { Array($0.utf8) } == Array(expected.utf8))
    #expect(count == expected.utf8.count)
  }

  @Test("walks members and elements in order, across nested ones")
  func walksInOrder() throws {
    var parser = JSONParser()
    let root = try parser.parse(
      #"{"b":[1,[2,{"x":3}],2.5,"s",{}],"a":{"c":{}},"\u0063":null,"d":18446744073709551615}"#.utf8.span)
    var keys: [String] = []
    var kinds: [JSONKind] = []
    var members = root.members
    while let member = members.next() {
      keys.append(member.key.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
      kinds.append(member.value.kind)
    }
    #expect(keys == ["b", "a", "c", "d"] && kinds == [.array, .object, .null, .number])
    kinds = []
    guard let list = root["b"] else { throw JSONError.empty }
    var elements = list.elements
    while let element = elements.next() { kinds.append(element.kind) }
    #expect(kinds == [.number, .array, .number, .string, .object] && list.count == 5)
    let afterTheLast = elements.next() == nil
    #expect(afterTheLast)
  }

  @Test("member keys are compared after unescaping")
  func memberKeysAreComparedAfterUnescaping() throws {
    var parser = JSONParser()
    let root = try parser.parse(#"{"\u0075rl":1,"e\u0301":2}"#.utf8.span)
    let url = root["url"]?.int
    let decomposed = root["e\u{301}"]?.int
    let composed = root["\u{E9}"]?.int
    #expect(url == 1 && decomposed == 2 && composed == nil)
  }
}
