import GuardModel
import TestSupport
import Testing
import URLRules

/// What is looked for before PCRE2 is asked; `TextSearchSoundnessTests` holds it against PCRE2.
struct RequiredTextsTests {
  private func areMissing(_ pattern: String, in subject: String) -> Bool {
    RequiredTexts(RegexShape(pattern)).areMissing(in: Array(subject.utf8).span)
  }

  @Test(arguments: [
    ("(?i)^https?://[^/:]+/tr[?]", "https://h.example/TR?x", false),
    ("(?i)^https?://[^/:]+/tr[?]", "https://h.example/try?x", true),
    ("/pixel[.].*/track/", "https://h.example/pixel.gif?/track/", false),
    ("/pixel[.].*/track/", "https://h.example/pixel.gif", true),
    ("/pixel[.].*/track/", "https://h.example/track/", true),
    ("[0-9]+", "https://h.example/", false), ("click|track", "https://h.example/", false),
    ("xy", "", true), ("xy", "x", true), ("xy", "xy", false), ("xy", "yx", true), ("  !", "  ", true),
    ("https?://", "mailto:a", false), ("(?:abcde)?fg", "xfg", false),
  ])
  func textsAreMissedThatAreNotThere(_ pattern: String, _ subject: String, _ expected: Bool) {
    #expect(areMissing(pattern, in: subject) == expected)
  }

  /// At every place and of every length, among bytes that the two which are looked for are made of.
  @Test
  func aTextIsMissedExactlyWhereItIsNot() {
    var random = SeededGenerator()
    var missed = 0
    for _ in 0..<Effort.scaled(200_000) {
      let text = Self.letters(2...6, &random)
      let subject = Self.letters(0...40, &random)
      let isThere = subject.lowercased().contains(text.lowercased())
      #expect(areMissing(text, in: subject) == !isThere, "`\(text)` in `\(subject)`; \(random.note)")
      missed += isThere ? 0 : 1
    }
    #expect(missed > Effort.scaled(20_000) && missed < Effort.scaled(180_000))
  }

  private static func letters(_ count: ClosedRange<Int>, _ random: inout SeededGenerator) -> String {
    String((0..<Int.random(in: count, using: &random)).map { _ in random.one(of: ["q", "Q", "z", "-"]) as Character })
  }

  /// Where comparing would take long the text may be there: PCRE2 has to tell, within its limits.
  @Test
  func whatTakesTooLongIsNotMissed() {
    let text = String(repeating: "q", count: 31) + "z"
    #expect(!areMissing(text, in: String(repeating: "q", count: 65_536)))
    #expect(areMissing(text, in: String(repeating: "q", count: 30) + String(repeating: "a", count: 65_536)))
  }
}
