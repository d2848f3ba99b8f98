import PolicyFiles

/// The keys that a schema of `docs/schema` knows, by the paths that lead to them, with what each may be.
///
///     SchemaKeys(schema).keys["apps.*.peers.*.uid"]
///
/// `*` stands for a name that the author chooses, and for any item of a list.
struct SchemaKeys {
  private let root: YAMLMapping
  private(set) var keys: [String: [YAMLMapping]] = [:]

  init(_ root: YAMLMapping) {
    self.root = root
    add(root, at: [], within: [])
  }

  /// What may stand at a path, numbers and chosen names being `*`.
  func schemas(at path: [String]) -> [YAMLMapping] { keys[path.joined(separator: ".")] ?? [] }

  /// A path in a file as a path of the schema: numbers and chosen names become `*`.
  func general(_ path: [String]) -> [String] {
    path.reduce(into: []) { found, step in
      found.append(keys[(found + [step]).joined(separator: ".")] == nil ? "*" : step)
    }
  }

  /// The words that may stand there.
  func words(at path: [String]) -> [String] {
    schemas(at: path).flatMap { $0["enum"]?.sequence ?? [] }.compactMap { $0.scalar?.text }
  }

  func standard(at path: [String]) -> TextTree? {
    schemas(at: path).lazy.compactMap { $0["default"] }.first.map(TextTree.init)
  }

  /// - Parameter within: the definitions that led here. Groups hold groups, so each is followed once.
  private mutating func add(_ schema: YAMLMapping, at path: [String], within: [String]) {
    keys[path.joined(separator: "."), default: []].append(schema)
    if let name = schema["$ref"]?.scalar?.text.split(separator: "/").last.map(String.init), !within.contains(name) {
      if let definition = root["$defs"]?.mapping?[name]?.mapping {
        add(definition, at: path, within: within + [name])
      }
    }
    for entry in schema["properties"]?.mapping?.entries ?? [] {
      if let value = entry.value.mapping { add(value, at: path + [entry.key], within: within) }
    }
    for keyword in ["additionalProperties", "items"] {
      if let value = schema[keyword]?.mapping { add(value, at: path + ["*"], within: within) }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
      for choice in schema[keyword]?.sequence ?? [] {
        if let value = choice.mapping { add(value, at: path, within: within) }
      }
    }
    for keyword in ["then", "else"] {
      if let value = schema[keyword]?.mapping { add(value, at: path, within: within) }
    }
  }
}
