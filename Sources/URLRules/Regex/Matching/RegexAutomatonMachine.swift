package import GuardModel

/// Runs automata, in memory that it keeps between runs; one a thread.
///
/// The ways through a part of a pattern that wait for a byte are the bits of a set. A byte leaves those that take it.
/// The targets of each are worked out once and kept, apart for each combination of conditions that hold of a place.
package struct RegexAutomatonMachine {
  /// Words of a set: one bit for each instruction that takes a byte, and behind them one for a way that ends.
  private var words = 1
  /// For each printable byte the set of instructions that take it.
  private var taking: [UInt64] = []
  private var waiting: [UInt64] = []
  private var table = FollowTable()
  /// The places where each look-around holds.
  private var places: [PositionSet] = []

  package init() {}

  /// Whether the pattern is found in `text`; unknown for a text of other bytes than printable ASCII, or when it takes
  /// more than `steps`, which loses the steps used. A step is a word of a set, some nanoseconds.
  package mutating func run(_ automaton: RegexAutomaton, _ text: Span<UInt8>, steps: inout Int) -> Ternary {
    steps -= text.count / 4
    guard steps >= 0, Self.isPrintable(text) else { return .unknown }
    for (index, look) in automaton.looks.enumerated() {
      if places.count <= index { places.append(PositionSet()) }
      var found = PositionSet()
      swap(&found, &places[index])
      found.reset(last: text.count)
      _ = follow(look, text, &steps) { place in
        found.insert(place)
        return false
      }
      swap(&found, &places[index])
    }
    let isFound = follow(automaton.main, text, &steps) { _ in true }
    return steps < 0 ? .unknown : Ternary(isFound)
  }

  private static let firstPrintable: UInt8 = 0x20
  private static let printableCount: UInt8 = 0x5F

  private static func isPrintable(_ text: Span<UInt8>) -> Bool {
    var isPrintable = true
    for index in text.indices { isPrintable = isPrintable && text[index] &- firstPrintable < printableCount }
    return isPrintable
  }

  private mutating func begin(_ part: RegexAutomaton.Part) {
    words = part.takes.count / 64 + 1
    let size = Int(Self.printableCount) * words
    taking.removeAll(keepingCapacity: true)
    taking.append(contentsOf: repeatElement(0, count: size))
    for (number, take) in part.takes.enumerated() {
      let (word, bit) = (number >> 6, UInt64(1) << UInt64(number & 63))
      for byte in 0..<Self.printableCount where take.bytes.contains(byte + Self.firstPrintable) {
        taking[Int(byte) * words + word] |= bit
      }
    }
    waiting.removeAll(keepingCapacity: true)
    waiting.append(contentsOf: repeatElement(0, count: words))
    table.begin(part, words: words)
  }

  /// Follows one part through the text, with a new way at every place where it may begin; stops when `body`, called
  /// with each place where a way ends, says so.
  private mutating func follow(
    _ part: RegexAutomaton.Part, _ text: Span<UInt8>, _ steps: inout Int, _ body: (Int) -> Bool
  ) -> Bool {
    begin(part)
    steps -= taking.count / 4 + part.takes.count
    let end = part.takes.count
    // Asking for the conditions of a place is work, too.
    let effort = words + part.conditions.nonzeroBitCount
    for count in 0...text.count where steps >= 0 {
      let place = part.isBackward ? text.count - count : count
      table.choose(holding(part.conditions, text, place), part, &steps)
      arrive(part, begins: count == 0 || !part.isAnchored, &steps)
      steps -= effort
      if waiting[end >> 6] >> UInt64(end & 63) & 1 == 1, body(place) { return true }
      guard count < text.count else { break }
      let byte = text[part.isBackward ? place - 1 : place]
      if !take(byte), part.isAnchored { break }
    }
    return false
  }

  /// Leaves the ways that take the byte; false when there is none.
  private mutating func take(_ byte: UInt8) -> Bool {
    let first = Int(byte &- Self.firstPrintable) * words
    var any: UInt64 = 0
    for word in 0..<words {
      waiting[word] &= taking[first + word]
      any |= waiting[word]
    }
    return any != 0
  }

  /// Goes on from the instructions that took a byte to those that wait for the next one.
  private mutating func arrive(_ part: RegexAutomaton.Part, begins: Bool, _ steps: inout Int) {
    table.clearResult()
    if begins { table.add(part.takes.count, part, &steps) }
    for word in 0..<words {
      var rest = waiting[word]
      while rest != 0 {
        table.add(word << 6 + rest.trailingZeroBitCount, part, &steps)
        rest &= rest &- 1
      }
    }
    table.swapResult(&waiting)
  }

  /// The conditions that hold of a place.
  private func holding(_ asked: UInt64, _ text: Span<UInt8>, _ place: Int) -> UInt64 {
    var held: UInt64 = 0
    if place == 0 { held |= 1 << UInt64(RegexAutomaton.start) }
    if place == text.count { held |= 1 << UInt64(RegexAutomaton.end) }
    guard asked >> UInt64(RegexAutomaton.border) != 0 else { return held & asked }
    if Self.isWord(text, place - 1) != Self.isWord(text, place) { held |= 1 << UInt64(RegexAutomaton.border) }
    var looks = asked >> UInt64(RegexAutomaton.firstLook)
    while looks != 0 {
      let index = looks.trailingZeroBitCount
      if places[index].contains(place) { held |= 1 << UInt64(RegexAutomaton.firstLook + index) }
      looks &= looks &- 1
    }
    return held & asked
  }

  private static func isWord(_ text: Span<UInt8>, _ index: Int) -> Bool {
    index >= 0 && index < text.count && ByteSet.word.contains(text[index])
  }
}

