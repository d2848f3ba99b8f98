import TestSupport
import Testing
import URLRules

/// Syntax that releases of PCRE2 read differently is refused, with its place; what only looks like it is not.
struct RefusedSyntaxTests {
  @Test(arguments: [
    // Quantifiers since 10.43, text before.
    ("a{,3}", 1), ("a{ 1,2 }", 1), ("a{1, 2}", 1), ("a{ 3}", 1), ("(?x)a { 1 }", 6), ("[a]b{,2}", 4), ("{ 1}", 0),
    ("a{3\t}", 1), ("(?i:x{,9})", 5), ("\\Qa\\E{,2}", 5),
    // Blanks in braces are allowed since 10.43.
    ("\\x{ 41 }", 0), ("\\o{ 101}", 0), ("(a)\\g{ 1 }", 3), ("(?<n>a)\\k{ n }", 7),
    // NUL before 10.45, an error since.
    ("a\\xg", 1), ("\\x", 0), ("[\\x]", 1),
    // They depend on the release's Unicode, or on a mode that URLs do not need.
    ("\\p{Ll}", 0), ("\\PL", 0), ("[\\p{L}]", 1), ("\\X", 0), ("\\C", 0), ("\\N{U+41}", 0),
    // They undo limits, or mean another character set.
    ("(*UTF)x", 0), ("(*UCP)x", 0), ("(*LIMIT_MATCH=9999999)x", 0), ("(*NO_JIT)x", 0), ("(*CRLF)x", 0),
    ("a(*SKIP)b", 1),
    ("a(*ACCEPT)b", 1), ("(*pla:x)", 0), ("(a)(*scs:(1)b)", 3), ("(*TURKISH_CASING)i", 0),
    ("a(?C)b", 1), ("a(?C1)b", 1), ("a(?C'x')b", 1),
    // Known to some releases only.
    ("(?[ [a-z] - [b] ])", 0), ("(?aD)\\d", 0), ("(?r)k", 0), ("(?ia:x)", 0), ("(a)(?1(1))", 3),
    ("(?(VERSION>=10.43)a|b)", 0),
    ("(?<\(String(repeating: "n", count: 33))>a)", 0),
  ])
  func itIsRefusedWithItsPlace(_ pattern: String, _ offset: Int) {
    #expect {
      try Regex(pattern)
    } throws: { error in
      guard let error = error as? RegexError else { return false }
      return error.offset == offset && !error.description.isEmpty && error.description.first?.isUppercase == false
    }
    #expect(RegexShape(pattern).refusal?.offset == offset)
  }

  @Test(arguments: [
    "a{3}", "a{3,}", "a{0,3}?", "a{,}", "a{}", "a{x}", "a\\{,3}", "[{,3}]", "\\Q{,3}\\E", "(?#{,3})a",
    "(?x)a # {,3}\nb",
    "{", "}", "a{1", "a{1,", "{a,3}", "[(*UTF)]", "\\(*UTF", "\\Q(*UTF)\\E", "(?#(*UTF)a", "[\\\\C]", "\\\\C", "\\\\x",
    "\\x4", "\\x{4}", "\\xFF", "[[:alpha:]\\d]", "(?i)a", "(?-i:a)", "(?^)a", "(?R)?a", "(a)(?1)", "(?P<n>a)(?P>n)",
    "(?(?=a)a|b)", "(a)?(?(1)b|c)", "\\o{101}", "\\N{3}", "(a)\\g{1}", "[]{,3}]", "[^]{,3}]", "[\\]{,3}]",
    "(?<\(String(repeating: "n", count: 32))>a)",
  ])
  func whatOnlyLooksLikeItIsTaken(_ pattern: String) throws {
    _ = try Regex(pattern)
    #expect(RegexShape(pattern).refusal == nil)
  }

  @Test
  func patternsAreBounded() throws {
    _ = try Regex(String(repeating: "a", count: Regex.maximumBytes))
    for (pattern, word) in [
      (String(repeating: "a", count: Regex.maximumBytes + 1), "longer"), ("(((a{1,9}b){1,100}){1,100})", "large"),
      ("(?:\(String(repeating: "a", count: 999))){99}", "large"),
      (String(repeating: "(", count: 101) + String(repeating: ")", count: 101), "nested"),
    ] {
      #expect {
        try Regex(pattern)
      } throws: { error in
        (error as? RegexError)?.description.contains(word) == true
      }
    }
  }

  @Test
  func hostilePatternsAreReadInNoTime() {
    let hostile = [
      String(repeating: "(", count: 8000), String(repeating: "(?:", count: 5000), String(repeating: "[", count: 16_000),
      String(repeating: "(a|", count: 90) + String(repeating: ")", count: 90), String(repeating: "{,", count: 8000),
      String(repeating: "\\Q", count: 8000), String(repeating: "a{9", count: 5000),
      String(repeating: "(?#", count: 5000),
      String(repeating: "((a?)?|", count: 99) + String(repeating: ")*", count: 99), "\\", "(?", "(?<", "[\\", "(?i",
      "\\x{",
    ]
    let cost = Yardstick.cost {
      for pattern in hostile {
        let shape = RegexShape(pattern)
        #expect(shape.host == nil)
        #expect(shape.literalChoices.count <= pattern.utf8.count)
      }
    }
    #expect(cost < 5_000)
  }
}
