import Bytes
import Testing

@Suite struct BytesTests {
  @Test func classesOfBytesAreThoseOfUnicode() {
    for byte in UInt8.min ... .max {
      let scalar = Unicode.Scalar(byte)
      let character = Character(scalar)
      #expect(byte.isASCIIDigit == (scalar.isASCII && character.isWholeNumber))
      #expect(byte.isASCIILetter == (scalar.isASCII && character.isLetter))
      #expect(byte.hexDigitValue.map(Int.init) == (scalar.isASCII ? character.hexDigitValue : nil))
      let lower = scalar.isASCII ? scalar.properties.lowercaseMapping.utf8.first : byte
      #expect(byte.asciiLowercased == lower)
    }
    #expect((0..<16).map { UInt8.lowerCaseHexDigit($0) } == Array("0123456789abcdef".utf8))
    #expect((0..<16).map { UInt8.upperCaseHexDigit($0) } == Array("0123456789ABCDEF".utf8))
  }

  @Test(arguments: ["0", "7", "42", "18446744073709551615"])
  func numbersAreReadInTheirOneSpelling(_ text: String) {
    let read = UInt64(decimal: text.utf8.span)
    #expect(read == UInt64(text))
  }

  @Test(arguments: [
    "", "00", "042", "-1", "+1", " 1", "1 ", "1_0", "18446744073709551616", "99999999999999999999", "\u{0661}",
  ])
  func otherTextsAreNoNumbers(_ text: String) {
    let read = UInt64(decimal: text.utf8.span)
    #expect(read == nil)
  }

  @Test func hexadecimalNumbersHaveSixteenLowerCaseDigits() {
    func number(_ text: String) -> UInt64? { UInt64(lowerCaseHex: text.utf8.span) }
    #expect(number("0123456789abcdef") == 0x0123_4567_89AB_CDEF)
    #expect(number("ffffffffffffffff") == .max)
    for text in [
      "", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcdeg", "0x23456789abcdef",
    ] {
      #expect(number(text) == nil, "\(text)")
    }
    var written: [UInt8] = []
    for byte: UInt8 in [0, 9, 10, 0x7F, 0xFF] { written.append(lowerCaseHex: byte) }
    #expect(written == Array("00090a7fff".utf8))
  }

  private func matches(_ text: [UInt8], _ other: [UInt8]) -> Bool { text.span.matches(other.span) }

  /// Every length up to several words, and a difference at every place.
  @Test func textsMatchOnlyThemselves() {
    for count in 0...40 {
      let text = (0..<count).map { UInt8($0 * 7 % 251) }
      #expect(matches(text, Array(text)))
      #expect(!matches(text, text + [0]))
      for place in 0..<count {
        var other = text
        other[place] ^= 1
        #expect(!matches(text, other), "\(count), \(place)")
      }
    }
  }

  @Test func literalsMatchWithAndWithoutCase() {
    func matches(_ text: String, _ literal: StaticString) -> Bool { text.utf8.span.matches(literal) }
    func matches(_ text: String, ignoringCase literal: StaticString) -> Bool {
      let whole = text.utf8.span.matches(ignoringCase: literal)
      return whole && text.utf8.span.matches(ignoringCase: Array("\(literal)".utf8).span)
    }
    #expect(matches("GET", "GET"))
    #expect(!matches("get", "GET"))
    #expect(!matches("GET", "GETS"))
    #expect(matches("TeXT/Plain", ignoringCase: "text/plain"))
    #expect(!matches("text/plai", ignoringCase: "text/plain"))
    #expect(matches("A[", ignoringCase: "a["))
    #expect(!matches("A[", ignoringCase: "a{"))
  }

  /// Each length that is wrong must be the one that `String` replaces, too.
  @Test func brokenTextIsReadAsStringsReadIt() {
    let parts: [UInt8] = [
      0x41, 0x80, 0xBF, 0xC1, 0xC3, 0xE0, 0xA0, 0xE2, 0x82, 0xAC, 0xED, 0xF0, 0x9F, 0xF4, 0x90, 0xF5,
    ]
    for first in parts {
      for second in parts {
        for third in parts {
          let bytes = [first, second, third, 0x41]
          var scalars: [Unicode.Scalar] = []
          var place = 0
          while place < bytes.count {
            let sequence = UTF8Sequence(in: bytes.span, at: place)
            scalars.append(sequence.scalar.flatMap(Unicode.Scalar.init) ?? "\u{FFFD}")
            place += sequence.length
          }
          #expect(scalars == Array(String(decoding: bytes, as: UTF8.self).unicodeScalars), "\(bytes)")
        }
      }
    }
  }
}

@Suite struct GrowingBytesTests {
  private func bytes(_ text: String) -> GrowingBytes { GrowingBytes(copying: text.utf8.span) }

  @Test func theyHoldThePiecesInTheirOrder() {
    var bytes = GrowingBytes()
    var expected: [UInt8] = []
    for round in 0..<200 {
      let piece = [UInt8](repeating: UInt8(round), count: round * 7 % 41)
      bytes.append(copying: piece.span)
      bytes.append(UInt8(round))
      expected += piece + [UInt8(round)]
      let isEqual = bytes.span.matches(expected.span)
      #expect(isEqual && bytes.count == expected.count)
    }
    bytes.truncate(to: 100)
    let isEqual = bytes.span.matches(expected.span.extracting(first: 100))
    #expect(isEqual)
    bytes.truncate(to: 101)
    #expect(bytes.count == 100)
    bytes.removeAll()
    bytes.append(copying: [UInt8]().span)
    #expect(bytes.isEmpty && bytes.string == "")
  }

  @Test func aCopyKeepsItsBytes() {
    var bytes = bytes("abc")
    let copy = bytes
    bytes.removeAll()
    bytes.append(copying: "xyz1".utf8.span)
    #expect(copy.string == "abc" && bytes.string == "xyz1")
  }

  @Test func droppedBytesDoNotCount() {
    var longer = bytes("abcdef")
    longer.truncate(to: 3)
    #expect(longer == bytes("abc") && longer.hashValue == bytes("abc").hashValue)
    #expect(longer != bytes("abcd") && longer != bytes("abx"))
  }
}

@Suite struct DecimalCounterTests {
  private func text(_ counter: DecimalCounter) -> String {
    counter.digits.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [0, 7, 88, 997, 99_999_990, 9_999_999_999_999_999_990, UInt64.max - 20])
  func theDigitsAreThoseOfTheNumber(_ start: UInt64) {
    var counter = DecimalCounter(start)
    for step in 0..<20 {
      #expect(counter.number == start + UInt64(step) && text(counter) == "\(start + UInt64(step))")
      counter.increment()
    }
    #expect(text(counter) == "\(start + 20)" && counter == DecimalCounter(start + 20))
  }
}
