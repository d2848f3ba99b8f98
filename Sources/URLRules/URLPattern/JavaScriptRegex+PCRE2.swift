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

  private static func text(of set: ASCIISet) -> String {
    let runs = set.runs
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
    if ASCIISet.word.contains(byte) { return String(Unicode.Scalar(byte)) }
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
