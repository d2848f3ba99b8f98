import GuardModel
import TestSupport
import Testing
import URLRules

/// Patterns that are a text are compared without PCRE2, and the answer is PCRE2's.
@Suite struct PlainTextTests {
  @Test(arguments: [
    ("/ads/", true), ("(?i)/ADS/b[.]js", true), (#"\.js\?"#, true), (#"\Qa.b\E"#, true), ("(?i)a(?-i)b", true),
    ("a{1}b", true), ("[aA]b", true), ("/ads/[0-9]", false), ("^/ads/", false), ("a$", false), ("ab?", false),
    ("a|b", false), ("(a)", false), ("", false), ("(?i)", false), ("a.b", false),
  ])
  func aTextIsToldFromAPattern(_ pattern: String, _ isText: Bool) {
    #expect((PlainText(RegexShape(pattern)) != nil) == isText)
  }

  @Test(arguments: [
    ("aab", "aaab", Ternary.yes), ("aab", "aaa", .no), ("(?i)a[.]B", "xA.b", .yes), ("a[.]B", "xA.b", .no),
    ("(?i)[@]", "`", .no), ("(?i)k", "\u{212A}", .no), ("(?i)é", "É", .no), ("longer", "long", .no),
  ])
  func aTextIsFoundAsItStands(_ pattern: String, _ text: String, _ expected: Ternary) throws {
    #expect(try matches(Regex(pattern), Array(text.utf8)) == expected)
  }

  /// Rows of one letter would take the product of both lengths; PCRE2's budget then decides.
  @Test func aRowOfOneLetterIsLeftToPCRE2() throws {
    let text = try #require(PlainText(RegexShape(String(repeating: "a", count: 40) + "b")))
    #expect(text.isFound(in: [UInt8](repeating: UInt8(ascii: "a"), count: 5_000).span) == .unknown)
  }

  @Test func agreesWithPCRE2() throws {
    var random = SeededGenerator()
    let alphabet = Array("aAbBkK@`.:/[{^~_-0")
    for _ in 0..<Effort.scaled(40_000) {
      let literal = String((0..<random.below(5) + 1).map { _ in random.one(of: alphabet) })
      let escaped = literal.map { $0.isLetter || $0.isNumber ? "\($0)" : "\\\($0)" }.joined()
      let regex = try Regex((random.oneIn(2) ? "(?i)" : "") + escaped)
      let around = (0..<random.below(30)).map { _ in random.one(of: alphabet) }
      let subject = Array((String(around) + (random.oneIn(2) ? literal.uppercased() : "")).utf8)
      let (ours, theirs) = (matches(regex, subject), interpreted(regex, subject))
      let place = "`\(regex.pattern)` in `\(String(decoding: subject, as: UTF8.self))`"
      #expect(ours == theirs, "\(place); \(random.note)")
    }
  }

  private func matches(_ regex: Regex, _ subject: [UInt8]) -> Ternary {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: subject.count)
    return regex.matches(subject.span, runner)
  }

  private func interpreted(_ regex: Regex, _ subject: [UInt8]) -> Ternary {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: subject.count)
    return regex.interpreted(subject.span, runner)
  }
}
