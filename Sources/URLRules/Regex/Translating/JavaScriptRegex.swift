/// A regular expression of the web, parsed: the dialect of the `v` flag, for ASCII subjects.
///
///     try JavaScriptRegex("^[[a-z]--x]+$")        // letters, but no `x`
///     try JavaScriptRegex("^(?<=a+)b$")           // refused: a look behind of no fixed length
///
/// PCRE2 matches it (``pcre2Pattern``), within the limits of a decision. Tests match it by the standard's steps, too.
///
/// Refused are texts that are no regular expression in a browser, or that PCRE2 would read differently:
/// - references to a group inside a repetition, inside a look ahead or behind that the reference is not in, and any
///   reference inside a look behind: browsers forget such groups, or fill them in another order;
/// - look behinds whose alternatives have no fixed length;
/// - strings in a class (`\q{…}`) when case is ignored: browsers differ from the standard;
/// - Unicode properties without an ASCII character, and those of strings;
/// - group names with escapes, repetitions of more than 65,535, more than 1,000 groups, and nesting deeper than 100.
///
/// Source: ECMAScript 2025, section 22.2.
package struct JavaScriptRegex: Sendable {
  package indirect enum Node: Sendable {
    case set(ByteSet)
    case sequence([Node])
    case alternatives([Node])
    case group(Int, Node)
    case repetition(Node, Repetition)
    case look(Node, Look)
    case edge(Edge)
    /// One of ``references``.
    case reference(Int, ignoresCase: Bool)
  }

  package struct Repetition: Sendable {
    package var minimum: Int
    /// Nil for as often as it goes.
    package var maximum: Int?
    package var isLazy: Bool
    /// The groups inside, which each repetition empties.
    package var groups: Range<Int>
  }

  package struct Look: Sendable {
    package var isBehind: Bool
    package var isNegative: Bool
  }

  package enum Edge: Sendable {
    case start
    case end
    case lineStart
    case lineEnd
    case wordBoundary
    case noWordBoundary
  }

  package let root: Node
  package let groupCount: Int
  /// For each back-reference the groups it may mean, of which at most one has matched.
  package let references: [[Int]]

  /// Parses `text` as with the flag `v`, or `vi` when case is ignored.
  package init(_ text: String, ignoresCase: Bool = false) throws(JavaScriptRegexError) {
    try self.init(Array(text.utf8), ignoresCase: ignoresCase)
  }

  init(_ text: [UInt8], ignoresCase: Bool) throws(JavaScriptRegexError) {
    var parser = JavaScriptRegexParser(text)
    root = try parser.parse(ignoresCase: ignoresCase)
    groupCount = parser.groupCount
    references = parser.resolvedReferences
  }
}

/// Place and cause of a text's refusal: no regular expression of the web, or none that is matched here.
package struct JavaScriptRegexError: Error, Hashable, CustomStringConvertible {
  /// Byte offset in the text.
  package var offset: Int
  package var description: String

  init(_ description: String, at offset: Int) {
    self.offset = offset
    self.description = description
  }
}

extension JavaScriptRegex.Node {
  /// The length of everything it matches; nil when that varies.
  var fixedLength: Int? {
    switch self {
    case .set: return 1
    case .edge, .look: return 0
    case .reference: return nil
    case .group(_, let node): return node.fixedLength
    case .sequence(let nodes):
      return nodes.reduce(0) { (sum: Int?, node) in sum.flatMap { sum in node.fixedLength.map { sum + $0 } } }
    case .alternatives(let nodes):
      guard let first = nodes.first?.fixedLength else { return nil }
      return nodes.allSatisfy { $0.fixedLength == first } ? first : nil
    case .repetition(let node, let repetition):
      guard repetition.minimum == repetition.maximum, let length = node.fixedLength else { return nil }
      let (product, overflows) = length.multipliedReportingOverflow(by: repetition.minimum)
      return overflows ? nil : product
    }
  }
}

