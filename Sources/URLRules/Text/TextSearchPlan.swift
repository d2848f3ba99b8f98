/// Chooses for each pattern the literals that are looked for.
struct TextSearchPlan {
  private(set) var alwaysChecked: [Int32] = []
  /// The patterns that wait for each literal.
  private var waiting: [[UInt8]: [Int32]] = [:]

  init(_ patterns: [String]) {
    let choices = patterns.map { RegexShape($0).literalChoices }
    var holders: [[UInt8]: Int] = [:]
    for literal in choices.joined().joined() { holders[literal, default: 0] += 1 }
    for (number, choices) in choices.enumerated() {
      let index = Int32(truncatingIfNeeded: number)
      guard let best = choices.min(by: { Self.cost($0, holders) < Self.cost($1, holders) }) else {
        alwaysChecked.append(index)
        continue
      }
      for literal in Set(best) { waiting[literal, default: []].append(index) }
    }
  }

  /// How often a literal is in a URL, times the square of the patterns that would all be asked then: what tells
  /// patterns apart is worth more than what is rare.
  private static func cost(_ literals: [[UInt8]], _ holders: [[UInt8]: Int]) -> Double {
    literals.reduce(0) { sum, literal in
      let shared = Double(holders[literal] ?? 1)
      return sum + shared * shared / Double(1 << LiteralWeight.bits(literal))
    }
  }

  /// One table for each kind of windows that is needed.
  func tables() -> [LiteralTable] {
    var tables: [LiteralTable] = []
    var count = 0
    for window in LiteralWindow.all {
      let entries = waiting.filter { LiteralWindow(literalLength: $0.key.count) == window }
        .map { LiteralTable.Entry(literal: $0.key, patterns: $0.value) }
        .sorted { $0.literal.lexicographicallyPrecedes($1.literal) }
      guard !entries.isEmpty else { continue }
      tables.append(LiteralTable(window, firstNumber: count, entries))
      count += tables.last?.count ?? 0
    }
    return tables
  }
}
