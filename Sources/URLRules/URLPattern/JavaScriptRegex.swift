/// A regular expression of the web, parsed: the dialect of the `v` flag, for ASCII subjects.
///
///     try JavaScriptRegex("^[[a-z]--x]+$")        // letters, but no `x`
///     try JavaScriptRegex("^(?<=a+)b$")           // refused: a look behind of no fixed length
///
/// PCRE2 matches it (``pcre2Pattern``), within the limits of a decision. Tests match it by the steps of the standard, too.
///
/// Refused are what is no regular expression in a browser, and what PCRE2 would read differently:
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
    case set(ASCIISet)
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

/// Where and why a text is no regular expression of the web, or none that is matched here.
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
