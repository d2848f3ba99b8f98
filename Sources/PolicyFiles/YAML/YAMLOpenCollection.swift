/// A list or mapping that is being read.
struct YAMLOpenCollection {
  enum Kind {
    case sequence
    case mapping
  }

  /// What the next node of a mapping is.
  private enum Expected {
    case key
    case value(of: String, at: SourceLocation)
    /// The value of a key that was refused.
    case droppedValue
  }

  private let kind: Kind
  private let location: SourceLocation
  private var items: [YAMLNode] = []
  private var entries: [YAMLMapping.Entry] = []
  /// Where each key stands in `entries`; filled only once a look through them all would be slow.
  private var index: [String: Int] = [:]
  private var expected = Expected.key
  private var isComplete = true

  /// Entries up to which looking at each is faster than a dictionary.
  private static let maximumUnindexed = 16

  init(_ kind: Kind, at location: SourceLocation) {
    self.kind = kind
    self.location = location
  }

  /// Whether the next node is a key.
  var isAtKey: Bool {
    guard kind == .mapping, case .key = expected else { return false }
    return true
  }

  mutating func markIncomplete() {
    isComplete = false
  }

  /// The finished list or mapping. A key that still waits for its value is left out.
  func node() -> YAMLNode {
    switch kind {
    case .sequence: YAMLNode(.sequence(items), at: location)
    case .mapping: YAMLNode(.mapping(YAMLMapping(entries, isComplete: isComplete)), at: location)
    }
  }

  /// Adds the next item, key or value.
  mutating func add(_ node: YAMLNode, into diagnostics: inout Diagnostics) {
    if isAtKey {
      addKey(node, into: &diagnostics)
    } else {
      addWithoutCheck(node)
    }
  }

  /// Adds the next item or value, and drops what stands at the place of a key.
  mutating func addWithoutCheck(_ node: YAMLNode) {
    guard kind == .mapping else { return items.append(node) }
    if case .value(let key, let keyLocation) = expected {
      if entries.count >= Self.maximumUnindexed { indexEntries() }
      entries.append(YAMLMapping.Entry(key: key, keyLocation: keyLocation, value: node))
    }
    expected = isAtKey ? .droppedValue : .key
  }

  private mutating func indexEntries() {
    for position in index.count..<entries.count { index[entries[position].key] = position }
  }

  private mutating func addKey(_ node: YAMLNode, into diagnostics: inout Diagnostics) {
    expected = .droppedValue
    guard let scalar = node.scalar else {
      isComplete = false
      return
    }
    if scalar.isPlain, scalar.text == "<<" {
      isComplete = false
      diagnostics.error(.mergeKey, at: node.location, "merge key `<<` is not allowed", hint: "write the keys out")
    } else if scalar.resolved == .null {
      isComplete = false
      let hint = scalar.text.isEmpty ? "write `key: value`" : "put it in quotes if it is a name"
      diagnostics.error(.emptyKey, at: node.location, "a key may not be \(scalar.found)", hint: hint)
    } else if let first = firstLocation(of: scalar.text) {
      diagnostics.error(
        .duplicateKey, at: node.location, "duplicate key \(scalar.text.quoted), first at \(first)",
        hint: "keep one of the two")
    } else {
      expected = .value(of: scalar.text, at: node.location)
    }
  }

  private func firstLocation(of key: String) -> SourceLocation? {
    if let position = index[key] { return entries[position].keyLocation }
    return entries[index.count...].first { $0.key == key }?.keyLocation
  }
}
