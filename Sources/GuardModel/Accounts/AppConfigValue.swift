/// A value of an app's configuration, to which the app's developer gives its meaning (ledger AC-01, AC-06).
///
///     AppConfigValue.number(5).written      // "5"
///     AppConfigValue.string("5") == .number(5)   // false: types are never converted
///
/// The trap: Swift takes a composed and a decomposed letter for the same. Values are equal only when their bytes are,
/// so that a client in C finds the same conflicts.
public enum AppConfigValue: Sendable, Hashable {
  /// `true` or `false`.
  case bool(Bool)
  /// Finite, and exact in every client: a whole number is at most `largestWhole` away from 0.
  case number(Double)
  /// A text.
  case string(String)

  /// The largest whole number that every reader of JSON keeps exactly: 2^53 - 1 (RFC 8259, section 6).
  package static let largestWhole = 9_007_199_254_740_991

  /// Whether type and bytes are the same.
  public static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.bool, _), (.number, _), (.string, _): false
    }
  }

  /// As equality has it.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .bool(let truth): hasher.combine(truth)
    case .number(let number): hasher.combine(number)
    case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
    }
  }

  /// The type, in the words of messages: `boolean`, `number`, `string`
  package var typeName: String {
    switch self {
    case .bool: "boolean"
    case .number: "number"
    case .string: "string"
    }
  }

  /// The value as JSON would have it, without quotes around a string: `true`, `0.5`, `blue`
  package var written: String {
    switch self {
    case .bool(let truth): String(truth)
    case .number(let number): wholeNumber.map(String.init) ?? String(number)
    case .string(let text): text
    }
  }

  /// The boolean; nil for any other value.
  public var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }
  /// The number; nil for any other value.
  public var number: Double? { if case .number(let number) = self { number } else { nil } }
  /// The text; nil for any other value.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// Bytes that the value takes in an answer, roughly; a limit adds them up.
  package var size: Int {
    switch self {
    case .bool, .number: 8
    case .string(let text): text.utf8.count
    }
  }

  /// The number, when it is a whole one; nil for any other value.
  package var wholeNumber: Int? {
    guard case .number(let number) = self, number.magnitude <= Double(Self.largestWhole) else { return nil }
    return Int(exactly: number)
  }
}
