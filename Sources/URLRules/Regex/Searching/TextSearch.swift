internal import GuardModel

/// Rules by a text that must be found in the URL: all of these are searched for in one pass.
struct TextIndex: Sendable {
  private let search: TextSearch?
  /// The rules of each pattern.
  private let lists: [PostingList]
  /// The rules of all patterns, for a search that failed.
  private let all: PostingList
  /// The smallest number of a rule here; a rule before it need not be searched for.
  let firstRule: Int32

  /// `rules` are those of each pattern, each filed by `add`; patterns that a search cannot take must not be among them.
  init(_ search: TextSearch, _ rules: [[Int32]], add: ([Int32]) -> PostingList) {
    let everyRule = Set(rules.joined()).sorted()
    self.search = everyRule.isEmpty ? nil : search
    lists = rules.map(add)
    all = add(everyRule)
    firstRule = everyRule.first ?? .max
  }

  /// Calls `body` with the rules of each pattern that may be found in `text`.
  func forEachList(in text: Span<UInt8>, _ runner: RegexRunner, _ body: (PostingList) -> Void) {
    guard let search, !search.scan(text, runner, { body(lists[Int($0)]) }) else { return }
    body(all)
  }
}

/// The patterns, among many, that can be found in a text, told in one pass over it.
///
///     let search = TextSearch(["/ads/", "[?&]utm_[a-z]+=", "[a-z]+[0-9]"])
///     search.alwaysChecked                        // [2]: no literal is certain
///     search.scan(url, runner) { … }              // the indices that may match; ask the `Regex` whether they do
///
/// It looks for one literal of each pattern: one that every match holds, and that tells most in this set of patterns.
/// It reports a superset: a pattern that PCRE2 finds in a text is reported, or is in `alwaysChecked`. Making one takes
/// milliseconds for thousands of patterns and can be done on any thread; afterwards all threads share it.
///
/// Trap: no library is asked. Vectorscan was tried; 5.4.9 misses `a` in texts of more than 64 bytes on processors with
/// AVX-512, and later releases miss others. A missed match is a leak.
package final class TextSearch: Sendable {
  /// Indices of patterns that a scan does not look for, ascending: they may match any text.
  package let alwaysChecked: [Int32]
  private let tables: [LiteralTable]
  private let patterns: Int
  private let literals: Int

  package init(_ patterns: [String]) {
    let plan = TextSearchPlan(patterns)
    alwaysChecked = plan.alwaysChecked
    tables = plan.tables()
    literals = tables.reduce(0) { $0 + $1.count }
    self.patterns = patterns.count
  }

  /// Bytes that the search takes.
  package var size: Int { tables.reduce(0) { $0 + $1.size } }

  /// Calls `found` with the index of each pattern that may be found in `subject`, each once, in no order, and none of
  /// `alwaysChecked`; false when the scan failed, and then every pattern may be found. Allocates nothing once the
  /// runner has met the search.
  package func scan(_ subject: Span<UInt8>, _ runner: RegexRunner, _ found: (Int32) -> Void) -> Bool {
    runner.scratch.collect(
      literals: literals, patterns: patterns,
      { marks in
        for table in tables { table.scan(subject, &marks) }
      }, found)
    return true
  }
}

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

  /// The frequency of a literal in URLs, times the square of the patterns that would all be asked then: a literal that
  /// tells patterns apart is worth more than a rare one.
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
