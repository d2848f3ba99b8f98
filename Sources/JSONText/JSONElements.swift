/// A walk over the elements of an array. It allocates nothing.
package struct JSONElements: ~Escapable {
  private let array: JSONValue
  private var place: Int
  private let end: Int

  @_lifetime(copy array)
  init(of array: JSONValue) {
    self.array = array
    place = array.index + 1
    end = array.mark == .array ? array.closing : place
  }

  /// The next element, or `nil` after the last.
  @_lifetime(copy self)
  package mutating func next() -> JSONValue? {
    guard place < end else { return nil }
    let element = array.at(place)
    place = element.next
    return element
  }
}
