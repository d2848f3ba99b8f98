extension Span<UInt8> {
  /// Whether both hold the same bytes; eight at a time.
  @inlinable public func matches(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let (own, others) = (bytes, other.bytes)
    guard count >= 4 else {
      for index in indices where self[index] != other[index] { return false }
      return true
    }
    guard count >= 8 else {
      let last = count - 4
      return own.unsafeLoadUnaligned(as: UInt32.self) == others.unsafeLoadUnaligned(as: UInt32.self)
        && own.unsafeLoadUnaligned(fromByteOffset: last, as: UInt32.self)
          == others.unsafeLoadUnaligned(fromByteOffset: last, as: UInt32.self)
    }
    // The last eight bytes once more with some before them.
    var index = 0
    while index < count {
      let place = Swift.min(index, count - 8)
      let word = own.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
      guard word == others.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self) else { return false }
      index += 8
    }
    return true
  }

  /// Whether these are the bytes of a literal.
  @inlinable public func matches(_ literal: StaticString) -> Bool {
    guard count == literal.utf8CodeUnitCount else { return false }
    for index in indices where self[index] != literal.utf8Start[index] { return false }
    return true
  }

  /// Whether these are the bytes of the other, which is in lower case, but for capitals.
  @inlinable public func matches(ignoringCase lowercase: Span<UInt8>) -> Bool {
    guard count == lowercase.count else { return false }
    for index in indices where self[index].asciiLowercased != lowercase[index] { return false }
    return true
  }

  /// The same of a literal.
  @inlinable public func matches(ignoringCase lowercase: StaticString) -> Bool {
    guard count == lowercase.utf8CodeUnitCount else { return false }
    for index in indices where self[index].asciiLowercased != lowercase.utf8Start[index] { return false }
    return true
  }
}
