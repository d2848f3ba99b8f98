/// Writes JSON text, member by member, without nil members.
///
///     var writer = ValueWriter()
///     writer.object {
///       $0.member("viewer", "v1")
///       $0.member("url", String?.none)
///     }
///     writer.bytes    // {"viewer":"v1"}
package struct ValueWriter {
  private(set) var bytes: [UInt8] = []
  /// The next member or element follows another.
  private var needsComma = false

  /// Ends a message, as varlink wants it.
  mutating func endMessage() {
    bytes.append(0)
    needsComma = false
  }

  mutating func object(_ members: (inout ValueWriter) -> Void) { nest("{", "}", members) }

  mutating func array(_ elements: (inout ValueWriter) -> Void) { nest("[", "]", elements) }

  mutating func member(_ name: String, _ value: String?) {
    guard let value else { return }
    self.name(name)
    text(value)
  }

  mutating func member(_ name: String, _ value: Int?) {
    guard let value else { return }
    self.name(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  mutating func member(_ name: String, _ value: Bool?) {
    guard let value else { return }
    self.name(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  mutating func member(_ name: String, _ values: [String]?) {
    guard let values else { return }
    member(name) { writer in
      writer.array { list in for value in values { list.element { $0.text(value) } } }
    }
  }

  /// A member whose value the closure writes.
  mutating func member(_ name: String, _ write: (inout ValueWriter) -> Void) {
    self.name(name)
    write(&self)
    needsComma = true
  }

  /// An element of an array, which the closure writes.
  mutating func element(_ write: (inout ValueWriter) -> Void) {
    separate()
    write(&self)
    needsComma = true
  }

  /// Any value, with the members of objects in the order of their names, so a value always gives the same text.
  mutating func value(_ value: GuardValue) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let truth): bytes.append(contentsOf: (truth ? "true" : "false").utf8)
    case .integer(let number): bytes.append(contentsOf: String(number).utf8)
    case .number(let number): bytes.append(contentsOf: (number.isFinite ? String(number) : "null").utf8)
    case .string(let text): self.text(text)
    case .array(let values): array { list in for value in values { list.element { $0.value(value) } } }
    case .object(let members):
      object { $0.members(members) }
    }
  }

  /// The members of an object in the order of their names.
  mutating func members(_ members: [String: GuardValue]) {
    for (name, value) in members.sorted(by: { $0.key < $1.key }) { member(name) { $0.value(value) } }
  }

  mutating func text(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(contentsOf: (byte < 0x10 ? "0" : "").utf8)
        bytes.append(contentsOf: String(byte, radix: 16).utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func name(_ name: String) {
    separate()
    text(name)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func nest(_ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ write: (inout ValueWriter) -> Void)
  {
    bytes.append(UInt8(ascii: opening))
    needsComma = false
    write(&self)
    needsComma = true
    bytes.append(UInt8(ascii: closing))
  }
}
