extension URLRecord {
  /// Takes over another record byte by byte into this one's own buffer.
  ///
  /// Plain assignment would share the other's buffer, and the next change of either would have to allocate a new one.
  package mutating func assign(_ other: borrowing URLRecord) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(copying: other.bytes.span)
    layout = other.layout
  }
}
