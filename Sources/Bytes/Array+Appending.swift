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

  /// Appends the two lower-case hexadecimal digits of a byte.
  @inlinable public mutating func append(lowerCaseHex byte: UInt8) {
    append(UInt8.lowerCaseHexDigit(byte >> 4))
    append(UInt8.lowerCaseHexDigit(byte & 15))
  }
}
