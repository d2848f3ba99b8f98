/// What a pattern is made of, as far as that is certain.
///
/// Two questions are answered from it: which host the pattern demands (`host`), and which literals (`literalChoices`).
package struct RegexShape: Sendable {
  let pattern: [UInt8]
  /// The alternatives at the top.
  package private(set) var branches: [[RegexItem]] = [[]]
  /// The first thing in it that no rule may hold.
  package private(set) var refusal: RegexError?
  /// Something in it is not understood in full: nothing may be concluded from the rest.
  package private(set) var isUnusual: Bool
  /// A piece of the pattern keeps what it took: which texts match depends on the order of trying.
  package private(set) var givesNothingBack = false

  /// Groups in groups deeper than this are not followed; the same number is PCRE2's limit in `Regex`.
  static let maximumDepth = 100

  /// A group that is open: the branches read before it, and what it is.
  private struct Open {
    var branches: [[RegexItem]]
    var group: RegexToken.Group
  }

  package init(_ text: String) {
    var reader = RegexReader(text)
    pattern = reader.bytes
    isUnusual = !pattern.allSatisfy { (0x01...0x7F).contains($0) }
    read(&reader)
    refusal = reader.refusal
    isUnusual = isUnusual || reader.isUnusual
    givesNothingBack = reader.givesNothingBack
  }

  private mutating func read(_ reader: inout RegexReader) {
    var open: [Open] = []
    while let token = reader.next() {
      switch token {
      case .bytes(let set): append(.bytes(set), &reader)
      case .start: append(.start, &reader)
      case .end: append(.end, &reader)
      case .border(let isDenied): append(.condition(.border(isDenied: isDenied)), &reader)
      case .option: append(.option, &reader)
      case .unusual: break
      case .bar: branches.append([])
      case .open(let group):
        open.append(Open(branches: branches, group: group))
        branches = [[]]
        if open.count > Self.maximumDepth { reader.isUnusual = true }
      case .close: close(&open, &reader)
      }
    }
    if !open.isEmpty { reader.isUnusual = true }
  }

  private mutating func close(_ open: inout [Open], _ reader: inout RegexReader) {
    guard let outer = open.popLast() else {
      reader.isUnusual = true
      return
    }
    // A pattern that is given up is only read on for what it may not hold; its tree could be too deep to walk.
    let inner = reader.isUnusual ? [[]] : branches
    branches = outer.branches
    guard case .look(let isBehind, let isDenied) = outer.group else { return append(.group(inner), &reader) }
    append(.condition(.look(inner, isBehind: isBehind, isDenied: isDenied)), &reader)
  }

  private mutating func append(_ node: RegexItem.Node, _ reader: inout RegexReader) {
    var item = RegexItem(node: node)
    if node != .option { item.times = reader.quantifier() }
    if item.isCondition, item.times != .once { reader.isUnusual = true }
    branches[branches.count - 1].append(item)
  }

  /// The items of a pattern that is understood and has one alternative at the top; nil for every other.
  var sequence: [RegexItem]? {
    guard !isUnusual, refusal == nil, branches.count == 1 else { return nil }
    return branches[0]
  }
}
