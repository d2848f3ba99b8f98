/// Reads a regular expression of the web.
///
/// Source: ECMAScript 2025, section 22.2.1, with the parameters UnicodeMode, UnicodeSetsMode and NamedCaptureGroups.
struct JavaScriptRegexParser: RegexCursor {
  typealias Node = JavaScriptRegex.Node

  /// The options set by the flags, and by `(?i-s:…)` inside.
  package struct Flags {
    var ignoresCase: Bool
    var isMultiline = false
    var dotTakesAll = false
  }

  /// A back-reference, by number or by name.
  struct Reference {
    var number: Int?
    var name: String
    var offset: Int
  }

  static let maximumDepth = 100
  static let maximumRepetitions = 65_535
  /// Maximum number of groups, and of references to them.
  static let maximumGroups = 1_000

  let text: [UInt8]
  var position = 0
  var flags = Flags(ignoresCase: false)
  var groupCount = 0
  var names: [String: [Int]] = [:]
  /// Names in the alternative being read; two alternatives may use the same.
  var namesInAlternative: Set<String> = []
  var references: [Reference] = []
  private var depth = 0
  var faults: [ReferenceFault] = []

  init(_ text: [UInt8]) { self.text = text }

  mutating func parse(ignoresCase: Bool) throws(JavaScriptRegexError) -> Node {
    flags.ignoresCase = ignoresCase
    let node = try readAlternatives()
    if position < text.count { throw error("`)` closes nothing") }
    try checkReferences()
    return node
  }

  /// A count, or the number of a group; one that is too large is just over the maximum.
  mutating func number() -> Int? { decimal(atMost: Self.maximumRepetitions + 1) }

  func error(_ description: String, at offset: Int? = nil) -> JavaScriptRegexError {
    JavaScriptRegexError(description, at: offset ?? position)
  }
}

// Alternatives, sequences, terms.
extension JavaScriptRegexParser {
  mutating func readAlternatives() throws(JavaScriptRegexError) -> Node {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.maximumDepth { throw error("groups are nested deeper than \(Self.maximumDepth)") }
    let outer = namesInAlternative
    var all = outer
    var alternatives: [Node] = []
    repeat {
      namesInAlternative = outer
      alternatives.append(try readSequence())
      all.formUnion(namesInAlternative)
    } while consume("|")
    namesInAlternative = all
    return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
  }

  private mutating func readSequence() throws(JavaScriptRegexError) -> Node {
    var nodes: [Node] = []
    while let byte = peek(), byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") { nodes.append(try readTerm()) }
    return nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  private mutating func readTerm() throws(JavaScriptRegexError) -> Node {
    if let assertion = try readAssertion() {
      if isQuantifier { throw error("an assertion cannot be repeated") }
      return assertion
    }
    let firstGroup = groupCount + 1
    let atom = try readAtom()
    guard var repetition = try readQuantifier() else { return atom }
    repetition.groups = firstGroup..<groupCount + 1
    if repetition.maximum.map({ $0 > 1 }) ?? true, !repetition.groups.isEmpty {
      faults.append(.init(groups: repetition.groups, exempt: 0..<0, reason: "a group inside a repetition"))
    }
    if isQuantifier { throw error("`\(Character(Unicode.Scalar(text[position])))` repeats a repetition") }
    return .repetition(atom, repetition)
  }

  private var isQuantifier: Bool {
    guard let byte = peek() else { return false }
    return byte == UInt8(ascii: "*") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "?")
      || byte == UInt8(ascii: "{")
  }

  private mutating func readQuantifier() throws(JavaScriptRegexError) -> JavaScriptRegex.Repetition? {
    var range: (minimum: Int, maximum: Int?)
    if consume("*") {
      range = (0, nil)
    } else if consume("+") {
      range = (1, nil)
    } else if consume("?") {
      range = (0, 1)
    } else if sees("{") {
      range = try readCounts()
    } else {
      return nil
    }
    let isLazy = consume("?")
    return .init(minimum: range.minimum, maximum: range.maximum, isLazy: isLazy, groups: 0..<0)
  }

  private mutating func readCounts() throws(JavaScriptRegexError) -> (minimum: Int, maximum: Int?) {
    let start = position
    position += 1
    guard let minimum = number() else { throw error("`{` begins a count, as in `{2}` or `{2,}`", at: start) }
    var maximum: Int? = minimum
    if consume(",") { maximum = number() }
    guard consume("}") else { throw error("`{` begins a count, as in `{2}` or `{2,}`", at: start) }
    if let maximum, maximum < minimum { throw error("the counts are in the wrong order", at: start) }
    guard max(minimum, maximum ?? 0) <= Self.maximumRepetitions else {
      throw error("a count is at most \(Self.maximumRepetitions)", at: start)
    }
    return (minimum, maximum)
  }

  private mutating func readAssertion() throws(JavaScriptRegexError) -> Node? {
    if consume("^") { return .edge(flags.isMultiline ? .lineStart : .start) }
    if consume("$") { return .edge(flags.isMultiline ? .lineEnd : .end) }
    if consume("\\b") { return .edge(.wordBoundary) }
    if consume("\\B") { return .edge(.noWordBoundary) }
    let start = position
    for (opening, look) in Self.looks where consume(opening) { return try readLook(look, from: start) }
    return nil
  }

  private static let looks: [(StaticString, JavaScriptRegex.Look)] = [
    ("(?=", .init(isBehind: false, isNegative: false)), ("(?!", .init(isBehind: false, isNegative: true)),
    ("(?<=", .init(isBehind: true, isNegative: false)), ("(?<!", .init(isBehind: true, isNegative: true)),
  ]

  private mutating func readLook(
    _ look: JavaScriptRegex.Look, from start: Int
  ) throws(JavaScriptRegexError) -> Node {
    let firstGroup = groupCount + 1
    let firstReference = references.count
    let node = try readAlternatives()
    try close(from: start)
    let groups = firstGroup..<groupCount + 1
    if !groups.isEmpty {
      let reason = "a group inside a look ahead or behind"
      faults.append(.init(groups: groups, exempt: firstReference..<references.count, reason: reason))
    }
    guard look.isBehind else { return .look(node, look) }
    if firstReference < references.count {
      throw error("a look behind with a reference is not matched here", at: references[firstReference].offset)
    }
    let alternatives = if case .alternatives(let nodes) = node { nodes } else { [node] }
    guard alternatives.allSatisfy({ $0.fixedLength != nil }) else {
      throw error("each alternative of a look behind must have a fixed length", at: start)
    }
    return .look(node, look)
  }

  mutating func close(from start: Int) throws(JavaScriptRegexError) {
    if !consume(")") { throw error("`(` is never closed", at: start) }
  }
}
