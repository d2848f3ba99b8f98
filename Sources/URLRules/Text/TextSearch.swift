/// Which of many patterns can be found in a text, told in one pass over it.
///
///     let search = TextSearch(["/ads/", "[?&]utm_[a-z]+=", "[a-z]+[0-9]"])
///     search.alwaysChecked                        // [2]: no literal is certain
///     search.scan(url, runner) { … }              // the indices that may match; ask the `Regex` whether they do
///
/// Of each pattern one literal is looked for that every match holds, the one that tells most in this set of patterns.
/// What it reports is a superset: a pattern that PCRE2 finds in a text is reported, or is in `alwaysChecked`. Making one
/// takes milliseconds for thousands of patterns and can be done on any thread; afterwards all threads share it.
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
