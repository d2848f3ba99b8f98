extension JSONValue {
  /// The unescaped UTF-8 bytes of the string, not copied, or `nil` if this is no string.
  ///
  ///     "a\u0000\n" -> 61 00 0A
  ///
  /// Always valid UTF-8. A NUL may stand anywhere: check before a path or a C string is made of it.
  package var stringBytes: Span<UInt8>? {
    @_lifetime(copy self)
    get {
      guard mark == .string else { return nil }
      return bytes
    }
  }

  /// The string, or `nil` if this is none. Allocates when it is longer than 15 bytes.
  package var string: String? {
    mark == .string ? bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// Whether this is that string, byte for byte. No Unicode equivalence: `é` is not `e` and a combining accent.
  package func equals(_ text: StaticString) -> Bool {
    mark == .string && text.withUTF8Buffer { bytes.matches($0.span) }
  }

  /// Whether this is that string, byte for byte.
  package func equals(_ text: Span<UInt8>) -> Bool {
    mark == .string && bytes.matches(text)
  }

  /// Appends the unescaped bytes of the string, and tells whether this is one.
  ///
  /// Allocates nothing when the array has room.
  package func appendString(to array: inout [UInt8]) -> Bool {
    guard mark == .string else { return false }
    bytes.withUnsafeBufferPointer { array.append(contentsOf: $0) }
    return true
  }

  /// The bytes that the string's record in the buffer holds: 32 bits of length come first.
  var bytes: Span<UInt8> {
    @_lifetime(copy self)
    get {
      let record = Int(truncatingIfNeeded: tape[index] & 0x00FF_FFFF_FFFF_FFFF)
      let length = Int(strings.bytes.unsafeLoadUnaligned(fromByteOffset: record, as: UInt32.self))
      let start = record + MemoryLayout<UInt32>.size
      return strings.extracting(start..<start + length)
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether both hold the same bytes; eight at a time.
  package func matches(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let (own, others) = (bytes, other.bytes)
    var index = 0
    while index + 8 <= count {
      let word = own.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard word == others.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
      index += 8
    }
    while index < count {
      guard self[index] == other[index] else { return false }
      index += 1
    }
    return true
  }
}
