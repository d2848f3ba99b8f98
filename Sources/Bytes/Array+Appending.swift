extension [UInt8] {
  /// A copy of the bytes of a span.
  @inlinable public init(copying span: Span<UInt8>) {
    self = span.withUnsafeBufferPointer { Array($0) }
  }

  /// Appends a copy of `bytes`; allocates only when the capacity does not suffice.
  @inlinable @inline(__always)
  public mutating func append(copying bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
  }

  /// Takes over a copy of `bytes` in place of its own; allocates only when the capacity does not suffice.
  ///
  /// To drop all bytes and to append others goes through generic code twice; this does so at most once.
  @inlinable public mutating func assign(copying bytes: Span<UInt8>) {
    if count > bytes.count { removeLast(count - bytes.count) }
    let kept = count
    withUnsafeMutableBufferPointer { own in
      bytes.withUnsafeBufferPointer { bytes in
        guard let own = own.baseAddress, let start = bytes.baseAddress else { return }
        own.update(from: start, count: kept)
      }
    }
    if kept < bytes.count { append(copying: bytes.extracting(kept...)) }
  }

  /// Appends a copy of `bytes` with ASCII letters in lower case.
  @inlinable public mutating func append(lowercasing bytes: Span<UInt8>) {
    for index in bytes.indices { append(bytes[index].asciiLowercased) }
  }

  /// Appends the bytes of a literal.
  @inlinable public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }

  /// The bytes with these lower-case hexadecimal digits, two each; nil for anything else: bytes have one spelling.
  @inlinable public init?(lowerCaseHex digits: Span<UInt8>) {
    guard digits.count.isMultiple(of: 2) else { return nil }
    self = []
    reserveCapacity(digits.count / 2)
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[place].lowerCaseHexDigitValue, let low = digits[place + 1].lowerCaseHexDigitValue else {
        return nil
      }
      append(high << 4 | low)
    }
  }

  /// Appends the two lower-case hexadecimal digits of a byte.
  @inlinable public mutating func append(lowerCaseHex byte: UInt8) {
    append(UInt8.lowerCaseHexDigit(byte >> 4))
    append(UInt8.lowerCaseHexDigit(byte & 15))
  }
}

extension String {
  /// Two lower-case hexadecimal digits for each byte.
  @inlinable public init(lowerCaseHex bytes: Span<UInt8>) {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.count)
    for index in bytes.indices { digits.append(lowerCaseHex: bytes[index]) }
    self.init(decoding: digits, as: UTF8.self)
  }
}
