package import URLRules

/// Matches a regular expression exactly as the standard's steps do, groups included. It allocates, and it gives up after a
/// number of steps.
///
/// Browsers differ from PCRE2 in the groups: a repetition that consumes nothing is undone, and each one empties the
/// groups inside it.
struct JavaScriptRegexMachine: ~Escapable {
  static let maximumSteps = 2_000_000

  private struct Choice {
    var instruction: Int
    var position: Int
    /// How many changes to keep.
    var changes: Int
  }

  private struct Change {
    var slot: Int
    var value: Int
  }

  private static let none = -1

  private let program: JavaScriptRegexProgram
  private let subject: Span<UInt8>
  private var slots: [Int]
  private var choices: [Choice] = []
  private var changes: [Change] = []
  private var steps = 0

  static func match(_ regex: JavaScriptRegex, _ subject: Span<UInt8>) -> JavaScriptRegex.Match {
    guard let program = JavaScriptRegexProgram(regex) else { return .tooCostly }
    var machine = JavaScriptRegexMachine(program, subject)
    let isMatch = machine.run(from: 0, at: 0)
    guard machine.steps <= maximumSteps else { return .tooCostly }
    return isMatch ? .groups(machine.groups) : .noMatch
  }

  @_lifetime(copy subject)
  private init(_ program: JavaScriptRegexProgram, _ subject: Span<UInt8>) {
    self.program = program
    self.subject = subject
    slots = Array(repeating: Self.none, count: program.slotCount)
  }

  private var groups: [Range<Int>?] {
    var groups: [Range<Int>?] = []
    for group in 1..<program.groupCount + 1 { groups.append(range(of: group)) }
    return groups
  }

  private func range(of group: Int) -> Range<Int>? {
    slots[2 * group] == Self.none ? nil : slots[2 * group]..<slots[2 * group + 1]
  }
}

extension JavaScriptRegexMachine {
  /// Runs to the next `accept`, trying every choice made on the way. Choices of the caller stay.
  @_lifetime(self: copy self)
  private mutating func run(from start: Int, at place: Int) -> Bool {
    let firstChoice = choices.count
    var instruction = start
    var position = place
    while true {
      steps += 1
      guard steps <= Self.maximumSteps else { return false }
      if case .accept = program.instructions[instruction] {
        choices.removeSubrange(firstChoice...)
        return true
      }
      if perform(&instruction, &position) { continue }
      guard choices.count > firstChoice, let choice = choices.popLast() else { return false }
      undo(to: choice.changes)
      instruction = choice.instruction
      position = choice.position
    }
  }

  /// One instruction; false when it fails.
  @_lifetime(self: copy self)
  private mutating func perform(_ instruction: inout Int, _ position: inout Int) -> Bool {
    let current = program.instructions[instruction]
    instruction += 1
    switch current {
    case .accept: return true
    case .set(let set, let isBackward): return consume(set, isBackward, &position)
    case .edge(let edge): return holds(edge, at: position)
    case .reference(let index, let ignoresCase): return repeats(index, ignoresCase, &position)
    case .split(let first, let second):
      choices.append(Choice(instruction: second, position: position, changes: changes.count))
      instruction = first
    case .jump(let target): instruction = target
    case .save(let slot): set(slot, to: position)
    case .close(let group, let isBackward):
      let start = slots[program.startSlot(of: group)]
      set(2 * group, to: isBackward ? position : start)
      set(2 * group + 1, to: isBackward ? start : position)
    case .forget(let groups):
      for group in groups {
        set(2 * group, to: Self.none)
        set(2 * group + 1, to: Self.none)
      }
    case .progress(let slot): return slots[slot] != position
    case .look(let isNegative, let end):
      let kept = changes.count
      let isMatch = run(from: instruction, at: position)
      if isNegative || !isMatch { undo(to: kept) }
      instruction = end
      return isMatch != isNegative
    }
    return true
  }

  @_lifetime(self: copy self)
  private mutating func set(_ slot: Int, to value: Int) {
    changes.append(Change(slot: slot, value: slots[slot]))
    slots[slot] = value
  }

  @_lifetime(self: copy self)
  private mutating func undo(to count: Int) {
    while changes.count > count, let change = changes.popLast() { slots[change.slot] = change.value }
  }

  private func consume(_ set: ByteSet, _ isBackward: Bool, _ position: inout Int) -> Bool {
    let index = isBackward ? position - 1 : position
    guard subject.indices.contains(index), set.contains(subject[index]) else { return false }
    position += isBackward ? -1 : 1
    return true
  }

  /// A reference to a group that did not match matches nothing.
  private func repeats(_ reference: Int, _ ignoresCase: Bool, _ position: inout Int) -> Bool {
    for group in program.references[reference] {
      guard let range = range(of: group) else { continue }
      guard position + range.count <= subject.count else { return false }
      for offset in 0..<range.count {
        let wanted = subject[range.lowerBound + offset]
        let found = subject[position + offset]
        guard wanted == found || ignoresCase && Self.folded(wanted) == Self.folded(found) else { return false }
      }
      position += range.count
      return true
    }
    return true
  }

  private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private func holds(_ edge: JavaScriptRegex.Edge, at position: Int) -> Bool {
    switch edge {
    case .start: position == 0
    case .end: position == subject.count
    case .lineStart: position == 0 || ByteSet.lineEnds.contains(subject[position - 1])
    case .lineEnd: position == subject.count || ByteSet.lineEnds.contains(subject[position])
    case .wordBoundary: isWord(at: position - 1) != isWord(at: position)
    case .noWordBoundary: isWord(at: position - 1) == isWord(at: position)
    }
  }

  private func isWord(at index: Int) -> Bool {
    subject.indices.contains(index) && ByteSet.word.contains(subject[index])
  }
}

extension JavaScriptRegex {
  package enum Match: Sendable, Hashable {
    /// Where each group lies; nil for one that took no part. Group n is the element n - 1.
    case groups([Range<Int>?])
    case noMatch
    case tooCostly
  }

  /// Matches at the start of `subject`, by the steps of the standard.
  ///
  ///     try JavaScriptRegex("^(a)?(b*)$").match("bb")     // .groups([nil, 0..<2])
  package func match(_ subject: Span<UInt8>) -> Match { JavaScriptRegexMachine.match(self, subject) }
}
