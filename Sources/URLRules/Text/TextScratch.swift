/// The memory that a search writes while it runs; one a thread, with the runner, kept between searches.
final class TextScratch {
  fileprivate var found = TextFound()

  /// Lets `search` look for its literals, then calls `body` with each pattern that was found, once.
  ///
  /// `body` may search again: the list being read is never the one being written.
  func collect(literals: Int, patterns: Int, _ search: (inout TextFound) -> Void, _ body: (Int32) -> Void) {
    found.begin(literals: literals, patterns: patterns)
    search(&found)
    let patterns = found.takePatterns()
    for pattern in patterns { body(pattern) }
    found.giveBack(patterns)
  }
}

/// The literals and patterns that one search has found so far.
struct TextFound {
  /// The number of this search; patterns that bear it have been found in it.
  private var number: UInt32 = 0
  private var literals: [UInt32] = []
  private var patterns: [UInt32] = []
  private var list: [Int32] = []

  /// Forgets what was found, for a search with the given numbers of literals and patterns.
  fileprivate mutating func begin(literals: Int, patterns: Int) {
    number &+= 1
    if number == 0 {
      self = TextFound()
      number = 1
    }
    Self.grow(&self.literals, to: literals)
    Self.grow(&self.patterns, to: patterns)
    list.removeAll(keepingCapacity: true)
  }

  private static func grow(_ marks: inout [UInt32], to count: Int) {
    if marks.count < count { marks += repeatElement(0, count: count - marks.count) }
  }

  func has(literal: Int) -> Bool { literals[literal] == number }

  mutating func add(literal: Int) { literals[literal] = number }

  mutating func add(pattern: Int32) {
    guard patterns[Int(pattern)] != number else { return }
    patterns[Int(pattern)] = number
    list.append(pattern)
  }

  fileprivate mutating func takePatterns() -> [Int32] {
    var taken: [Int32] = []
    swap(&taken, &list)
    return taken
  }

  /// Keeps the memory of a list that has been read.
  fileprivate mutating func giveBack(_ list: consuming [Int32]) {
    if list.capacity > self.list.capacity { self.list = list }
  }
}
