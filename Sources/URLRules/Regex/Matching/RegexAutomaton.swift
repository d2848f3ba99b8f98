/// A pattern as a machine that reads each byte of a text once, in all the ways at the same time.
///
///     let automaton = RegexAutomaton(RegexShape("[^/]+[.]exe$"))
///     RegexAutomaton(RegexShape(#"(a+)+\1"#))       // nil: a group's text cannot be known so
///
/// Its answer is PCRE2's answer without any limit. A match depends on the order in which PCRE2 tries only where a piece
/// keeps its text (`a++`, `(?>…)`) or is asked for again (`\1`); such a pattern has no automaton. For every other one
/// it is a question of languages: is there a way through the pattern that takes some part of the text? A set of ways is
/// followed from byte to byte, so none is followed twice from one place, and the work for a byte depends on the pattern
/// alone; no text makes it exponential or square.
///
/// Look-arounds come first, the innermost before those around it. Whether `(?=x)` holds is asked at every place at
/// once: `x` is read backwards, from the end of the text on, with a new way from each place; where a way ends, `x`
/// begins. `(?<=x)` is read forwards. Both are a set of places then, and a condition on a place like `^` and `\b`.
///
/// It knows texts of printable ASCII, as URLs are: without line ends `^`, `$`, `.` and `\Z` have one meaning each.
///
/// Trap: PCRE2 is several times as quick where it goes back little. This is for searches that it does not finish.
///
/// Source: Thompson, "Regular expression search algorithm", CACM 11 (1968); for look-arounds Mamouras and
/// Chattopadhyay, "Efficient matching of regular expressions with lookaround assertions", POPL 2024.
package struct RegexAutomaton: Sendable {
  enum Instruction: Sendable {
    /// Takes a byte, and goes on behind; numbered from 0 within a part.
    case take(Int)
    /// Goes on at both.
    case split(Int, Int)
    case jump(Int)
    /// Goes on where the condition with this number holds, or, denied, where it does not.
    case condition(Int, isDenied: Bool)
    case found
  }

  /// Numbers of conditions on a place; those from `firstLook` on are look-arounds.
  static let start = 0
  static let end = 1
  static let border = 2
  static let firstLook = 3

  /// The pattern without its look-arounds, or the inside of one of them: run by itself over the whole text.
  struct Part: Sendable {
    fileprivate(set) var instructions: [Instruction] = []
    /// The bytes that each byte-taking instruction takes, and the instruction behind it.
    fileprivate(set) var takes: [(bytes: ByteSet, next: Int)] = []
    /// The conditions in it, a bit for each number.
    fileprivate(set) var conditions: UInt64 = 0
    /// Read from the end of the text on.
    fileprivate(set) var isBackward = false
    /// A match counts only when it begins at the start of the text.
    fileprivate(set) var isAnchored = false
  }

  /// Larger ones are too many instructions for one pass over a long URL.
  static let maximumSize = 4_000
  private static let maximumLooks = 60

  /// Look-arounds, the inner before the outer.
  private(set) var looks: [Part] = []
  private(set) var main = Part()
  /// The part that is being written.
  private var part = Part()
  private var size = 0
  private var isTooLarge = false

  /// Nil for a pattern that is not understood in full, that depends on the order of trying, or that is too large.
  package init?(_ shape: RegexShape) {
    guard Self.reads(shape) else { return nil }
    main = part(of: shape.branches, isBackward: false)
    if isTooLarge { return nil }
  }

  /// Number of its instructions.
  var count: Int { size }

  /// Whether there is an automaton, but for the size.
  package static func reads(_ shape: RegexShape) -> Bool {
    !shape.isUnusual && !shape.givesNothingBack && shape.refusal == nil
  }
}

// Writing instructions.
extension RegexAutomaton {
  private mutating func part(of branches: [[RegexItem]], isBackward: Bool) -> Part {
    // Inner look-arounds are parts of their own, written before this one is.
    let inner = branches.map { withoutLooks($0) }
    part = Part(isBackward: isBackward, isAnchored: !isBackward && branches.allSatisfy(Self.isAnchored))
    write(inner, isBackward)
    add(.found)
    return part
  }

