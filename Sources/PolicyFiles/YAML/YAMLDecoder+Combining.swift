extension YAMLDecoder {
  /// What `inner` reads, with the place it was read from.
  ///
  ///     reader.required("id", .located(.nonEmptyString))     // Located<String>?
  package static func located<Inner>(_ inner: YAMLDecoder<Inner>) -> Self where Value == Located<Inner> {
    Self(inner.expectation) { node, diagnostics in
      inner.decode(node, into: &diagnostics).map { Located($0, at: node.location) }
    }
  }

  /// What `inner` reads, turned into something else that always succeeds.
  ///
  ///     .converting(.list(of: .string), Set.init)
  package static func converting<Inner>(_ inner: YAMLDecoder<Inner>, _ convert: @escaping (Inner) -> Value) -> Self {
    Self(inner.expectation) { node, diagnostics in inner.decode(node, into: &diagnostics).map(convert) }
  }

  /// What `inner` reads, if `problem` finds nothing wrong with it; the text it returns becomes an error with `code`.
  ///
  ///     .checked(.int, "odd-number") { $0.isMultiple(of: 2) ? nil : "\($0) is odd" }
  package static func checked(
    _ inner: Self, _ code: Diagnostic.Code, hint: String? = nil, _ problem: @escaping (Value) -> String?
  ) -> Self {
    Self(inner.expectation) { node, diagnostics in
      guard let value = inner.decode(node, into: &diagnostics) else { return nil }
      guard let message = problem(value) else { return value }
      diagnostics.error(code, at: node.location, message, hint: hint)
      return nil
    }
  }

  /// A string that `parse` understands; nil from it is an error with `code`: "`x` is not a host name".
  ///
  ///     .parsed(as: "a host name", "invalid-host", Host.init)
  package static func parsed(
    as expectation: String, _ code: Diagnostic.Code, hint: String? = nil, _ parse: @escaping (String) -> Value?
  ) -> Self {
    Self(expectation) { node, diagnostics in
      guard let text = YAMLDecoder<String>.string.decode(node, into: &diagnostics) else { return nil }
      if let value = parse(text) { return value }
      diagnostics.error(code, at: node.location, "\(text.quoted) is not \(expectation)", hint: hint)
      return nil
    }
  }

  /// A value that may be written in several shapes; a shape that is left out is an error.
  ///
  ///     .byShape(scalar: .converting(.string, Source.name), mapping: .mapping(Source.init))
  package static func byShape(scalar: Self? = nil, list: Self? = nil, mapping: Self? = nil) -> Self {
    let expectation = [scalar, list, mapping].compactMap(\.?.expectation).joined(separator: " or ")
    return Self(expectation) { node, diagnostics in
      let decoder =
        switch node.content {
        case .scalar: node.isNull ? nil : scalar
        case .sequence: list
        case .mapping: mapping
        case .refused: Self?.none
        }
      guard let decoder else {
        diagnostics.wrongType(node, expected: expectation)
        return nil
      }
      return decoder.decode(node, into: &diagnostics)
    }
  }
}

extension YAMLDecoder where Value == YAMLNode {
  /// The node as it is, to be decoded later, when it is known as what.
  package static var node: Self {
    Self("a value") { node, _ in node }
  }
}
