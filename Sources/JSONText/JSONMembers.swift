/// A member of an object.
package struct JSONMember: ~Escapable {
  /// The unescaped UTF-8 bytes of the key.
  package let key: Span<UInt8>

  /// What stands under the key.
  package let value: JSONValue

  @_lifetime(copy key, copy value)
  init(key: Span<UInt8>, value: JSONValue) {
    self.key = key
    self.value = value
  }
}

/// A walk over the members of an object, in the order in which they were written. It allocates nothing.
package struct JSONMembers: ~Escapable {
  private let object: JSONValue
  private var place: Int
  private let end: Int

  @_lifetime(copy object)
  init(of object: JSONValue) {
    self.object = object
    place = object.index + 1
    end = object.mark == .object ? object.closing : place
  }

  /// The next member, or `nil` after the last.
  @_lifetime(copy self)
  package mutating func next() -> JSONMember? {
    guard place < end else { return nil }
    let value = object.at(place + 1)
    let key = object.at(place).bytes
    place = value.next
    return JSONMember(key: key, value: value)
  }
}
