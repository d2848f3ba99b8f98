/// Builds the tree from libyaml's events, and refuses forbidden elements.
///
/// A state machine without recursion: open lists and mappings wait on a stack of bounded depth.
struct YAMLNodeBuilder {
  enum Step {
    case `continue`
    case stop
  }

  /// libyaml's expansion of `!!` (YAML 1.2.2, section 6.8.2.1).
  private static let coreTagPrefix = "tag:yaml.org,2002:"

  private let file: String
  private var stack: [YAMLOpenCollection] = []
  /// The number of open collections below the deepest that is kept.
  private var skippedDepth = 0
  private var skippedLocation: SourceLocation?
  private var documents = 0
  private var root: YAMLNode?
  private var hasBrokenOff = false

  init(file: String) {
    self.file = file
  }

  mutating func handle(_ event: YAMLEvent, into diagnostics: inout Diagnostics) -> Step {
    let location = SourceLocation(file: file, line: event.mark.line, column: event.mark.column)
    refuseProperties(of: event, at: location, into: &diagnostics)
    switch event.kind {
    case .documentStart(let version, let hasTagDirectives):
      return startDocument(version, hasTagDirectives, at: location, into: &diagnostics)
    case .alias:
      let hint = "write the value out, or put it in quotes if the `*` belongs to it"
      let name = "*\(event.anchor ?? "")"
      diagnostics.error(.alias, at: location, "alias \(name.quoted) is not allowed", hint: hint)
      complete(YAMLNode(.refused, at: location), into: &diagnostics)
    case .scalar(let scalar):
      complete(node(scalar, isTagged: event.tag != nil, at: location, into: &diagnostics), into: &diagnostics)
    case .sequenceStart: return open(.sequence, at: location, into: &diagnostics)
    case .mappingStart: return open(.mapping, at: location, into: &diagnostics)
    case .collectionEnd: close(into: &diagnostics)
    case .streamEnd, .failure: return .stop
    case .streamStart, .documentEnd: break
    }
    return .continue
  }

  /// Closes the open collections as they are: the rest of the file could not be read.
  mutating func breakOff() {
    hasBrokenOff = true
    skippedDepth = 0
    while var collection = stack.popLast() {
      collection.markIncomplete()
      let node = collection.node()
      if stack.isEmpty {
        root = node
      } else {
        stack[stack.count - 1].addWithoutCheck(node)
      }
    }
  }

  /// The root; an empty file is reported here.
  func finish(into diagnostics: inout Diagnostics) -> YAMLNode? {
    let isEmpty = root.map { $0.scalar == YAMLScalar("", isPlain: true) } ?? !hasBrokenOff
    guard isEmpty else { return root }
    diagnostics.error(.emptyFile, at: SourceLocation(file: file), "file has no content")
    return nil
  }
}

extension YAMLNodeBuilder {
  private mutating func startDocument(
    _ version: String?, _ hasTagDirectives: Bool, at location: SourceLocation, into diagnostics: inout Diagnostics
  ) -> Step {
    documents += 1
    guard documents == 1 else {
      let hint = "make it a file of its own"
      diagnostics.error(.multipleDocuments, at: location, "a second document begins here", hint: hint)
      return .stop
    }
    if let version, version != "1.2" {
      diagnostics.error(.yamlVersion, at: location, "file asks for YAML \(version), not 1.2", hint: "remove the line")
    }
    if hasTagDirectives {
      diagnostics.error(.tag, at: location, "tag directives are not allowed", hint: "remove the `%TAG` lines")
    }
    return .continue
  }

  private func refuseProperties(
    of event: YAMLEvent, at location: SourceLocation, into diagnostics: inout Diagnostics
  ) {
    if case .alias = event.kind { return }
    if let anchor = event.anchor {
      let hint = "remove it, or put the value in quotes if the `&` belongs to it"
      diagnostics.error(.anchor, at: location, "anchor \("&\(anchor)".quoted) is not allowed", hint: hint)
    }
    if let tag = event.tag {
      let hint = "remove it, or put the value in quotes if the `!` belongs to it"
      let written = tag.hasPrefix(Self.coreTagPrefix) ? "!!" + tag.dropFirst(Self.coreTagPrefix.count) : tag
      diagnostics.error(.tag, at: location, "tag \(written.quoted) is not allowed", hint: hint)
    }
  }

  private func node(
    _ scalar: YAMLScalar, isTagged: Bool, at location: SourceLocation, into diagnostics: inout Diagnostics
  ) -> YAMLNode {
    // C would end the text at the NUL: a path or name would be checked whole and used cut.
    if scalar.text.utf8.contains(0) {
      diagnostics.error(.nul, at: location, "NUL character in a value", hint: "remove the `\\0`")
      return YAMLNode(.refused, at: location)
    }
    return YAMLNode(isTagged ? .refused : .scalar(scalar), at: location)
  }

  private mutating func open(
    _ kind: YAMLOpenCollection.Kind, at location: SourceLocation, into diagnostics: inout Diagnostics
  ) -> Step {
    if skippedDepth == 0 {
      if let parent = stack.last, parent.isAtKey { reportKey(kind, at: location, into: &diagnostics) }
      guard stack.count >= YAMLReader.maximumDepth else {
        stack.append(YAMLOpenCollection(kind, at: location))
        return .continue
      }
      skippedLocation = location
      let message = "nested more than \(YAMLReader.maximumDepth) levels deep"
      diagnostics.error(.tooDeep, at: location, message, hint: "is a bracket never closed?")
    }
    skippedDepth += 1
    guard stack.count + skippedDepth > YAMLReader.maximumSkippedDepth else { return .continue }
    breakOff()
    return .stop
  }

  private mutating func close(into diagnostics: inout Diagnostics) {
    if skippedDepth > 0 {
      skippedDepth -= 1
      if skippedDepth == 0, let location = skippedLocation {
        complete(YAMLNode(.refused, at: location), into: &diagnostics)
      }
    } else if let collection = stack.popLast() {
      complete(collection.node(), into: &diagnostics)
    }
  }

  private mutating func complete(_ node: YAMLNode, into diagnostics: inout Diagnostics) {
    guard skippedDepth == 0 else { return }
    if stack.isEmpty {
      root = node
    } else {
      stack[stack.count - 1].add(node, into: &diagnostics)
    }
  }

  private func reportKey(
    _ kind: YAMLOpenCollection.Kind, at location: SourceLocation, into diagnostics: inout Diagnostics
  ) {
    let what = kind == .sequence ? "a list" : "a mapping"
    let hint = "put the key in quotes if the bracket belongs to it"
    diagnostics.error(.nonScalarKey, at: location, "\(what) may not be a key", hint: hint)
  }
}

/// A list or mapping that is being read.
struct YAMLOpenCollection {
  enum Kind {
    case sequence
    case mapping
  }

  /// The role of the next node of a mapping.
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
  /// The index of each key in `entries`; filled only once a search through them all would be slow.
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

  /// Adds the next item or value, and drops a node at the place of a key.
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
