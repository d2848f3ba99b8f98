internal import CPCRE2
internal import GuardModel

/// Runs patterns within limits: one a thread, refilled for each decision.
///
/// PCRE2's match limit does not bound time (20,000 steps took 2.8 s on 18 KB), so the limit of one match shrinks with
/// the subject, and a decision has a budget in all. Work that PCRE2 does not count has a budget of its own, and is
/// charged before it is done (``RegexScan``).
///
/// A pattern that is understood is never unknown for its own sake: PCRE2 runs it where that is quick, with a
/// sixty-fourth of the limit and then, in an ordinary text, with the whole. An automaton answers where PCRE2 does not
/// finish; its work is counted as it is done (``RegexAutomaton``). It decides `[^/]+[.]exe$` on a sign-in URL of 16
/// KiB, for example. Every other pattern runs first with a sixty-fourth of the limit, and again with the whole only
/// when that was too little; the charge is therefore never less than the use.
package final class RegexRunner {
  private let data: OpaquePointer?
  private let context: OpaquePointer?
  @exclusivity(unchecked) private var budget = 0
  /// Bytes that may be looked at beside the steps of PCRE2.
  @exclusivity(unchecked) private var scanBudget = 0
  /// Number of matches run so far, and number of steps granted to those that needed more than a first try.
  @exclusivity(unchecked) package private(set) var work = (matches: 0, steps: 0)
  /// The memory of searches, which come before matching.
  let scratch = TextScratch()
  /// Memory for matching URL patterns.
  var positions = PositionSets()
  private var machine = RegexAutomatonMachine()
  private var automata = RecentAutomata()

  /// Maximum number of whole limits that one decision may use.
  package static let limitsPerDecision = 64
  /// Maximum number of bytes that one decision may look at: 80 ms at worst.
  private static let scanBytesPerDecision = 1 << 26
  /// In a text up to so long nothing uncounted takes long.
  private static let shortText = 256
  /// In a text up to so long the whole limit of PCRE2 is tried before an automaton, while half of the budget is left.
  private static let ordinaryText = 8_192
  /// Cost of an automaton step, and of reading a byte of a pattern for one, each in looks at a byte.
  private static let bytesPerStep = 4
  private static let bytesPerPatternByte = 128
  /// Looking at each byte so often is quicker than an automaton.
  private static let quickFactor = 16

  package init() {
    data = pcre2_match_data_create_8(1, nil)
    context = pcre2_match_context_create_8(nil)
    if let context {
      pcre2_set_heap_limit_8(context, 4096)
      pcre2_set_depth_limit_8(context, 10_000)
    }
  }

  deinit {
    pcre2_match_data_free_8(data)
    pcre2_match_context_free_8(context)
  }

  /// Gives the next decision its whole budget, for subjects of this many bytes.
  package func beginDecision(subjectBytes: Int) {
    budget = Self.limit(subjectBytes: subjectBytes) * Self.limitsPerDecision
    scanBudget = Self.scanBytesPerDecision
  }

  /// Steps one match may take: 15,625 up to 64 bytes, 15 at 64 KiB.
  package static func limit(subjectBytes: Int) -> Int { 1_000_000 / max(64, subjectBytes) }

  /// Whether any of the budget is left.
  var canSpend: Bool { budget > 0 }

  /// Takes work that is not PCRE2's from the budget: bytes looked at, of a subject of this many. False when the budget
  /// is spent: then the answer is unknown.
  package func spend(_ bytes: Int, subjectBytes: Int) -> Bool {
    let steps = 1 + bytes / max(64, subjectBytes)
    guard budget >= steps else {
      budget = 0
      return false
    }
    budget -= steps
    work.steps += steps
    return true
  }

  /// PCRE2's answer when it comes soon; nil when it would take longer, or may.
  ///
  /// Whole limits spend only half of the budget: the automata still answer where many patterns stay undecided.
  func runBriefly(_ code: OpaquePointer, _ scan: RegexScan?, _ subject: Span<UInt8>) -> Ternary? {
    work.matches += 1
    let whole = Self.limit(subjectBytes: subject.count)
    let brief = max(1, whole / 64)
    if let scan, subject.count > Self.shortText, !isQuick(scan, subject, limit: brief) { return nil }
    let first = run(code, subject, limit: brief)
    guard first == PCRE2_ERROR_MATCHLIMIT else { return Self.truth(first) }
    guard subject.count <= Self.ordinaryText, budget >= whole * (1 + Self.limitsPerDecision / 2) else { return nil }
    if let scan, subject.count > Self.shortText, !isQuick(scan, subject, limit: whole) { return nil }
    work.steps += whole
    let second = run(code, subject, limit: whole)
    return second == PCRE2_ERROR_MATCHLIMIT ? nil : Self.truth(second)
  }

  /// Whether PCRE2 looks at few bytes only; if so they are charged.
  private func isQuick(_ scan: RegexScan, _ subject: Span<UInt8>, limit: Int) -> Bool {
    let most = min(scanBudget, Self.quickFactor * subject.count)
    let effort = scan.effort(textBytes: subject.count)
    guard effort <= most else { return false }
    scanBudget -= effort
    let cost = scan.cost(of: subject, limit: limit)
    guard cost <= most else { return false }
    scanBudget -= min(cost, scanBudget)
    return true
  }

  /// The answer of the pattern's automaton, unknown when the budget ends before; nil when there is none for this text.
  func run(_ regex: Regex, _ subject: Span<UInt8>) -> Ternary? {
    // Charged whether or not it has to be made, so that an answer never depends on earlier questions.
    scanBudget -= min(scanBudget, Self.bytesPerPatternByte * (64 + regex.pattern.utf8.count))
    guard scanBudget > 0 else { return .unknown }
    guard let automaton = automata.automaton(of: regex) else { return nil }
    var steps = scanBudget / Self.bytesPerStep
    let granted = steps
    let truth = machine.run(automaton, subject, steps: &steps)
    work.steps += granted - max(0, steps)
    scanBudget = max(0, steps) * Self.bytesPerStep
    return truth == .unknown && steps >= 0 ? nil : truth
  }

  func run(_ code: OpaquePointer, _ scan: RegexScan?, _ subject: Span<UInt8>) -> Ternary {
    work.matches += 1
    let whole = Self.limit(subjectBytes: subject.count)
    if let scan, subject.count > Self.shortText, !affords(scan, subject, whole) { return .unknown }
    let first = run(code, subject, limit: max(1, whole / 64))
    guard first == PCRE2_ERROR_MATCHLIMIT else { return Self.truth(first) }
    work.steps += whole
    return Self.truth(run(code, subject, limit: whole))
  }

  private func affords(_ scan: RegexScan, _ subject: Span<UInt8>, _ limit: Int) -> Bool {
    let effort = scan.effort(textBytes: subject.count)
    guard scanBudget >= effort else { return false }
    scanBudget -= effort
    let cost = scan.cost(of: subject, limit: limit)
    guard scanBudget >= cost else { return false }
    scanBudget -= cost
    return true
  }

  private func run(_ code: OpaquePointer, _ subject: Span<UInt8>, limit: Int) -> Int32 {
    guard let data, let context, budget >= limit else { return PCRE2_ERROR_NOMEMORY }
    budget -= limit
    pcre2_set_match_limit_8(context, UInt32(limit))
    return subject.withUnsafeBufferPointer { bytes in
      pcre2_match_8(code, bytes.baseAddress, bytes.count, 0, 0, data, context)
    }
  }

  private static func truth(_ result: Int32) -> Ternary {
    if result >= 0 { return .yes }
    return result == PCRE2_ERROR_NOMATCH ? .no : .unknown
  }
}

/// The automata that were made last, so that a pattern which needs one for many URLs makes it once.
///
/// One a thread, with its runner. A pattern is known by its object, which is held as long as its automaton is: another
/// that comes to lie at the same address later is never taken for it.
struct RecentAutomata {
  private struct Entry {
    let regex: Regex
    /// Nil: the pattern has none.
    let automaton: RegexAutomaton?
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var instructions = 0

  /// All automata together, in instructions: some four megabytes. When more are needed all are forgotten.
  private static let mostInstructions = 100_000

  /// The automaton of a pattern, made when it is not here.
  mutating func automaton(of regex: Regex) -> RegexAutomaton? {
    if let known = entries[ObjectIdentifier(regex)] { return known.automaton }
    let automaton = RegexAutomaton(RegexShape(regex.pattern))
    instructions += 64 + (automaton?.count ?? 0)
    if instructions > Self.mostInstructions {
      entries.removeAll()
      instructions = 64 + (automaton?.count ?? 0)
    }
    entries[ObjectIdentifier(regex)] = Entry(regex: regex, automaton: automaton)
    return automaton
  }
}
