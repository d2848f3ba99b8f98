import FuzzSupport
import GuardModel
import TestSupport
import URLRules
import URLStandard

/// What holds of every URL pattern. Lines: the pattern, a URL, a base, and letters: `i` ignores case, `c` reads the
/// pattern as its eight components with tabs between them.
enum URLPatternProperties {
  static func check(_ bytes: [UInt8]) {
    let lines = bytes.lines(4)
    let ignoresCase = lines[3].contains("i")
    guard let pattern = try? pattern(lines, ignoresCase: ignoresCase) else { return }
    readAgain(pattern, ignoresCase: ignoresCase)
    if let record = URLRecord(lines[1]) { checkMatch(pattern, record) }
    if let judged = URLSubject.judged(lines[1]) {
      checkMatch(pattern, judged)
      checkKeys(pattern, judged)
    }
  }

  private static func pattern(_ lines: [String], ignoresCase: Bool) throws -> URLPattern {
    let base = lines[2].isEmpty ? nil : lines[2]
    guard lines[3].contains("c") else { return try URLPattern(lines[0], base: base, ignoreCase: ignoresCase) }
    var parts = URLPatternInit(baseURL: base)
    let texts = lines[0].split(separator: "\t", omittingEmptySubsequences: false)
    for (component, text) in zip(URLComponent.allCases, texts) where text != "-" { parts[component] = String(text) }
    return try URLPattern(parts, ignoreCase: ignoresCase)
  }

  /// What is shown can be read. That may give another pattern: the standard shows a few ambiguously, as `{/.}` and `/.`;
  /// the texts themselves are held against a browser's by the oracle.
  private static func readAgain(_ pattern: URLPattern, ignoresCase: Bool) {
    var parts = URLPatternInit()
    for component in URLComponent.allCases { parts[component] = pattern.text(of: component) }
    _ = try? URLPattern(parts, ignoreCase: ignoresCase)
  }

  /// Both ways to match agree, where neither reaches a limit.
  private static func checkMatch(_ pattern: URLPattern, _ record: URLRecord) {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: record.bytes.count)
    let truth = pattern.matches(record, runner)
    switch pattern.exec(record) {
    case .match: require(truth != .no, "`\(pattern.componentText)` takes `\(record.href)` with groups only")
    case .noMatch: require(truth != .yes, "`\(pattern.componentText)` takes `\(record.href)` without groups only")
    case .tooCostly: break
    }
  }

  /// What is not certainly no has a key that holds.
  private static func checkKeys(_ pattern: URLPattern, _ judged: URLRecord) {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: judged.bytes.count)
    guard pattern.matches(judged, runner) != .no, let keys = pattern.keys else { return }
    require(
      keys.contains { $0.holds(of: judged) }, "`\(pattern.componentText)` takes `\(judged.href)`, but none of \(keys)")
  }
}
