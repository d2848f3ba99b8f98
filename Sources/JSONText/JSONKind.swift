/// What a JSON value is (RFC 8259, section 3).
package enum JSONKind: Equatable, Hashable, Sendable {
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
