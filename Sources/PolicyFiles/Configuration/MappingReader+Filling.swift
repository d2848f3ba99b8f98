extension MappingReader {
  /// Puts the value of `key` into `target`, which keeps its own when the key is left out or wrong.
  ///
  ///     reader.read("policyRequired", .bool, into: &settings.policyRequired)
  mutating func read<Value>(_ key: String, _ decoder: YAMLDecoder<Value>, into target: inout Value) {
    if let value = optional(key, decoder) { target = value }
  }
}

extension YAMLDecoder {
  /// A mapping as `mapping(_:)` reads it, in which some keys are refused with a hint of their own.
  ///
  ///     .mapping(refusing: ["pattern": "`pattern` is not supported yet"]) { reader in ... }
  ///
  /// They stay unknown keys: no hint elsewhere offers them.
  static func mapping(refusing hints: [String: String], _ body: @escaping (inout MappingReader) -> Value?) -> Self {
    Self("a mapping") { node, diagnostics in
      guard let mapping = node.mapping else { return node.decode(.mapping(body), into: &diagnostics) }
      let refused = mapping.entries.filter { hints[$0.key] != nil }
      for entry in refused {
        diagnostics.error(
          .unknownKey, at: entry.keyLocation, "unknown key \(entry.key.quoted)", hint: hints[entry.key])
      }
      let rest = YAMLMapping(
        mapping.entries.filter { hints[$0.key] == nil }, isComplete: mapping.isComplete && refused.isEmpty)
      return YAMLNode(.mapping(rest), at: node.location).decode(.mapping(body), into: &diagnostics)
    }
  }

  /// A list of which the good items are kept and the bad ones reported.
  ///
  /// For lists that others refer to: one bad rule must not make every test that names another rule an error.
  static func goodItems<Item>(of item: YAMLDecoder<Item>) -> Self where Value == [Item] {
    Self("a list") { node, diagnostics in
      // An empty list is decoded for its message, when the node is no list.
      guard let nodes = node.sequence else { return node.decode(.list(of: item), into: &diagnostics) }
      return nodes.compactMap { item.decode($0, into: &diagnostics) }
    }
  }

  /// A mapping from names that the author chose; `placeholder` stands for what could not be read, so that its name is
  /// known all the same.
  static func named<Item>(
    _ decoder: @escaping (Located<String>) -> YAMLDecoder<Item>, placeholder: @escaping (Located<String>) -> Item
  ) -> Self where Value == [Item] {
    .entries { name in
      YAMLDecoder<Item>("a mapping") { node, diagnostics in
        diagnostics.checkName(name)
        return decoder(name).decode(node, into: &diagnostics) ?? placeholder(name)
      }
    }
  }
}
