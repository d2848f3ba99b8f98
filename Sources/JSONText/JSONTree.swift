/// A JSON value that owns its contents: for the command line, tests, and wherever ease matters more than speed.
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

    /// The value under the key.
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

extension JSONTree {
  /// The tree as JSON text.
  ///
  ///     JSONTree.array([1, 2]).text()                    // [1,2]
  ///     JSONTree.array([1, 2]).text(layout: .indented)   // the same on four lines, without a line break at the end
  package func text(layout: JSONWriter.Layout = .compact) -> String {
    var writer = JSONWriter(layout: layout)
    writer.value(self)
    return String(decoding: writer.take(), as: UTF8.self)
  }
}

extension JSONWriter {
  /// A tree, with all that is in it. A double that is infinite or not a number becomes `null`.
  package mutating func value(_ tree: JSONTree) {
    switch tree {
    case .null: null()
    case .bool(let truth): value(truth)
    case .int(let number): value(number)
    case .uint(let number): value(number)
    case .double(let number): value(number)
    case .string(let text): value(text)
    case .array(let elements):
      beginArray()
      for element in elements { value(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(escaping: member.key.utf8.span)
        value(member.value)
      }
      endObject()
    }
  }
}

extension JSONTree {
  /// The value that the text holds.
  ///
  ///     try JSONTree(parsing: "[true]")   // .array([.bool(true)])
  ///     try JSONTree(parsing: "[tru]")    // throws JSONError.syntax
  ///
  /// The limits and refusals are those of ``JSONParser``.
  package init(parsing text: String, maximumLength: Int = JSONParser.defaultMaximumLength) throws(JSONError) {
    try self.init(parsing: text.utf8.span, maximumLength: maximumLength)
  }

  /// The value that the bytes hold.
  package init(parsing bytes: Span<UInt8>, maximumLength: Int = JSONParser.defaultMaximumLength) throws(JSONError) {
    var parser = JSONParser(maximumLength: maximumLength)
    self.init(try parser.parse(bytes))
  }

  /// A copy of a parsed value and of all that is in it.
  package init(_ value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .bool: self = .bool(value.bool ?? false)
    case .number: self.init(number: value)
    case .string: self = .string(value.string ?? "")
    case .array: self.init(elementsOf: value)
    case .object: self.init(membersOf: value)
    }
  }

  private init(number: JSONValue) {
    if let integer = number.int {
      self = .int(integer)
    } else if let integer = number.uint {
      self = .uint(integer)
    } else {
      self = .double(number.double ?? .nan)
    }
  }

  private init(elementsOf array: JSONValue) {
    var copies: [JSONTree] = []
    copies.reserveCapacity(array.count)
    var elements = array.elements
    while let element = elements.next() { copies.append(JSONTree(element)) }
    self = .array(copies)
  }

  private init(membersOf object: JSONValue) {
    var copies: [Member] = []
    copies.reserveCapacity(object.count)
    var members = object.members
    while let member = members.next() {
      let key = member.key.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      copies.append(Member(key, JSONTree(member.value)))
    }
    self = .object(copies)
  }
}
