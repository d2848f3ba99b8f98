internal import Bytes

/// An IPv6 address: eight pieces of 16 bits.
///
/// Source: URL Standard, section 3.5 (IPv6 parser) and 3.6 (serialiser, after RFC 5952).
struct IPv6Address {
  private(set) var pieces = InlineArray<8, UInt16>(repeating: 0)

  /// The most significant piece comes first.
  init(_ bits: UInt128) {
    for index in 0..<8 { pieces[index] = UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * index)) }
  }

  /// The address that `text`, without its brackets, writes; nil when it is not one.
  ///
  /// No zone identifiers: `fe80::1%25eth0` is no address to a browser.
  init?(_ text: Span<UInt8>) {
    var reader = IPv6Reader(text)
    guard reader.read() else { return nil }
    pieces = reader.pieces
  }

  /// Appends the address in brackets, its longest run of zero pieces (the first of equals) as `::`.
  func write(to output: inout [UInt8]) {
    let run = longestZeroRun()
    output.append(ASCII.openBracket)
    var index = 0
    while index < 8 {
      if run.count > 1, index == run.lowerBound {
        output.append(index == 0 ? "::" : ":")
        index = run.upperBound
        continue
      }
      Self.write(pieces[index], to: &output)
      if index < 7 { output.append(ASCII.colon) }
      index += 1
    }
    output.append(ASCII.closeBracket)
  }

  private func longestZeroRun() -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for index in 0..<8 {
      if pieces[index] != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<index + 1
      }
    }
    return longest
  }

  private static func write(_ piece: UInt16, to output: inout [UInt8]) {
    if piece >= 16 { write(piece >> 4, to: &output) }
    let digit = UInt8(truncatingIfNeeded: piece & 0xF)
    output.append(digit < 10 ? ASCII.zero &+ digit : UInt8(ascii: "a") &+ digit &- 10)
  }
}

/// One run of the standard's IPv6 parser over the text between the brackets.
struct IPv6Reader: ~Escapable {
  private let text: Span<UInt8>
  private var position = 0
  private var pieceIndex = 0
  private var compress: Int?
  private(set) var pieces = InlineArray<8, UInt16>(repeating: 0)

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) {
    self.text = text
  }

  /// Reads the whole text; false when it is no address.
  @_lifetime(self: copy self)
  mutating func read() -> Bool {
    if next == ASCII.colon {
      guard byte(at: 1) == ASCII.colon else { return false }
      position = 2
      pieceIndex = 1
      compress = 1
    }
    while next != nil {
      guard readPiece() else { return false }
    }
    return placeCompressedPieces()
  }

  /// Reads one piece with the colon behind it, a second colon, or the IPv4 address at the end.
  @_lifetime(self: copy self)
  private mutating func readPiece() -> Bool {
    guard pieceIndex < 8 else { return false }
    if next == ASCII.colon {
      guard compress == nil else { return false }
      position += 1
      pieceIndex += 1
      compress = pieceIndex
      return true
    }
    let start = position
    let value = readHexDigits()
    if next == ASCII.dot {
      guard position > start else { return false }
      position = start
      return readIPv4()
    }
    if next == ASCII.colon {
      position += 1
      guard next != nil else { return false }
    } else if next != nil {
      return false
    }
    pieces[pieceIndex] = value
    pieceIndex += 1
    return true
  }

  @_lifetime(self: copy self)
  private mutating func readHexDigits() -> UInt16 {
    var value: UInt16 = 0
    let limit = position + 4
    while position < limit, let digit = next?.hexDigitValue {
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }

  /// Reads the dotted decimal address that ends the text and fills two pieces.
  @_lifetime(self: copy self)
  private mutating func readIPv4() -> Bool {
    guard pieceIndex <= 6 else { return false }
    for number in 0..<4 {
      if number > 0 {
        guard next == ASCII.dot else { return false }
        position += 1
      }
      guard let part = readDecimalByte() else { return false }
      pieces[pieceIndex] = pieces[pieceIndex] << 8 | part
      if number % 2 == 1 { pieceIndex += 1 }
    }
    return next == nil
  }

  /// Reads 0 to 255 without leading zeros.
  @_lifetime(self: copy self)
  private mutating func readDecimalByte() -> UInt16? {
    var value: UInt16?
    while let byte = next, byte.isASCIIDigit {
      let digit = UInt16(byte &- ASCII.zero)
      guard value != 0 else { return nil }
      let number = (value ?? 0) * 10 + digit
      guard number <= 255 else { return nil }
      value = number
      position += 1
    }
    return value
  }

  /// Moves the pieces read after `::` to the end.
  @_lifetime(self: copy self)
  private mutating func placeCompressedPieces() -> Bool {
    guard let compress else { return pieceIndex == 8 }
    var swaps = pieceIndex - compress
    var target = 7
    while target != 0, swaps > 0 {
      pieces.swapAt(target, compress + swaps - 1)
      target -= 1
      swaps -= 1
    }
    return true
  }

  private var next: UInt8? { byte(at: position) }

  private func byte(at index: Int) -> UInt8? {
    index < text.count ? text[index] : nil
  }
}
