import PolicyFiles

/// A JSON Schema of `docs/schema`, as far as ours use the language (draft 2020-12): enough to say yes or no.
///
/// A keyword that is not known here stops the test: it would otherwise be a condition that nobody checks.
struct ConfigurationSchema {
  struct UnknownKeyword: Error { let keyword: String }

  private let root: YAMLMapping

  init(_ root: YAMLMapping) { self.root = root }

  func accepts(_ node: YAMLNode) throws -> Bool { try accepts(node, root) }

  private func accepts(_ node: YAMLNode, _ schema: YAMLMapping) throws -> Bool {
    for entry in schema.entries where try !holds(entry.key, entry.value, of: node, in: schema) { return false }
    return true
  }

  private func accepts(_ node: YAMLNode, _ schema: YAMLNode) throws -> Bool {
    if let mapping = schema.mapping { return try accepts(node, mapping) }
    return schema.scalar?.text == "true"
  }

  private func holds(_ keyword: String, _ value: YAMLNode, of node: YAMLNode, in schema: YAMLMapping) throws -> Bool {
    switch keyword {
    case "$schema", "$id", "$defs", "title", "description", "default": return true
    case "$ref": return try definition(value).map { try accepts(node, $0) } ?? false
    case "anyOf": return try count(value, accepting: node) > 0
    case "oneOf": return try count(value, accepting: node) == 1
    case "allOf": return try count(value, accepting: node) == value.sequence?.count
    case "not": return try !accepts(node, value)
    // One type, or a list of them.
    case "type": return (value.sequence ?? [value]).contains { JSONType(node).isOf($0.scalar?.text) }
    case "enum": return value.sequence?.contains { JSONType.isSame($0, node) } ?? false
    case "const": return JSONType.isSame(value, node)
    default:
      if let text = node.scalar?.text, let answer = try scalar(keyword, value, text, JSONType(node)) { return answer }
      if let mapping = node.mapping, let answer = try object(keyword, value, mapping, schema) { return answer }
      if let items = node.sequence, let answer = try array(keyword, value, items, schema) { return answer }
      guard Self.typedKeywords.contains(keyword) else { throw UnknownKeyword(keyword: keyword) }
      return true
    }
  }

  /// Keywords that say nothing of values of another type.
  private static let typedKeywords: Set<String> = [
    "minLength", "maxLength", "pattern", "minimum", "maximum", "properties", "required", "additionalProperties",
    "propertyNames", "minProperties", "dependentRequired", "items", "prefixItems", "contains", "minItems",
  ]

  private func definition(_ reference: YAMLNode) -> YAMLMapping? {
    let name = reference.scalar?.text.split(separator: "/").last.map(String.init)
    return name.flatMap { root["$defs"]?.mapping?[$0]?.mapping }
  }

  private func count(_ schemas: YAMLNode, accepting node: YAMLNode) throws -> Int {
    try schemas.sequence?.count { try accepts(node, $0) } ?? 0
  }
}

extension ConfigurationSchema {
  private func scalar(_ keyword: String, _ value: YAMLNode, _ text: String, _ type: JSONType) throws -> Bool? {
    let number = value.scalar.flatMap { Int($0.text) } ?? 0
    switch (keyword, type) {
    case ("minLength", .string): return text.unicodeScalars.count >= number
    case ("maxLength", .string): return text.unicodeScalars.count <= number
    case ("minimum", .integer): return (Int(text) ?? .min) >= number
    case ("maximum", .integer): return (Int(text) ?? .max) <= number
    case ("pattern", .string):
      let pattern = try _StringProcessing.Regex(value.scalar?.text ?? "").matchingSemantics(.unicodeScalar)
      return text.firstMatch(of: pattern) != nil
    default: return nil
    }
  }

  private func object(
    _ keyword: String, _ value: YAMLNode, _ mapping: YAMLMapping, _ schema: YAMLMapping
  ) throws -> Bool? {
    switch keyword {
    case "required":
      return value.sequence?.allSatisfy { $0.scalar.flatMap { mapping[$0.text] } != nil }
    case "properties":
      return try value.mapping?.entries.allSatisfy { entry in
        try mapping[entry.key].map { try accepts($0, entry.value) } ?? true
      }
    case "additionalProperties":
      let known = schema["properties"]?.mapping
      return try mapping.entries.allSatisfy { try known?[$0.key] != nil || accepts($0.value, value) }
    case "propertyNames":
      return try mapping.entries.allSatisfy {
        try accepts(YAMLNode(.scalar(YAMLScalar($0.key, isPlain: false)), at: $0.keyLocation), value)
      }
    case "minProperties": return mapping.entries.count >= (value.scalar.flatMap { Int($0.text) } ?? 0)
    case "dependentRequired":
      return value.mapping?.entries.allSatisfy { entry in
        mapping[entry.key] == nil || entry.value.sequence?.allSatisfy { mapping[$0.scalar?.text ?? ""] != nil } == true
      }
    default: return nil
    }
  }

  private func array(
    _ keyword: String, _ value: YAMLNode, _ items: [YAMLNode], _ schema: YAMLMapping
  ) throws -> Bool? {
    let prefix = schema["prefixItems"]?.sequence ?? []
    switch keyword {
    case "items": return try items.dropFirst(prefix.count).allSatisfy { try accepts($0, value) }
    case "prefixItems": return try zip(items, prefix).allSatisfy { try accepts($0, $1) }
    case "contains": return try items.contains { try accepts($0, value) }
    case "minItems": return items.count >= (value.scalar.flatMap { Int($0.text) } ?? 0)
    default: return nil
    }
  }
}

/// The type that JSON gives to what a YAML file says.
enum JSONType: Equatable {
  case null
  case boolean
  case integer
  case number
  case string
  case array
  case object
  case nothing

  init(_ node: YAMLNode) {
    switch node.content {
    case .sequence: self = .array
    case .mapping: self = .object
    case .refused: self = .nothing
    case .scalar(let scalar):
      switch scalar.resolved {
      case .null: self = .null
      case .bool: self = .boolean
      case .int: self = .integer
      case .float: self = .number
      case .string: self = .string
      }
    }
  }

  var name: String { "\(self)" }

  /// Whether it is the type of a schema; an integer is a number too.
  func isOf(_ type: String?) -> Bool { name == type || self == .integer && type == "number" }

  /// Whether two scalars are the same JSON value.
  static func isSame(_ one: YAMLNode, _ other: YAMLNode) -> Bool {
    JSONType(one) == JSONType(other) && one.scalar != nil && one.scalar?.text == other.scalar?.text
  }
}
