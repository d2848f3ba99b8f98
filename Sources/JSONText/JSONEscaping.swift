/// The characters that a ``JSONWriter`` escapes beyond those that RFC 8259, section 7 demands.
package enum JSONEscaping: Equatable, Hashable, Sendable {
  /// Also characters that could deceive a person who reads the text in a terminal or an editor.
  ///
  /// DEL and the C1 controls (they can steer a terminal), the line separators U+2028 and U+2029 (they split a log
  /// line), and the bidirectional controls U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 (they make
  /// text read in another order than it stands: Unicode Technical Report 36, section 2.10).
  case readable

  /// Nothing more: for text that only machines read.
  case minimal

  func escapes(_ scalar: UInt32) -> Bool {
    switch scalar {
    case ..<0x20, 0x22, 0x5C: true
    case 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: self == .readable
    default: false
    }
  }
}
