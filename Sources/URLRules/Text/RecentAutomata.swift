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
