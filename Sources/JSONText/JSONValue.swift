/// A value in a parsed document: a place in it, not a copy of it.
///
/// It borrows the ``JSONParser``, and cannot be kept past the parser's next parse: such code does not compile. Every
/// step through the document is bounds-checked. Asking for what a value is not gives `nil`.
package struct JSONValue: ~Escapable {
  let tape: Span<UInt64>
  let strings: Span<UInt8>
  let index: Int

  @_lifetime(copy tape, copy strings)
  init(tape: Span<UInt64>, strings: Span<UInt8>, index: Int) {
    self.tape = tape
    self.strings = strings
    self.index = index
  }

  /// What the value is.
  package var kind: JSONKind {
    switch mark {
    case .object: .object
    case .array: .array
    case .string: .string
    case .signed, .unsigned, .double: .number
    case .true, .false: .bool
    default: .null
    }
  }

  /// Whether this is the literal `null`.
  package var isNull: Bool { kind == .null }

  /// The truth value, or `nil` if this is not `true` or `false`.
  package var bool: Bool? {
    switch mark {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The integer, or `nil` if this is no number, not written as an integer, or does not fit.
  ///
  ///     12 -> 12    -0 -> 0    12.0 -> nil    1e2 -> nil    9223372036854775808 -> nil
  package var int: Int64? {
    mark == .signed ? Int64(bitPattern: tape[index + 1]) : nil
  }

  /// The integer, or `nil` if this is no number, not written as an integer, negative, or does not fit.
  ///
  ///     18446744073709551615 -> 18446744073709551615    -1 -> nil
  package var uint: UInt64? {
    switch mark {
    case .signed: UInt64(exactly: Int64(bitPattern: tape[index + 1]))
    case .unsigned: tape[index + 1]
    default: nil
    }
  }

  /// The number, or `nil` if this is none. An integer beyond 2^53 is rounded to the nearest double.
  package var double: Double? {
    switch mark {
    case .double: Double(bitPattern: tape[index + 1])
    case .signed: Double(Int64(bitPattern: tape[index + 1]))
    case .unsigned: Double(tape[index + 1])
    default: nil
    }
  }

  var mark: TapeMark { TapeMark(rawValue: UInt8(truncatingIfNeeded: tape[index] >> 56)) }

  /// The index of the word after this value, its members and elements included.
  var next: Int {
    switch mark {
    case .object, .array: closing + 1
    case .signed, .unsigned, .double: index + 2
    default: index + 1
    }
  }

  /// The index of the word that ends this object or array.
  var closing: Int { Int(UInt32(truncatingIfNeeded: tape[index])) - 1 }

  @_lifetime(copy self)
  func at(_ other: Int) -> JSONValue {
    JSONValue(tape: tape, strings: strings, index: other)
  }
}

/// The type of a word on simdjson's tape, as `CSimdJSON.h` lists them.
struct TapeMark: Equatable {
  let rawValue: UInt8

  static var object: TapeMark { TapeMark(rawValue: UInt8(ascii: "{")) }
  static var array: TapeMark { TapeMark(rawValue: UInt8(ascii: "[")) }
  static var string: TapeMark { TapeMark(rawValue: UInt8(ascii: "\"")) }
  static var signed: TapeMark { TapeMark(rawValue: UInt8(ascii: "l")) }
  static var unsigned: TapeMark { TapeMark(rawValue: UInt8(ascii: "u")) }
  static var double: TapeMark { TapeMark(rawValue: UInt8(ascii: "d")) }
  static var `true`: TapeMark { TapeMark(rawValue: UInt8(ascii: "t")) }
  static var `false`: TapeMark { TapeMark(rawValue: UInt8(ascii: "f")) }
}