/// The instructions that each one leads to without taking a byte, apart for each combination of conditions.
///
/// A row is a set: of the instructions that wait for a byte then, and whether the way may end. It is worked out when it
/// is first asked for.
struct FollowTable {
  private var words = 1
  private var rows = 1
  /// The combinations that were met, each with all of its rows in `sets`.
  private var combinations: [UInt64] = []
  private var sets: [UInt64] = []
  /// Whether a row is worked out.
  private var isKnown: [Bool] = []
  private var chosen = 0
  private var result: [UInt64] = []
  /// Instructions to follow, and those already followed.
  private var open: [Int] = []
  private var followed: [Bool] = []

  /// Words of all rows; when a text has so many combinations they are forgotten, and begun anew.
  private static let maximumWords = 1 << 20
  private static let maximumCombinations = 16

  mutating func begin(_ part: RegexAutomaton.Part, words: Int) {
    self.words = words
    rows = part.takes.count + 1
    forget()
    result.removeAll(keepingCapacity: true)
    result.append(contentsOf: repeatElement(0, count: words))
  }

  private mutating func forget() {
    combinations.removeAll(keepingCapacity: true)
    isKnown.removeAll(keepingCapacity: true)
    // One long pattern is no reason to keep megabytes.
    sets.removeAll(keepingCapacity: sets.capacity <= 1 << 16)
    chosen = -1
  }

  /// Makes the rows of a combination those that are asked for.
  @inline(__always)
  mutating func choose(_ combination: UInt64, _ part: RegexAutomaton.Part, _ steps: inout Int) {
    if chosen >= 0, combinations[chosen] == combination { return }
    chooseOther(combination, &steps)
  }

  private mutating func chooseOther(_ combination: UInt64, _ steps: inout Int) {
    if let known = combinations.firstIndex(of: combination) {
      chosen = known
      return
    }
    let size = rows * words
    if combinations.count == Self.maximumCombinations || sets.count + size > Self.maximumWords { forget() }
    chosen = combinations.count
    combinations.append(combination)
    sets.append(contentsOf: repeatElement(0, count: size))
    isKnown.append(contentsOf: repeatElement(false, count: rows))
    steps -= size / 4 + rows / 4
  }

  @inline(__always)
  mutating func clearResult() {
    for word in 0..<words { result[word] = 0 }
  }

  /// Adds a row to the result: that of an instruction that takes a byte, or, behind all of those, that of the
  /// beginning.
  @inline(__always)
  mutating func add(_ row: Int, _ part: RegexAutomaton.Part, _ steps: inout Int) {
    let number = chosen * rows + row
    if !isKnown[number] { workOut(row, part, &steps) }
    let first = number * words
    for word in 0..<words { result[word] |= sets[first + word] }
    steps -= words
  }

  @inline(__always)
  mutating func swapResult(_ other: inout [UInt64]) { swap(&result, &other) }

  private mutating func workOut(_ row: Int, _ part: RegexAutomaton.Part, _ steps: inout Int) {
    let number = chosen * rows + row
    isKnown[number] = true
    followed.removeAll(keepingCapacity: true)
    followed.append(contentsOf: repeatElement(false, count: part.instructions.count))
    steps -= part.instructions.count / 16
    open.append(row < part.takes.count ? part.takes[row].next : 0)
    while let instruction = open.popLast() {
      steps -= 1
      guard !followed[instruction] else { continue }
      followed[instruction] = true
      switch part.instructions[instruction] {
      case .take(let take): insert(take, number)
      case .found: insert(part.takes.count, number)
      case .split(let one, let other): open += [one, other]
      case .jump(let target): open.append(target)
      case .condition(let condition, let isDenied):
        let holds = combinations[chosen] >> UInt64(condition) & 1 == 1
        if holds != isDenied { open.append(instruction + 1) }
      }
    }
  }

  private mutating func insert(_ bit: Int, _ row: Int) {
    sets[row * words + bit >> 6] |= 1 << UInt64(bit & 63)
  }
}
