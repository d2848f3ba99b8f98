import FuzzSupport
import GuardModel
import URLRules
import URLStandard

/// What holds of every regular expression. Lines: the pattern, a second one, then URLs.
///
/// A pattern that PCRE2 finds is found by what the index files it under, alone and beside another.
enum RegexProperties {
  private static let maximumURLs = 6

  static func check(_ bytes: [UInt8]) {
    let lines = bytes.allLines(maximum: 2 + maximumURLs)
    let patterns = lines.prefix(2).filter { !$0.isEmpty }
    let regexes = patterns.compactMap { try? Regex($0) }
    guard !regexes.isEmpty else { return }
    let judged = lines.dropFirst(2).compactMap { URLSubject.judged($0) }
    let searches = [TextSearch(regexes.map(\.pattern))] + regexes.map { TextSearch([$0.pattern]) }
    for record in judged {
      let together = found(searches[0], record)
      for (index, regex) in regexes.enumerated() where matches(regex, record) {
        require(together.contains(Int32(index)), "`\(regex.pattern)` is found in `\(record.href)` beside others")
        require(found(searches[index + 1], record).contains(0), "`\(regex.pattern)` is found in `\(record.href)`")
        let keys = regex.keys ?? []
        require(
          regex.keys == nil || keys.contains { $0.holds(of: record) },
          "`\(regex.pattern)` matches `\(record.href)`, but none of \(keys)")
      }
    }
  }

  private static func matches(_ regex: Regex, _ record: URLRecord) -> Bool {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: record.bytes.count)
    return regex.matches(record.bytes.span, runner) == .yes
  }

  /// What a search reports, and what it leaves to be checked always.
  private static func found(_ search: TextSearch, _ record: URLRecord) -> Set<Int32> {
    var found = Set(search.alwaysChecked)
    let isComplete = search.scan(record.bytes.span, RegexRunner()) { found.insert($0) }
    return isComplete ? found : Set(0..<2)
  }
}
