/// Reads one JSON text: RFC 8259, and strictly.
///
/// The library has its own reader because `FoundationEssentials` doubles an embedder's program (13.6 against 7.0 MB,
/// static and stripped), and accepts two members of one name: a proxy and this library could then read different
/// values.
///
///     ValueReader.read(Array(#"{"outcome":"block"}"#.utf8)[...])    // .object(["outcome": "block"])
///     ValueReader.read(Array("{} x".utf8)[...])                     // nil
package struct ValueReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int

  /// Maximum depth of values inside values: the daemon's have five.
  static let maximumDepth = 32

  /// The value of a text that is one JSON value and nothing else; nil for any other.
  package static func read(_ bytes: ArraySlice<UInt8>) -> GuardValue? {
    var reader = ValueReader(bytes: bytes, place: bytes.startIndex)
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.place == bytes.endIndex ? value : nil
  }

  private init(bytes: ArraySlice<UInt8>, place: Int) {
    self.bytes = bytes
    self.place = place
  }

  private var next: UInt8? { place < bytes.endIndex ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func takeWord(_ word: StaticString, _ value: GuardValue) -> GuardValue? {
    let end = place + word.utf8CodeUnitCount
    guard end <= bytes.endIndex else { return nil }
    let isWord = word.withUTF8Buffer { bytes[place..<end].elementsEqual($0) }
    guard isWord else { return nil }
    place = end
    return value
  }

  private mutating func value(depth: Int) -> GuardValue? {
    guard depth < Self.maximumDepth else { return nil }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return takeWord("true", .bool(true))
    case UInt8(ascii: "f"): return takeWord("false", .bool(false))
    case UInt8(ascii: "n"): return takeWord("null", .null)
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> GuardValue? {
    place += 1
    var members: [String: GuardValue] = [:]
    skipSpace()
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let name = string() else { return nil }
      skipSpace()
      guard take(":"), let value = value(depth: depth + 1) else { return nil }
      guard members.updateValue(value, forKey: name) == nil else { return nil }
      skipSpace()
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> GuardValue? {
    place += 1
    var values: [GuardValue] = []
    skipSpace()
    if take("]") { return .array(values) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
      skipSpace()
    } while take(",")
    return take("]") ? .array(values) : nil
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    let start = place
    while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { place += 1 }
    var text = Array(bytes[start..<place])
    while let byte = next, byte >= 0x20 {
      place += 1
      if byte == UInt8(ascii: "\"") { return String(validating: text, as: UTF8.self) }
      if byte != UInt8(ascii: "\\") {
        text.append(byte)
      } else {
        guard let scalar = escaped() else { return nil }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    return nil
  }

  /// The character of an escape whose backslash is read; nil for half of a surrogate pair.
  private mutating func escaped() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: return nil
    }
    guard let unit = codeUnit() else { return nil }
    guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
    guard take("\\"), take("u"), let low = codeUnit(), (0xDC00..<0xE000).contains(low) else { return nil }
    return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
  }

  private mutating func codeUnit() -> UInt16? {
    guard place + 4 <= bytes.endIndex else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[place..<place + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    place += 4
    return unit
  }

  private mutating func number() -> GuardValue? {
    let start = place
    _ = take("-")
    let isZero = take("0")
    guard isZero || takeDigits() else { return nil }
    var isWhole = true
    if take(".") {
      isWhole = false
      guard takeDigits() else { return nil }
    }
    if take("e") || take("E") {
      isWhole = false
      if !take("+") { _ = take("-") }
      guard takeDigits() else { return nil }
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    if isWhole, let whole = Int(text) { return .integer(whole) }
    return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
  }

  private mutating func takeDigits() -> Bool {
    let start = place
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
    return place > start
  }
}

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
