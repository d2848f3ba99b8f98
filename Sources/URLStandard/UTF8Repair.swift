/// UTF-8 decode of the Encoding Standard, as far as the parser needs it: U+FFFD for every maximal broken part.
enum UTF8Repair {
  static func isValid(_ bytes: Span<UInt8>) -> Bool {
    (try? UTF8Span(validating: bytes)) != nil
  }

  /// Replaces what is not UTF-8; a byte order mark is a character like any other.
  static func repair(_ bytes: inout [UInt8]) {
    if isValid(bytes.span) { return }
    let repaired = String(decoding: bytes, as: UTF8.self)
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: repaired.utf8)
  }
}
