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
  /// An empty list is an error unless `minimum` is 0: "any of none" never holds, and is hardly what was meant.
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

  /// A mapping whose keys are names that the author chose; `decoder` says how the value of a name is read.
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
