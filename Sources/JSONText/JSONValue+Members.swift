internal import Bytes

extension JSONValue {
  /// Number of members of the object or elements of the array, and 0 for everything else.
  ///
  /// Known without a walk, but stops at 16,777,215.
  package var count: Int {
    switch mark {
    case .object, .array: Int(truncatingIfNeeded: tape[index] >> 32 & 0xFF_FFFF)
    default: 0
    }
  }

  /// The value of the member with that key, or `nil` if there is none or this is no object.
  ///
  ///     root["parameters"]?["event"]?["url"]?.string
  ///
  /// Walks the members in order. Keys are compared byte for byte after unescaping.
  package subscript(key: StaticString) -> JSONValue? {
    @_lifetime(copy self)
    get {
      guard let found = key.withUTF8Buffer({ find($0.span) }) else { return nil }
      return at(found)
    }
  }

  /// The members of the object in order, none for everything else.
  ///
  ///     var members = root.members
  ///     while let member = members.next() { use(member.key, member.value) }
  @inlinable public var members: JSONMembers {
    @_lifetime(copy self)
    get { JSONMembers(of: self) }
  }

  /// The elements of the array in order, none for everything else.
  ///
  ///     var elements = root.elements
  ///     while let element = elements.next() { use(element) }
  @inlinable public var elements: JSONElements {
    @_lifetime(copy self)
    get { JSONElements(of: self) }
  }

  private func find(_ key: Span<UInt8>) -> Int? {
    guard mark == .object else { return nil }
    let end = closing
    var place = index + 1
    while place < end {
      let value = at(place + 1)
      if at(place).bytes.matches(key) { return place + 1 }
      place = value.next
    }
    return nil
  }
}

/// A walk over the elements of an array. It allocates nothing.
public struct JSONElements: ~Escapable {
  @usableFromInline let array: JSONValue
  @usableFromInline var place: Int
  @usableFromInline let end: Int

  @inlinable @_lifetime(copy array)
  init(of array: JSONValue) {
    self.array = array
    place = array.index + 1
    end = array.mark == .array ? array.closing : place
  }

  /// The next element, or `nil` after the last.
  @inlinable @_lifetime(copy self)
  public mutating func next() -> JSONValue? {
    guard place < end else { return nil }
    let element = array.at(place)
    place = element.next
    return element
  }
}

/// A member of an object.
public struct JSONMember: ~Escapable {
  /// The unescaped UTF-8 bytes of the key.
  public let key: Span<UInt8>

  /// The value under the key.
  public let value: JSONValue

  @inlinable @_lifetime(copy key, copy value)
  init(key: Span<UInt8>, value: JSONValue) {
    self.key = key
    self.value = value
  }
}

/// A walk over the members of an object, in the order in which they were written. It allocates nothing.
public struct JSONMembers: ~Escapable {
  @usableFromInline let object: JSONValue
  @usableFromInline var place: Int
  @usableFromInline let end: Int

  @inlinable @inline(__always) @_lifetime(copy object)
  init(of object: JSONValue) {
    self.object = object
    place = object.index + 1
    end = object.mark == .object ? object.closing : place
  }

  /// The next member, or `nil` after the last.
  @inlinable @inline(__always) @_lifetime(copy self)
  public mutating func next() -> JSONMember? {
    guard place < end else { return nil }
    let value = object.at(place + 1)
    let key = object.at(place).bytes
    place = value.next
    return JSONMember(key: key, value: value)
  }
}