extension JavaScriptRegex {
  /// A pattern that PCRE2 reads as a browser reads this, for ASCII subjects.
  ///
  ///     ^[[a-z]--x]\k<n>(?<n>.)$   ->   \A[a-wyz](?(1)\1)([\x00-\x09\x0b\x0c\x0e-\x7f])\z
  ///
  /// Only constructs are written that every version of PCRE2 reads alike. A reference to a group that did not match
  /// matches nothing, which PCRE2 does only by the condition around it.
  package var pcre2Pattern: String {
    var output: [UInt8] = []
    write(root, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private func write(_ node: Node, to output: inout [UInt8]) {
    switch node {
    case .set(let set): output.append(contentsOf: Self.text(of: set).utf8)
    case .sequence(let nodes):
      for node in nodes { write(node, inGroup: node.isAlternatives, to: &output) }
    case .alternatives(let nodes):
      for (index, node) in nodes.enumerated() {
        if index > 0 { output.append(UInt8(ascii: "|")) }
        write(node, inGroup: node.isAlternatives, to: &output)
      }
    case .group(_, let node): bracket("(", node, to: &output)
    case .repetition(let node, let repetition):
      write(node, inGroup: !node.isSet, to: &output)
      output.append(contentsOf: repetition.text.utf8)
    case .look(let node, let look):
      bracket(
        look.isBehind ? (look.isNegative ? "(?<!" : "(?<=") : (look.isNegative ? "(?!" : "(?="), node, to: &output)
    case .edge(let edge): output.append(contentsOf: edge.text.utf8)
    case .reference(let index, let ignoresCase): write(reference: index, ignoresCase: ignoresCase, to: &output)
    }
  }

  private func bracket(_ opening: String, _ node: Node, to output: inout [UInt8]) {
    output.append(contentsOf: opening.utf8)
    write(node, to: &output)
    output.append(UInt8(ascii: ")"))
  }

  private func write(_ node: Node, inGroup: Bool, to output: inout [UInt8]) {
    if inGroup { bracket("(?:", node, to: &output) } else { write(node, to: &output) }
  }

  private func write(reference index: Int, ignoresCase: Bool, to output: inout [UInt8]) {
    output.append(contentsOf: (ignoresCase ? "(?i:" : "(?:").utf8)
    for group in references[index] { output.append(contentsOf: "(?(\(group))\\g{\(group)})".utf8) }
    output.append(UInt8(ascii: ")"))
  }

  private static func text(of set: ByteSet) -> String {
    let runs = set.ranges
    guard let first = runs.first else { return "(?!)" }
    if runs.count == 1, first.count == 1 { return text(of: first.lowerBound) }
    let members = runs.map { run in
      switch run.count {
      case 1: text(of: run.lowerBound)
      case 2: text(of: run.lowerBound) + text(of: run.upperBound)
      default: "\(text(of: run.lowerBound))-\(text(of: run.upperBound))"
      }
    }
    return "[\(members.joined())]"
  }

  /// The character, escaped in a way that means the same inside and outside of a class.
  private static func text(of byte: UInt8) -> String {
    if ByteSet.word.contains(byte) { return String(Unicode.Scalar(byte)) }
    if byte > 0x20, byte < 0x7F { return "\\\(Unicode.Scalar(byte))" }
    let digits = String(byte, radix: 16)
    return "\\x\(digits.count == 1 ? "0" : "")\(digits)"
  }
}

extension JavaScriptRegex.Node {
  fileprivate var isAlternatives: Bool { if case .alternatives = self { true } else { false } }
  fileprivate var isSet: Bool { if case .set(let set) = self { !set.isEmpty } else { false } }
}

extension JavaScriptRegex.Repetition {
  fileprivate var text: String {
    let count =
      switch (minimum, maximum) {
      case (0, nil): "*"
      case (1, nil): "+"
      case (0, 1): "?"
      case (_, nil): "{\(minimum),}"
      case (_, let maximum?): minimum == maximum ? "{\(minimum)}" : "{\(minimum),\(maximum)}"
      }
    return isLazy ? count + "?" : count
  }
}

extension JavaScriptRegex.Edge {
  /// `$` of PCRE2 would also match before a line feed at the end.
  fileprivate var text: String {
    switch self {
    case .start: "\\A"
    case .end: "\\z"
    case .lineStart: "(?:\\A|(?<=[\\x0a\\x0d]))"
    case .lineEnd: "(?=[\\x0a\\x0d]|\\z)"
    case .wordBoundary: "\\b"
    case .noWordBoundary: "\\B"
    }
  }
}
