import JSONText

/// RFC 8259 read the obvious way, one byte after the other, with the three refusals that the parser adds: duplicate keys,
/// integers over 64 bits, lone surrogates. Nil for what is no JSON.
struct ReferenceJSON {
  private var rest: ArraySlice<UInt8>
  /// How deep the deepest object or array lies.
  private(set) var depth = 0
  private var openCount = 0

  private init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The value that the bytes hold, and how deep it nests.
  static func read(_ bytes: [UInt8]) -> (tree: JSONTree, depth: Int)? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var reader = ReferenceJSON(bytes)
    reader.skipBlanks()
    guard let tree = reader.value() else { return nil }
    reader.skipBlanks()
    return reader.rest.isEmpty ? (tree, reader.depth) : nil
  }

  private mutating func skipBlanks() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

  private mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  private mutating func value() -> JSONTree? {
    switch rest.first {
    case UInt8(ascii: "{"): nested { $0.object() }
    case UInt8(ascii: "["): nested { $0.array() }
    case UInt8(ascii: "\""): string().map(JSONTree.string)
    case UInt8(ascii: "t"): take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): take("null") ? .null : nil
    default: number()
    }
  }

  private mutating func nested(_ body: (inout ReferenceJSON) -> JSONTree?) -> JSONTree? {
    openCount += 1
    depth = max(depth, openCount)
    // Far over the parser's limit the answer is known, and the stack is not endless.
    guard openCount < 200 else { return nil }
    defer { openCount -= 1 }
    rest = rest.dropFirst()
    return body(&self)
  }

  private mutating func object() -> JSONTree? {
    var members: [JSONTree.Member] = []
    skipBlanks()
    if take("}") { return .object([]) }
    while true {
      skipBlanks()
      guard let key = string(), !members.contains(where: { $0.key.utf8.elementsEqual(key.utf8) }) else { return nil }
      skipBlanks()
      guard take(":") else { return nil }
      skipBlanks()
      guard let value = value() else { return nil }
      members.append(JSONTree.Member(key, value))
      skipBlanks()
      if take("}") { return .object(members) }
      guard take(",") else { return nil }
    }
  }

  private mutating func array() -> JSONTree? {
    var elements: [JSONTree] = []
    skipBlanks()
    if take("]") { return .array([]) }
    while true {
      skipBlanks()
      guard let value = value() else { return nil }
      elements.append(value)
      skipBlanks()
      if take("]") { return .array(elements) }
      guard take(",") else { return nil }
    }
  }

  // MARK: Strings

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
      case 0..<0x20: return nil
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        bytes += Array(String(scalar).utf8)
      default: bytes.append(byte)
      }
    }
    return nil
  }

  private static let escapes: [UInt8: Unicode.Scalar] = [
    0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
  ]

  private mutating func escape() -> Unicode.Scalar? {
    guard let letter = rest.popFirst() else { return nil }
    guard letter == UInt8(ascii: "u") else { return Self.escapes[letter] }
    guard let unit = hex() else { return nil }
    guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
    guard take("\\u"), let low = hex(), (0xDC00..<0xE000).contains(low) else { return nil }
    return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
  }

  private mutating func hex() -> UInt32? {
    let digits = rest.prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    rest = rest.dropFirst(4)
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  // MARK: Numbers

  private mutating func number() -> JSONTree? {
    var text = ""
    if take("-") { text = "-" }
    guard let whole = digits(), whole == "0" || !whole.hasPrefix("0") else { return nil }
    text += whole
    var isInteger = true
    if take(".") {
      guard let fraction = digits() else { return nil }
      (text, isInteger) = (text + "." + fraction, false)
    }
    if take("e") || take("E") {
      let sign = take("-") ? "-" : take("+") ? "" : ""
      guard let exponent = digits() else { return nil }
      (text, isInteger) = (text + "e" + sign + exponent, false)
    }
    if isInteger { return Int64(text).map(JSONTree.int) ?? UInt64(text).map(JSONTree.uint) }
    guard let double = Double(text), double.isFinite else { return nil }
    return .double(double)
  }

  private mutating func digits() -> String? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
  }
}
