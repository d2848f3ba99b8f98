extension Span<UInt8> {
  /// Nothing but white space.
  package var isBlank: Bool {
    for index in indices where self[index] != 0x20 && self[index] != 0x09 && self[index] != 0x0D { return false }
    return true
  }
}
