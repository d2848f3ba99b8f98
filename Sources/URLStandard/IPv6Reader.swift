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
