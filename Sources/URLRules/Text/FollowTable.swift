/// What each instruction of a part leads to without taking a byte, apart for each combination of conditions.
///
/// A row is a set: of the instructions that wait for a byte then, and whether the way may end. It is worked out when it is
/// first asked for.
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
  /// What is to be followed, and what has been.
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

  /// Adds a row to the result: that behind an instruction that takes a byte, or, behind all of them, that of the beginning.
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
