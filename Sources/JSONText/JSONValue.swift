/// A value in a parsed document: a place in it, not a copy of it.
///
/// It borrows the ``JSONParser``, and cannot be kept past the parser's next parse: such code does not compile. Every
/// step through the document is bounds-checked. Asking for another kind of value gives `nil`.
///
/// Its reading is `public`, as is that of its members: what is `package` is never inlined into another module, and a
/// call for each step was a tenth of a question. The module is no product, so nobody outside sees it.
public struct JSONValue: ~Escapable {
  @usableFromInline let tape: Span<UInt64>
  @usableFromInline let strings: Span<UInt8>
  /// The value's place in the document, for ``at(_:)``.
  public let index: Int

  @inlinable @_lifetime(copy tape, copy strings)
  init(tape: Span<UInt64>, strings: Span<UInt8>, index: Int) {
    self.tape = tape
    self.strings = strings
    self.index = index
  }

  /// The kind of the value.
  @inlinable public var kind: JSONKind {
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
  @inlinable public var isNull: Bool { mark == .null }

  /// The truth value, or `nil` if this is not `true` or `false`.
  @inlinable public var bool: Bool? {
    switch mark {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The integer, or `nil` if this is no number, not written as an integer, or does not fit.
  ///
  ///     12 -> 12    -0 -> 0    12.0 -> nil    1e2 -> nil    9223372036854775808 -> nil
  @inlinable public var int: Int64? {
    mark == .signed ? Int64(bitPattern: tape[index + 1]) : nil
  }

  /// The integer, or `nil` if this is no number, not written as an integer, negative, or does not fit.
  ///
  ///     18446744073709551615 -> 18446744073709551615    -1 -> nil
  @inlinable public var uint: UInt64? {
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

  @inlinable var mark: TapeMark { TapeMark(rawValue: UInt8(truncatingIfNeeded: tape[index] >> 56)) }

  /// The index of the word after this value, its members and elements included.
  @inlinable @inline(__always) var next: Int {
    switch mark {
    case .object, .array: closing + 1
    case .signed, .unsigned, .double: index + 2
    default: index + 1
    }
  }

  /// The index of the word that ends this object or array.
  @inlinable var closing: Int { Int(UInt32(truncatingIfNeeded: tape[index])) - 1 }

  /// The value at the place of another value of the document; nil for none.
  @inlinable @_lifetime(copy self)
  public func at(_ other: Int?) -> JSONValue? {
    guard let other else { return nil }
    return at(other)
  }

  @inlinable @_lifetime(copy self)
  func at(_ other: Int) -> JSONValue {
    JSONValue(tape: tape, strings: strings, index: other)
  }
}

/// The type of a word on simdjson's tape, as `CSimdJSON.h` lists them.
@usableFromInline struct TapeMark: Equatable {
  @usableFromInline let rawValue: UInt8

  @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable static func == (left: TapeMark, right: TapeMark) -> Bool { left.rawValue == right.rawValue }

  @inlinable static var object: TapeMark { TapeMark(rawValue: UInt8(ascii: "{")) }
  @inlinable static var array: TapeMark { TapeMark(rawValue: UInt8(ascii: "[")) }
  @inlinable static var string: TapeMark { TapeMark(rawValue: UInt8(ascii: "\"")) }
  @inlinable static var signed: TapeMark { TapeMark(rawValue: UInt8(ascii: "l")) }
  @inlinable static var unsigned: TapeMark { TapeMark(rawValue: UInt8(ascii: "u")) }
  @inlinable static var double: TapeMark { TapeMark(rawValue: UInt8(ascii: "d")) }
  @inlinable static var null: TapeMark { TapeMark(rawValue: UInt8(ascii: "n")) }
  @inlinable static var `true`: TapeMark { TapeMark(rawValue: UInt8(ascii: "t")) }
  @inlinable static var `false`: TapeMark { TapeMark(rawValue: UInt8(ascii: "f")) }
}

/// The kinds of JSON values (RFC 8259, section 3).
public enum JSONKind: Equatable, Hashable, Sendable {
  /// The literal `null`.
  case null

  /// `true` or `false`.
  case bool

  /// A number, written as an integer or not: ``JSONValue/int`` and ``JSONValue/double`` tell.
  case number

  /// A string.
  case string

  /// An ordered list of values.
  case array

  /// An ordered list of keys with values, no key twice.
  case object
}

extension JSONValue {
  /// The unescaped UTF-8 bytes of the string, not copied, or `nil` if this is no string.
  ///
  ///     "a\u0000\n" -> 61 00 0A
  ///
  /// Always valid UTF-8. A NUL may stand anywhere: check before a path or a C string is made of it.
  @inlinable @inline(__always) public var stringBytes: Span<UInt8>? {
    @_lifetime(copy self)
    get {
      guard mark == .string else { return nil }
      return bytes
    }
  }

  /// The string, or `nil` if this is none. Allocates when it is longer than 15 bytes.
  package var string: String? {
    mark == .string ? bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// The bytes that the string's record in the buffer holds: 32 bits of length come first.
  @inlinable @inline(__always)
  var bytes: Span<UInt8> {
    @_lifetime(copy self)
    get {
      let record = Int(truncatingIfNeeded: tape[index] & 0x00FF_FFFF_FFFF_FFFF)
      let length = Int(strings.bytes.unsafeLoadUnaligned(fromByteOffset: record, as: UInt32.self))
      let start = record + MemoryLayout<UInt32>.size
      return strings.extracting(start..<start + length)
    }
  }
}
