/// One value of a YAML file, with the place where it begins.
///
///     let root = YAMLReader.read("port: 8080".utf8Span.span, file: "a.yaml", into: &diagnostics)
///     root?.mapping?["port"]?.scalar?.text          // "8080"
///     root?.mapping?["port"]?.location.description   // "a.yaml:1:7"
///
/// Nothing is resolved yet: `8080`, `true` and `~` are scalars until a `YAMLDecoder` asks for a type.
package struct YAMLNode: Sendable, Hashable {
  /// The shape of the value.
  package enum Content: Sendable, Hashable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping(YAMLMapping)
    /// Something was here that is not allowed (an alias, a tagged value, too deep a nesting), and has been reported.
    /// Decoders pass over it in silence, so that one mistake is told once.
    case refused
  }

  package let location: SourceLocation
  package let content: Content

  package init(_ content: Content, at location: SourceLocation) {
    self.content = content
    self.location = location
  }

  /// The scalar, when the value is one.
  package var scalar: YAMLScalar? {
    if case .scalar(let scalar) = content { scalar } else { nil }
  }

  /// The items, when the value is a sequence.
  package var sequence: [YAMLNode]? {
    if case .sequence(let items) = content { items } else { nil }
  }

  /// The entries, when the value is a mapping.
  package var mapping: YAMLMapping? {
    if case .mapping(let mapping) = content { mapping } else { nil }
  }

  /// Whether the value is `null`, `~` or nothing at all.
  package var isNull: Bool { scalar?.resolved == .null }

  /// Whether a diagnostic has been given instead of the value.
  package var isRefused: Bool { content == .refused }
}

extension YAMLNode {
  /// A description of the value for a message: "a list", "the number `8080`", "nothing", "`blok`".
  package var found: String {
    switch content {
    case .scalar(let scalar): scalar.found
    case .sequence: "a list"
    case .mapping: "a mapping"
    case .refused: "something that is not allowed"
    }
  }
}

/// The entries of a YAML mapping in the order of the file; no key stands in it twice.
package struct YAMLMapping: Sendable, Hashable {
  /// One key and its value.
  package struct Entry: Sendable, Hashable {
    package let key: String
    package let keyLocation: SourceLocation
    package let value: YAMLNode

    package init(key: String, keyLocation: SourceLocation, value: YAMLNode) {
      self.key = key
      self.keyLocation = keyLocation
      self.value = value
    }
  }

  package let entries: [Entry]

  /// False when entries may be missing that the author did write: reading broke off inside the mapping, or an entry was
  /// refused. Then a missing key is no error of its own.
  package let isComplete: Bool

  package init(_ entries: [Entry], isComplete: Bool = true) {
    self.entries = entries
    self.isComplete = isComplete
  }

  /// The value of `key`, or nil. Keys are compared as Swift compares text: composed and decomposed letters are equal.
  package subscript(key: String) -> YAMLNode? {
    entries.first { $0.key == key }?.value
  }
}
