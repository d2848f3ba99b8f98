/// A value together with the place it was read from, for checks that need to point back at it later.
///
///     let id = reader.required("id", .located(.string))   // Located<String>?
///     diagnostics.error("duplicate-rule", at: id.location, "rule \(id.value.quoted) exists already")
package struct Located<Value> {
  package var value: Value
  package var location: SourceLocation

  package init(_ value: Value, at location: SourceLocation) {
    self.value = value
    self.location = location
  }
}

extension Located: Sendable where Value: Sendable {}
extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
