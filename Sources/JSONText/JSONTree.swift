/// A JSON value that owns what it holds: for the command line, tests, and wherever ease matters more than speed.
///
///     let tree = try JSONTree(parsing: #"{"a":[1,2.5,null]}"#)
///     tree["a"]?[1]          // .double(2.5)
///     tree.text()            // {"a":[1,2.5,null]}
///
/// The members of an object keep their order, and two objects with another order are not equal.
package indirect enum JSONTree: Equatable, Hashable, Sendable {
  /// The literal `null`.
  case null

  /// `true` or `false`.
  case bool(Bool)

  /// A number that is written as an integer and fits.
  case int(Int64)

  /// An integer that is greater than `Int64.max`. Reading gives ``int(_:)`` for all others.
  case uint(UInt64)

  /// A number that is not written as an integer.
  case double(Double)

  /// A string.
  case string(String)

  /// The elements in order.
  case array([JSONTree])

  /// The members in order. A tree that was read has no key twice; one that was built may, and no reader would take it.
  case object([Member])

  /// A member of an object.
  package struct Member: Equatable, Hashable, Sendable {
    /// The key, unescaped.
    package var key: String

    /// What stands under the key.
    package var value: JSONTree

    /// A member with that key and value.
    package init(_ key: String, _ value: JSONTree) {
      self.key = key
      self.value = value
    }
  }

  /// The value of the first member with that key, or `nil` if there is none or this is no object.
  ///
  /// Keys are compared by their bytes, not by Unicode equivalence as strings are.
  package subscript(key: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  /// The element with that index, or `nil` if there is none or this is no array.
  package subscript(index: Int) -> JSONTree? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The elements, or `nil` if this is no array.
  package var array: [JSONTree]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The string, or `nil` if this is none.
  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The integer, or `nil` if this is none or it does not fit.
  package var int: Int64? {
    guard case .int(let number) = self else { return nil }
    return number
  }

  /// The truth value, or `nil` if this is none.
  package var bool: Bool? {
    guard case .bool(let truth) = self else { return nil }
    return truth
  }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  /// A string.
  package init(stringLiteral text: String) { self = .string(text) }

  /// An integer.
  package init(integerLiteral number: Int64) { self = .int(number) }

  /// `true` or `false`.
  package init(booleanLiteral truth: Bool) { self = .bool(truth) }
}

extension JSONTree: ExpressibleByFloatLiteral, ExpressibleByNilLiteral {
  /// A number that is not written as an integer.
  package init(floatLiteral number: Double) { self = .double(number) }

  /// The literal `null`.
  package init(nilLiteral: ()) { self = .null }
}

extension JSONTree: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// An array.
  package init(arrayLiteral elements: JSONTree...) { self = .array(elements) }

  /// An object, with the members in the order of the literal.
  package init(dictionaryLiteral members: (String, JSONTree)...) {
    self = .object(members.map { Member($0, $1) })
  }
}
