/// A table of literals while it is made.
struct LiteralTableDraft {
  private(set) var literals: [LiteralTable.Literal] = []
  private(set) var bytes: [UInt8] = []
  private(set) var patterns: [Int32] = []
  private let window: LiteralWindow

  /// More literals with the same window are not told apart.
  private static let mostAlike = 16

  /// An entry under one of its windows.
  private struct Filed {
    var entry: Int
    /// How many bytes stand before the window.
    var before: Int
  }

  init(_ window: LiteralWindow, _ entries: [LiteralTable.Entry]) {
    self.window = window
    let counts = LiteralWindows(window, entries.map(\.literal))
    var filed: [UInt64: [Filed]] = [:]
    for (entry, literal) in entries.lazy.map(\.literal).enumerated() {
      let start = counts.rarest(literal)
      for before in start..<start + window.step {
        filed[window.value(of: literal, at: before), default: []].append(Filed(entry: entry, before: before))
      }
    }
    let drafts = entries.map { add($0) }
    for (value, crowd) in filed.sorted(by: { $0.key < $1.key }) {
      if crowd.count > Self.mostAlike {
        // Nothing to compare: the window is all that is asked for.
        let patterns = Set(crowd.flatMap { entries[$0.entry].patterns }).sorted()
        append(add(LiteralTable.Entry(literal: [], patterns: patterns)), value, before: 0)
      } else {
        for one in crowd { append(drafts[one.entry], value, before: one.before) }
      }
    }
  }

  /// Adds the bytes of a literal and the patterns that wait for it.
  private mutating func add(_ entry: LiteralTable.Entry) -> LiteralTable.Literal {
    defer {
      bytes += entry.literal
      patterns += entry.patterns
    }
    return LiteralTable.Literal(
      window: 0, start: Int32(bytes.count), count: Int32(entry.literal.count), before: 0,
      firstWaiting: Int32(patterns.count), waiting: Int32(entry.patterns.count))
  }

  private mutating func append(_ literal: LiteralTable.Literal, _ value: UInt64, before: Int) {
    var literal = literal
    literal.window = value
    literal.before = Int32(before)
    literals.append(literal)
  }

  /// The slots of all windows, and the bits by which most places of a text end.
  func windows() -> (slots: [Int32], filter: LiteralFilter) {
    let firsts = literals.indices.filter { $0 == 0 || literals[$0 - 1].window != literals[$0].window }
    var size = 64
    while size < firsts.count * 2 { size *= 2 }
    var slots = [Int32](repeating: -1, count: size)
    // Sixty-four bits a window or more: one place in sixty-four passes that should not.
    var filter = LiteralFilter(slots: size)
    for index in firsts {
      let hash = LiteralWindow.hash(literals[index].window)
      filter.insert(hash)
      var slot = filter.slot(of: hash)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int32(index)
    }
    return (slots, filter)
  }
}

/// The windows of many literals, counted.
private struct LiteralWindows {
  private let window: LiteralWindow
  private var counts: [UInt64: Int] = [:]

  init(_ window: LiteralWindow, _ literals: [[UInt8]]) {
    self.window = window
    for literal in literals {
      for start in 0...literal.count - window.width { counts[window.value(of: literal, at: start), default: 0] += 1 }
    }
  }

  /// Where in the literal those windows in a row begin that the fewest literals hold.
  func rarest(_ literal: [UInt8]) -> Int {
    let costs = (0...literal.count - window.width).map { start in
      let isCommon = LiteralWeight.isCommon(Array(literal[start..<start + window.width]))
      return (counts[window.value(of: literal, at: start)] ?? 0) + (isCommon ? 1_000_000 : 0)
    }
    var best = (start: 0, cost: Int.max)
    for start in 0...costs.count - window.step {
      let cost = costs[start..<start + window.step].reduce(0, +)
      if cost < best.cost { best = (start, cost) }
    }
    return best.start
  }
}
