internal import URLRules

/// A regular expression of the web as instructions for ``JavaScriptRegexMachine``.
///
/// Source: ECMAScript 2025, section 22.2.2 (pattern semantics), whose continuations are choices on a stack here.
struct JavaScriptRegexProgram {
  typealias Node = JavaScriptRegex.Node

  enum Instruction {
    case set(ByteSet, isBackward: Bool)
    case edge(JavaScriptRegex.Edge)
    case reference(Int, ignoresCase: Bool)
    /// Goes on at the first; if that fails, at the second.
    case split(Int, Int)
    case jump(Int)
    /// Notes the position.
    case save(slot: Int)
    /// Copies a noted start and the position as the ends of a group.
    case close(group: Int, isBackward: Bool)
    case forget(Range<Int>)
    /// Fails when nothing was consumed since the position was noted.
    case progress(slot: Int)
    /// Runs what follows up to an `accept`, and goes on behind it.
    case look(isNegative: Bool, end: Int)
    case accept
  }

  /// Counted repetitions are written out, so that the size has to be bounded.
  static let maximumSize = 50_000

  private(set) var instructions: [Instruction] = []
  let references: [[Int]]
  let groupCount: Int
  /// Two for each group, one more for each that is open, and one for each loop.
  private(set) var slotCount: Int
  private var isTooLarge = false

  /// Nil when it would be too large.
  init?(_ regex: JavaScriptRegex) {
    references = regex.references
    groupCount = regex.groupCount
    slotCount = 3 * (regex.groupCount + 1)
    write(regex.root, isBackward: false)
    add(.accept)
    if isTooLarge { return nil }
  }

  private mutating func add(_ instruction: Instruction) {
    guard instructions.count < Self.maximumSize else {
      isTooLarge = true
      return
    }
    instructions.append(instruction)
  }

  /// Adds an instruction that is replaced later.
  private mutating func reserve() -> Int {
    add(.accept)
    return instructions.count - 1
  }

  private mutating func write(_ node: Node, isBackward: Bool) {
    guard !isTooLarge else { return }
    switch node {
    case .set(let set): add(.set(set, isBackward: isBackward))
    case .edge(let edge): add(.edge(edge))
    case .reference(let index, let ignoresCase): add(.reference(index, ignoresCase: ignoresCase))
    case .sequence(let nodes):
      for node in isBackward ? nodes.reversed() : nodes { write(node, isBackward: isBackward) }
    case .alternatives(let nodes): write(alternatives: nodes, isBackward: isBackward)
    case .group(let number, let node):
      add(.save(slot: startSlot(of: number)))
      write(node, isBackward: isBackward)
      add(.close(group: number, isBackward: isBackward))
    case .repetition(let node, let repetition): write(node, repetition, isBackward: isBackward)
    case .look(let node, let look):
      let place = reserve()
      write(node, isBackward: look.isBehind)
      add(.accept)
      instructions[place] = .look(isNegative: look.isNegative, end: instructions.count)
    }
  }

  private mutating func write(alternatives: [Node], isBackward: Bool) {
    var ends: [Int] = []
    for (index, node) in alternatives.enumerated() {
      guard index + 1 < alternatives.count else {
        write(node, isBackward: isBackward)
        break
      }
      let choice = reserve()
      write(node, isBackward: isBackward)
      ends.append(reserve())
      instructions[choice] = .split(choice + 1, instructions.count)
    }
    for end in ends { instructions[end] = .jump(instructions.count) }
  }

  private mutating func write(_ node: Node, _ repetition: JavaScriptRegex.Repetition, isBackward: Bool) {
    for _ in 0..<repetition.minimum where !isTooLarge {
      add(.forget(repetition.groups))
      write(node, isBackward: isBackward)
    }
    guard let maximum = repetition.maximum else { return writeLoop(node, repetition, isBackward: isBackward) }
    var choices: [Int] = []
    for _ in repetition.minimum..<maximum where !isTooLarge {
      choices.append(reserve())
      writeOnce(node, repetition, isBackward: isBackward)
    }
    for choice in choices { setChoice(at: choice, end: instructions.count, isLazy: repetition.isLazy) }
  }

  private mutating func writeLoop(_ node: Node, _ repetition: JavaScriptRegex.Repetition, isBackward: Bool) {
    let choice = reserve()
    writeOnce(node, repetition, isBackward: isBackward)
    add(.jump(choice))
    setChoice(at: choice, end: instructions.count, isLazy: repetition.isLazy)
  }

  private mutating func setChoice(at place: Int, end: Int, isLazy: Bool) {
    guard !isTooLarge else { return }
    instructions[place] = isLazy ? .split(end, place + 1) : .split(place + 1, end)
  }

  /// One repetition beyond the least number, which must consume something.
  private mutating func writeOnce(_ node: Node, _ repetition: JavaScriptRegex.Repetition, isBackward: Bool) {
    let slot = slotCount
    slotCount += 1
    add(.save(slot: slot))
    add(.forget(repetition.groups))
    write(node, isBackward: isBackward)
    add(.progress(slot: slot))
  }

  func startSlot(of group: Int) -> Int { 2 * (groupCount + 1) + group }
}
