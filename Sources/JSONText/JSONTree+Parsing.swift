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
