import Testing
import URLStandard

/// The table of byte classes says what the standard says.
struct ByteClassTests {
  /// Printable members of each class, by its bit.
  private static let sets: [(bit: Int, members: String)] = [
    (1, " \"<>`"), (2, " \"#<>"), (3, " \"#<>'"), (4, " \"#<>?^`{}"), (5, " \"#<>?^`{}/:;=@[\\]|"),
    (6, "\0\t\n\r #/:<>?@[\\]^|"), (11, "+-."), (12, "\\.%"),
  ]

  private func expected(_ byte: UInt8) -> UInt16 {
    let scalar = Unicode.Scalar(byte)
    var bits: Set<Int> = []
    for set in Self.sets where set.members.unicodeScalars.contains(scalar) { bits.insert(set.bit) }
    // The C0 control percent-encode set is in every other one.
    if byte < 0x20 || byte > 0x7E { bits.formUnion(0...5) }
    if byte < 0x20 || byte == 0x7F || byte == 0x25 || bits.contains(6) { bits.insert(7) }
    if byte == 0x25 { bits.insert(8) }
    if byte >= 0x80 { bits.insert(9) }
    if ("A"..."Z").contains(scalar) { bits.insert(10) }
    if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) { bits.insert(11) }
    if bits.contains(4) { bits.insert(12) }
    return bits.reduce(0) { $0 | 1 << UInt16($1) }
  }

  @Test
  func everyByteHasItsClasses() {
    for byte in UInt8.min...UInt8.max { #expect(ByteClass(of: byte).rawValue == expected(byte), "byte \(byte)") }
  }
}
