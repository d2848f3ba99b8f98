/// A reader of one kind of value from a node: a type, its limits, and the message for any other value.
///
///     reader.required("port", .int(in: 1...65_535))
///     reader.required("mode", .choice(of: Mode.self))
///     reader.optional("hosts", .oneOrMany(of: .nonEmptyString))
///     reader.required("tls", .mapping(TLS.init))            // init?(_ reader: inout MappingReader)
///     root.decode(.mapping(Policy.init), into: &diagnostics)
///
/// Decoders are values: larger ones are composed of small ones, and extensions add new ones. A decoder that returns nil
/// has reported why. That is the one rule to keep when writing one.
package struct YAMLDecoder<Value> {
  /// The expected value, with an article, as in "expected a list, found nothing".
  package let expectation: String

  private let read: (YAMLNode, inout Diagnostics) -> Value?

  /// - Parameter read: Returns the value; or reports the problem, and returns nil. It never sees a refused node.
  package init(_ expectation: String, _ read: @escaping (YAMLNode, inout Diagnostics) -> Value?) {
    self.expectation = expectation
    self.read = read
  }

  /// The value of `node`, or nil when it has been reported, here or when the file was read.
  package func decode(_ node: YAMLNode, into diagnostics: inout Diagnostics) -> Value? {
    node.isRefused ? nil : read(node, &diagnostics)
  }
}

extension YAMLNode {
  /// This node decoded by `decoder`; nil when that has reported a problem.
  package func decode<Value>(_ decoder: YAMLDecoder<Value>, into diagnostics: inout Diagnostics) -> Value? {
    decoder.decode(self, into: &diagnostics)
  }
}

extension Diagnostics {
  /// Reports that `node` has the wrong type: "expected a list, found the number `8080`".
  ///
  /// Without a hint, a null node gets the advice to add a value or remove the key.
  package mutating func wrongType(
    _ node: YAMLNode, expected: String, hint: @autoclosure () -> String? = nil
  ) {
    let usual = node.isNull ? "give it a value, or remove the key" : nil
    error(.wrongType, at: node.location, "expected \(expected), found \(node.found)", hint: hint() ?? usual)
  }
}

extension YAMLDecoder {
  /// The value of `inner`, with its place.
  ///
  ///     reader.required("id", .located(.nonEmptyString))     // Located<String>?
  package static func located<Inner>(_ inner: YAMLDecoder<Inner>) -> Self where Value == Located<Inner> {
    Self(inner.expectation) { node, diagnostics in
      inner.decode(node, into: &diagnostics).map { Located($0, at: node.location) }
    }
  }

  /// The value of `inner`, converted in a way that always succeeds.
  ///
  ///     .converting(.list(of: .string), Set.init)
  package static func converting<Inner>(_ inner: YAMLDecoder<Inner>, _ convert: @escaping (Inner) -> Value) -> Self {
    Self(inner.expectation) { node, diagnostics in inner.decode(node, into: &diagnostics).map(convert) }
  }

  /// The value of `inner`, if `problem` finds nothing wrong with it; the text it returns becomes an error with `code`.
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
  /// The node as it is, to be decoded later, when its type is known.
  package static var node: Self {
    Self("a value") { node, _ in node }
  }
}

extension YAMLDecoder {
  /// A mapping with known keys, read by `body`. Keys that it does not ask for are reported when it returns.
  ///
  ///     .mapping(Listener.init)      // with init?(_ reader: inout MappingReader)
  package static func mapping(_ body: @escaping (inout MappingReader) -> Value?) -> Self {
    Self("a mapping") { node, diagnostics in
      guard let mapping = node.mapping else {
        diagnostics.wrongType(node, expected: "a mapping")
        return nil
      }
      return MappingReader.read(mapping, at: node.location, into: &diagnostics, body)
    }
  }

  /// A list; every item is read, also after a bad one, and nil is returned if any was bad.
  ///
  ///     .list(of: .string)
  ///     .list(of: .mapping(Rule.init), atLeast: 1)
  package static func list<Item>(of item: YAMLDecoder<Item>, atLeast minimum: Int = 0) -> Self
  where Value == [Item] {
    Self("a list") { node, diagnostics in
      guard let nodes = node.sequence else {
        diagnostics.wrongType(node, expected: "a list", hint: node.listHint)
        return nil
      }
      return read(nodes, of: item, atLeast: minimum, at: node.location, into: &diagnostics)
    }
  }

  /// One value, or a list of such values: `host: a.example` is the same as `host: [a.example]`.
  ///
  /// An empty list is an error unless `minimum` is 0: "any of none" never holds, and was hardly meant.
  package static func oneOrMany<Item>(of item: YAMLDecoder<Item>, atLeast minimum: Int = 1) -> Self
  where Value == [Item] {
    let expectation = "\(item.expectation) or a list"
    return Self(expectation) { node, diagnostics in
      if let nodes = node.sequence {
        return read(nodes, of: item, atLeast: minimum, at: node.location, into: &diagnostics)
      }
      return item.decode(node, into: &diagnostics).map { [$0] }
    }
  }

  private static func read<Item>(
    _ nodes: [YAMLNode], of item: YAMLDecoder<Item>, atLeast minimum: Int, at location: SourceLocation,
    into diagnostics: inout Diagnostics
  ) -> [Item]? {
    guard nodes.count >= minimum else {
      let items = minimum == 1 ? "item" : "items"
      diagnostics.error(
        .outOfRange, at: location,
        "expected at least \(minimum) \(items), found \(nodes.isEmpty ? "none" : "\(nodes.count)")")
      return nil
    }
    var values: [Item] = []
    for node in nodes {
      if let value = item.decode(node, into: &diagnostics) { values.append(value) }
    }
    return values.count == nodes.count ? values : nil
  }

  /// A mapping whose keys are names that the author chose; `decoder` reads the value of a name.
  ///
  ///     apps:
  ///       mail: { unit: mail.service }
  ///
  ///     reader.required("apps", .entries { name in .mapping { reader in App(name, &reader) } })   // [App]?
  ///
  /// The order is that of the file. Nil is returned if any entry was bad, after all were read.
  package static func entries<Item>(_ decoder: @escaping (Located<String>) -> YAMLDecoder<Item>) -> Self
  where Value == [Item] {
    Self("a mapping") { node, diagnostics in
      guard let entries = node.mapping?.entries else {
        diagnostics.wrongType(node, expected: "a mapping", hint: node.isNull ? "write `{}` for an empty mapping" : nil)
        return nil
      }
      var values: [Item] = []
      for entry in entries {
        let name = Located(entry.key, at: entry.keyLocation)
        if let value = decoder(name).decode(entry.value, into: &diagnostics) { values.append(value) }
      }
      return values.count == entries.count ? values : nil
    }
  }
}

extension YAMLNode {
  fileprivate var listHint: String? {
    if isNull { return "write `[]` for an empty list" }
    return scalar == nil ? nil : "write `- ` in front of each item, or put them in `[...]`"
  }
}
