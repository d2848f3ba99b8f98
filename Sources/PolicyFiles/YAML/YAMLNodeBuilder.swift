/// Builds the tree from libyaml's events, and refuses what is not allowed in it.
///
/// A state machine without recursion: open lists and mappings wait on a stack of bounded depth.
struct YAMLNodeBuilder {
  enum Step {
    case `continue`
    case stop
  }

  /// What libyaml makes of `!!` (YAML 1.2.2, section 6.8.2.1).
  private static let coreTagPrefix = "tag:yaml.org,2002:"

  private let file: String
  private var stack: [YAMLOpenCollection] = []
  /// How many collections are open below the deepest that is kept.
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

  /// Closes what is open as it is: the rest of the file could not be read.
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
