import GuardModel
import TestSupport
import Testing
import URLRules

/// Patterns of texts are compared without PCRE2, and the answer is PCRE2's.
@Suite struct GlobPatternTests {
  @Test(arguments: [
    ("/ads/", true), ("(?i)/ADS/b[.]js", true), (#"\.js\?"#, true), (#"\Qa.b\E"#, true), ("(?i)a(?-i)b", true),
    ("a{1}b", true), ("[aA]b", true), ("^/ads/", true), ("a$", true), ("^a.*b.+?c$", true), (".{3,}a", true),
    ("/ads/[0-9]", false), ("ab?", false), ("a|b", false), ("(a)", false), ("", false), ("(?i)", false),
    ("a.b", false), (".*", false), ("^$", false), ("a.{2,5}b", false), ("a.*+b", false), ("a^b", false), ("a$b", false),
    ("^^a", false), ("a$$", false),
  ])
  func aGlobIsToldFromOtherPatterns(_ pattern: String, _ isGlob: Bool) {
    #expect((GlobPattern(RegexShape(pattern)) != nil) == isGlob)
  }

  @Test(arguments: [
    ("aab", "aaab", Ternary.yes), ("aab", "aaa", .no), ("(?i)a[.]B", "xA.b", .yes), ("a[.]B", "xA.b", .no),
    ("a.*b.*a", "abba", .yes), ("a.+b.*a", "abba", .yes), ("a.{2,}b", "aab", .no), ("ab.*b$", "abcab", .yes),
    ("^ab$", "ab", .yes), ("^ab$", "abab", .no), ("ab.*b$", "ab", .no), ("^a.+", "a", .no), ("^.+a", "a", .no),
    ("^b.*", "ab", .no), ("^.*b", "ab", .yes), ("aab$", "aaab", .yes),
    ("(?i)[@]", "`", .no), ("(?i)k", "\u{212A}", .no), ("(?i)é", "É", .no), ("longer", "long", .no),
  ])
  func aGlobIsFoundAsItStands(_ pattern: String, _ text: String, _ expected: Ternary) throws {
    #expect(try matches(Regex(pattern), Array(text.utf8)) == expected)
  }

  /// Rows of one letter would take the product of both lengths; PCRE2's budget then decides.
  @Test func aRowOfOneLetterIsLeftToPCRE2() throws {
    let text = try #require(GlobPattern(RegexShape(String(repeating: "a", count: 40) + "b")))
    #expect(text.isFound(in: [UInt8](repeating: UInt8(ascii: "a"), count: 5_000).span) == .unknown)
  }

  @Test func agreesWithPCRE2() throws {
    var random = SeededGenerator()
    let alphabet = Array("aAbBkK@`.:/[{^~_-0")
    for _ in 0..<Effort.scaled(40_000) {
      let literal = String((0..<random.below(5) + 1).map { _ in random.one(of: alphabet) })
      let regex = try Regex(globPattern(holding: literal, alphabet, &random))
      let around = (0..<random.below(30)).map { _ in random.one(of: alphabet) }
      let subject = Array((String(around) + (random.oneIn(2) ? literal.uppercased() : "")).utf8)
      let (ours, theirs) = (matches(regex, subject), interpreted(regex, subject))
      let place = "`\(regex.pattern)` in `\(String(decoding: subject, as: UTF8.self))`"
      #expect(ours == theirs, "\(place); \(random.note)")
    }
  }

  /// A pattern of one to three texts, one of them the given one.
  private func globPattern(
    holding literal: String, _ alphabet: [Character], _ random: inout SeededGenerator
  ) -> String {
    var texts = [literal]
    while random.oneIn(2), texts.count < 3 {
      texts.insert(
        String((0..<random.below(2) + 1).map { _ in random.one(of: alphabet) }), at: random.below(texts.count + 1))
    }
    let escaped = texts.map { text in text.map { $0.isLetter || $0.isNumber ? "\($0)" : "\\\($0)" }.joined() }
    let gaps = [".*", ".+", ".*?", ".{2,}"]
    var pattern = escaped.joined(separator: random.one(of: gaps))
    if random.oneIn(4) { pattern = random.one(of: gaps) + pattern }
    if random.oneIn(4) { pattern += random.one(of: gaps) }
    return (random.oneIn(2) ? "(?i)" : "") + (random.oneIn(4) ? "^" : "") + pattern + (random.oneIn(4) ? "$" : "")
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
