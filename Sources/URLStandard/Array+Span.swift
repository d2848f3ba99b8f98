// The one place of this module, beside the call to ICU, that turns spans into pointers: copying and comparing.

extension [UInt8] {
  /// Appends a copy of `bytes`; allocates only when the capacity does not suffice.
  @inline(__always)
  mutating func append(copying bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
  }

  /// Appends a copy of `bytes` with ASCII letters in lower case.
  mutating func append(lowercasing bytes: Span<UInt8>) {
    for index in bytes.indices { append(bytes[index].asciiLowercased) }
  }

  /// Appends the bytes of a literal.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }

  /// Removes everything from `count` on, keeping the capacity.
  mutating func truncate(to count: Int) {
    if count < self.count { removeSubrange(Swift.max(0, count)...) }
  }

  /// Appends `value` in decimal digits.
  mutating func append(decimal value: UInt16) {
    if value >= 10 { append(decimal: value / 10) }
    append(ASCII.zero &+ UInt8(truncatingIfNeeded: value % 10))
  }

  /// Appends `byte` percent-encoded, with upper-case digits: `%2F`.
  mutating func append(percentEncoding byte: UInt8) {
    append(ASCII.percent)
    append(Self.hexDigit(byte >> 4))
    append(Self.hexDigit(byte & 0xF))
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? ASCII.zero &+ value : UInt8(ascii: "A") &+ value &- 10
  }
}

extension Span<UInt8> {
  /// True when the bytes are those of a literal.
  func equals(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { literal in
      guard literal.count == count else { return false }
      for index in indices where self[index] != literal[index] { return false }
      return true
    }
  }
}