  private static func isAnchored(_ items: [RegexItem]) -> Bool {
    guard let first = items.first(where: { $0.node != .option }) else { return false }
    guard case .group(let branches) = first.node else { return first.node == .start }
    return first.times.least > 0 && branches.allSatisfy(isAnchored)
  }

  private mutating func add(_ instruction: Instruction) {
    size += 1
    guard size <= Self.maximumSize else { return isTooLarge = true }
    part.instructions.append(instruction)
  }

  /// Adds an instruction that is replaced later.
  private mutating func reserve() -> Int {
    add(.found)
    return part.instructions.count - 1
  }

  private mutating func write(_ branches: [[Piece]], _ isBackward: Bool) {
    var ends: [Int] = []
    for (index, pieces) in branches.enumerated() {
      let choice = index + 1 < branches.count ? reserve() : nil
      for piece in isBackward ? pieces.reversed() : pieces { write(piece, isBackward) }
      guard let choice, !isTooLarge else { continue }
      ends.append(reserve())
      leave(choice)
    }
    for end in ends where !isTooLarge { part.instructions[end] = .jump(part.instructions.count) }
  }

  private mutating func write(_ piece: Piece, _ isBackward: Bool) {
    for _ in 0..<piece.times.least where !isTooLarge {
      // Nothing any number of times is nothing; a text of 65,535 of them is not counted through.
      if !writeOnce(piece, isBackward) { return }
    }
    guard let most = piece.times.most else {
      let choice = reserve()
      _ = writeOnce(piece, isBackward)
      add(.jump(choice))
      return leave(choice)
    }
    var choices: [Int] = []
    for _ in piece.times.least..<max(piece.times.least, most) where !isTooLarge {
      choices.append(reserve())
      if !writeOnce(piece, isBackward) { break }
    }
    for choice in choices { leave(choice) }
  }

  /// False when there is nothing to write.
  private mutating func writeOnce(_ piece: Piece, _ isBackward: Bool) -> Bool {
    let before = size
    switch piece.node {
    case .bytes(let set):
      add(.take(part.takes.count))
      part.takes.append((set, part.instructions.count))
    case .condition(let number, let isDenied):
      add(.condition(number, isDenied: isDenied))
      part.conditions |= 1 << UInt64(number)
    case .group(let branches): write(branches, isBackward)
    }
    return size > before
  }

  /// Makes a reserved instruction the choice between the instruction behind it and the next one written.
  private mutating func leave(_ choice: Int) {
    if !isTooLarge { part.instructions[choice] = .split(choice + 1, part.instructions.count) }
  }
}

// Reading a pattern.
extension RegexAutomaton {
  /// A piece whose look-arounds have been written.
  private struct Piece {
    enum Node {
      case bytes(ByteSet)
      case condition(Int, isDenied: Bool)
      case group([[Piece]])
    }

    var node: Node
    var times: RegexRepeat
  }

  private mutating func withoutLooks(_ items: [RegexItem]) -> [Piece] {
    items.compactMap { item in node(item.node).map { Piece(node: $0, times: item.times) } }
  }

  private mutating func node(_ node: RegexItem.Node) -> Piece.Node? {
    switch node {
    case .bytes(let set): return .bytes(set)
    case .start: return .condition(Self.start, isDenied: false)
    case .end: return .condition(Self.end, isDenied: false)
    case .condition(.border(let isDenied)): return .condition(Self.border, isDenied: isDenied)
    case .condition(.look(let branches, let isBehind, let isDenied)):
      looks.append(part(of: branches, isBackward: !isBehind))
      if looks.count > Self.maximumLooks { isTooLarge = true }
      return .condition(Self.firstLook + min(looks.count, Self.maximumLooks) - 1, isDenied: isDenied)
    case .group(let branches): return .group(branches.map { withoutLooks($0) })
    case .option: return nil
    }
  }
}
