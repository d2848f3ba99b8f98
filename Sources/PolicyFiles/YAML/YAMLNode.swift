internal import Bytes

/// One value of a YAML file, with the place where it begins.
///
///     let root = YAMLReader.read("port: 8080".utf8Span.span, file: "a.yaml", into: &diagnostics)
///     root?.mapping?["port"]?.scalar?.text          // "8080"
///     root?.mapping?["port"]?.location.description   // "a.yaml:1:7"
///
/// Nothing is resolved yet: `8080`, `true` and `~` are scalars until a `YAMLDecoder` asks for a type.
package struct YAMLNode: Sendable, Hashable {
  /// The shape of the value.
  package enum Content: Sendable, Hashable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping(YAMLMapping)
    /// Something was here that is not allowed (an alias, a tagged value, too deep a nesting), and has been reported.
    /// Decoders pass over it in silence, so that one mistake is told once.
    case refused
  }

  package let location: SourceLocation
  package let content: Content

  package init(_ content: Content, at location: SourceLocation) {
    self.content = content
    self.location = location
  }

  /// The scalar, when the value is one.
  package var scalar: YAMLScalar? {
    if case .scalar(let scalar) = content { scalar } else { nil }
  }

  /// The items, when the value is a sequence.
  package var sequence: [YAMLNode]? {
    if case .sequence(let items) = content { items } else { nil }
  }

  /// The entries, when the value is a mapping.
  package var mapping: YAMLMapping? {
    if case .mapping(let mapping) = content { mapping } else { nil }
  }

  /// Whether the value is `null`, `~` or nothing at all.
  package var isNull: Bool { scalar?.resolved == .null }

  /// Whether a diagnostic has been given instead of the value.
  package var isRefused: Bool { content == .refused }
}

extension YAMLNode {
  /// A description of the value for a message: "a list", "the number `8080`", "nothing", "`blok`".
  package var found: String {
    switch content {
    case .scalar(let scalar): scalar.found
    case .sequence: "a list"
    case .mapping: "a mapping"
    case .refused: "something that is not allowed"
    }
  }
}

/// The entries of a YAML mapping in the order of the file; no key stands in it twice.
package struct YAMLMapping: Sendable, Hashable {
  /// One key and its value.
  package struct Entry: Sendable, Hashable {
    package let key: String
    package let keyLocation: SourceLocation
    package let value: YAMLNode

    package init(key: String, keyLocation: SourceLocation, value: YAMLNode) {
      self.key = key
      self.keyLocation = keyLocation
      self.value = value
    }
  }

  package let entries: [Entry]

  /// False when entries may be missing that the author did write: reading broke off inside the mapping, or an entry was
  /// refused. Then a missing key is no error of its own.
  package let isComplete: Bool

  package init(_ entries: [Entry], isComplete: Bool = true) {
    self.entries = entries
    self.isComplete = isComplete
  }

  /// The value of `key`, or nil. Keys are compared as Swift compares text: composed and decomposed letters are equal.
  package subscript(key: String) -> YAMLNode? {
    entries.first { $0.key == key }?.value
  }
}

/// The text of a YAML scalar, and whether it was written plain.
///
/// Only plain scalars can be numbers, booleans or null: `8080` is a number, `"8080"` a string.
package struct YAMLScalar: Sendable, Hashable {
  package let text: String
  /// Whether it was written without quotes, and not as a block (`|`, `>`).
  package let isPlain: Bool

  package init(_ text: String, isPlain: Bool) {
    self.text = text
    self.isPlain = isPlain
  }

  /// The core schema's types of a scalar (YAML 1.2.2, section 10.3.2).
  package enum Resolved: Sendable, Hashable {
    case null
    case bool
    case int
    case float
    case string
  }

  /// The type the core schema gives this scalar. A quoted scalar is always a string.
  ///
  ///     YAMLScalar("TRUE", isPlain: true).resolved   // .bool
  ///     YAMLScalar("yes", isPlain: true).resolved    // .string: that YAML 1.1 read it as a boolean is over
  ///     YAMLScalar("0x1F", isPlain: true).resolved   // .int
  ///
  /// Another YAML reader would take the text for this type. `YAMLDecoder` is stricter still: for a boolean only `true`
  /// and `false` will do, for a number only decimal digits.
  package var resolved: Resolved {
    guard isPlain else { return .string }
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE", "false", "False", "FALSE": return .bool
    default: return Self.numberType(of: text.utf8[...]) ?? .string
    }
  }

  /// A description of the scalar for a message.
  package var found: String {
    switch resolved {
    case .null: text.isEmpty ? "nothing" : "null (\(text.quoted))"
    case .bool: "the boolean \(text.quoted)"
    case .int, .float: "the number \(text.quoted)"
    case .string: text.isEmpty ? "an empty string" : text.quoted
    }
  }
}

extension YAMLScalar {
  private typealias Bytes = Substring.UTF8View

  private static func numberType(of text: Bytes) -> Resolved? {
    guard let first = text.first, first.isASCIIDigit || "+-.".utf8.contains(first) else { return nil }
    if let digits = text.dropping("0x"), !digits.isEmpty, digits.allSatisfy(\.isHexDigit) { return .int }
    if let digits = text.dropping("0o"), !digits.isEmpty, digits.allSatisfy(\.isOctalDigit) { return .int }
    let unsigned = text.dropping("+") ?? text.dropping("-") ?? text
    if !unsigned.isEmpty, unsigned.allSatisfy(\.isASCIIDigit) { return .int }
    return isFloat(text, unsigned) ? .float : nil
  }

  private static func isFloat(_ text: Bytes, _ unsigned: Bytes) -> Bool {
    if [".inf", ".Inf", ".INF"].contains(String(unsigned)) { return true }
    if [".nan", ".NaN", ".NAN"].contains(String(text)) { return true }
    var rest = unsigned
    let whole = rest.removeDigits()
    if let fraction = rest.dropping(".") {
      rest = fraction
      guard rest.removeDigits() + whole > 0 else { return false }
    } else if whole == 0 {
      return false
    }
    guard let exponent = rest.dropping("e") ?? rest.dropping("E") else { return rest.isEmpty }
    rest = exponent.dropping("+") ?? exponent.dropping("-") ?? exponent
    return rest.removeDigits() > 0 && rest.isEmpty
  }
}

extension Substring.UTF8View {
  fileprivate func dropping(_ prefix: StaticString) -> Self? {
    let length = prefix.utf8CodeUnitCount
    return starts(with: prefix.description.utf8) ? dropFirst(length) : nil
  }

  /// Removes the decimal digits at the front, and returns how many they were.
  fileprivate mutating func removeDigits() -> Int {
    let digits = prefix(while: \.isASCIIDigit).count
    removeFirst(digits)
    return digits
  }
}

extension UInt8 {
  fileprivate var isOctalDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "7") }
  fileprivate var isHexDigit: Bool { hexDigitValue != nil }
}
