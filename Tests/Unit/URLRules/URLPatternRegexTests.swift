import GuardModel
import TestSupport
import Testing
import URLRules

/// Regular expressions of browsers: what they become in PCRE2, what they match, and what is refused.
struct URLPatternRegexTests {
  private func truth(_ regex: JavaScriptRegex, _ text: String) throws -> Ternary {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: text.utf8.count)
    let bytes = Array(text.utf8)
    return try Regex(regex.pcre2Pattern).matches(bytes.span, runner)
  }

  private func match(_ regex: JavaScriptRegex, _ text: String) -> JavaScriptRegex.Match {
    let bytes = Array(text.utf8)
    return regex.match(bytes.span)
  }

  @Test(arguments: [
    ("^a.b$", "\\Aa[\\x00-\\x09\\x0b\\x0c\\x0e-\\x7f]b\\z"), ("^\\d+?$", "\\A[0-9]+?\\z"), ("^[]$", "\\A(?!)\\z"),
    ("^[^]$", "\\A[\\x00-\\x7f]\\z"), ("^[[a-z]--[aeiou]]$", "\\A[b-df-hj-np-tv-z]\\z"),
    ("^[\\w&&\\d]$", "\\A[0-9]\\z"),
    ("^(?<n>a)\\k<n>$", "\\A(a)(?:(?(1)\\g{1}))\\z"), ("^\\u{41}\\x42\\cC$", "\\AAB\\x03\\z"), ("^é$", "refused"),
    ("^(?:a|b){2,}$", "\\A(?:a|b){2,}\\z"), ("^\\p{Lu}\\P{L}$", "\\A[A-Z][\\x00-\\@\\[-\\`\\{-\\x7f]\\z"),
    ("^(?i:k)s$", "\\A[Kk]s\\z"), ("^(?m:^a$)$", "\\A(?:\\A|(?<=[\\x0a\\x0d]))a(?=[\\x0a\\x0d]|\\z)\\z"),
    ("^[\\q{abc|d|}]$", "\\A(?:abc|d|)\\z"), ("^\\u{1F600}?$", "\\A(?:(?!))?\\z"), ("^-/#$", "\\A\\-\\/\\#\\z"),
  ])
  func translationsArePlain(_ text: String, _ expected: String) throws {
    guard expected != "refused" else {
      // The tokenizer of patterns lets only ASCII through; here such bytes are characters that no subject holds.
      #expect(try truth(JavaScriptRegex(text), "e") == .no)
      return
    }
    #expect(try JavaScriptRegex(text).pcre2Pattern == expected)
  }

  @Test(arguments: [
    ("^[\\u017f]$", "s S", "k"), ("^\\u212a$", "k K", "s"), ("^[^\\u017f]$", "a", "s S"), ("^\\P{Lu}$", "1", "a A"),
    ("^\\p{Lu}$", "a A", "1"), ("^[^a]$", "b B", "a A"), ("^\\W$", "-", "s K"), ("^(?-i:a)b$", "aB ab", "AB"),
    ("^(?<n>a)\\k<n>$", "aa aA Aa", "ab"), ("^[[a-z]--K]$", "a Z", "k K"), ("^[\\x00-\\u{10ffff}]$", "a Z k", "kk"),
  ])
  func lettersThatFoldToASCIIAreThoseOfASCII(_ text: String, _ matching: String, _ others: String) throws {
    let regex = try JavaScriptRegex(text, ignoresCase: true)
    for subject in matching.split(separator: " ") { #expect(try truth(regex, String(subject)) == .yes, "\(subject)") }
    for subject in others.split(separator: " ") { #expect(try truth(regex, String(subject)) == .no, "\(subject)") }
  }

  @Test(arguments: [
    ("^(?:(?<n>a)|b)\\k<n>$", "aa b", "a ba"), ("^(?<n>\\k<n>a)$", "a", "aa"), ("^(?=(?<n>a)b)ab$", "ab", "a"),
    ("^(?<!a)b|(?<=a)c$", "b ac", "ab"), ("^a(?<=a|xy)b$", "ab", "b"), ("^(?:(?<x>a)|(?<x>b))\\k<x>$", "aa bb", "ab"),
    ("^a\\b-\\Bb?$", "a-", "ab"), ("^a$", "a", "a\n"), ("^(?:a*?)*?b$", "b aab", "a"), ("^[a\\-z]$", "a - z", "b"),
  ])
  func meaningsAreThoseOfBrowsers(_ text: String, _ matching: String, _ others: String) throws {
    let regex = try JavaScriptRegex(text)
    for subject in matching.split(separator: " ") { #expect(try truth(regex, String(subject)) == .yes, "\(subject)") }
    for subject in others.split(separator: " ") { #expect(try truth(regex, String(subject)) == .no, "\(subject)") }
  }

  @Test(arguments: [
    ("\\m", 0, "`\\m` is not an escape of regular expressions of the web"),
    ("a{,2}", 1, "`{` begins a count, as in `{2}` or `{2,}`"),
    ("a{2,1}", 1, "the counts are in the wrong order"), ("a{65536}", 1, "a count is at most 65535"),
    ("a}", 1, "`}` stands alone; the character itself is `\\}`"), ("*a", 0, "`*` repeats nothing"),
    ("a**", 2, "`*` repeats a repetition"), ("(?=a)+", 5, "an assertion cannot be repeated"),
    ("(?R)", 2, "`(?` begins `(?:…)`, a look ahead or behind, or flags as in `(?i:…)`"),
    ("(?<1>a)", 3, "a group name is written `<name>`, of letters, digits, `_` and `$`"),
    ("(?<n>a)(?<n>b)", 7, "the group name `n` is used twice"), ("\\k<n>", 0, "there is no group `n`"),
    ("(a)\\2", 3, "there is no group `2`"), ("[z-a]", 1, "the range is in the wrong order"),
    ("[a&&b--c]", 5, "operators and plain members cannot be mixed in a class"),
    ("[(]", 1, "`(` has no meaning here; the character itself is `\\(`"),
    ("[a&&&b]", 4, "`&` has no meaning here; the character itself is `\\&`"),
    ("[^\\q{ab}]", 0, "a class with strings cannot be negated"),
    ("[a", 0, "`[` is never closed"), ("(a", 0, "`(` is never closed"), ("a)", 1, "`)` closes nothing"),
    ("\\p{Script=Greek}", 0, "the property `Script=Greek` is not known, or holds no ASCII character"),
    ("\\u{110000}", 0, "`\\u` is not an escape of regular expressions of the web"),
    ("(?:(?<n>a)|b)*\\k<n>", 14, "a reference to a group inside a repetition is not matched here"),
    ("(?=(?<n>a))\\k<n>", 11, "a reference to a group inside a look ahead or behind is not matched here"),
    ("(?<=a+)b", 0, "each alternative of a look behind must have a fixed length"),
    ("(a)(?<=\\1)", 7, "a look behind with a reference is not matched here"),
  ])
  func whatIsNoneOrIsReadOtherwiseIsRefused(_ text: String, _ offset: Int, _ description: String) {
    #expect {
      try JavaScriptRegex(text)
    } throws: { error in
      guard let error = error as? JavaScriptRegexError else { return false }
      return error.offset == offset && error.description == description
    }
  }

  @Test
  func stringsInAClassAreRefusedWhereBrowsersDiffer() {
    #expect(throws: JavaScriptRegexError.self) { try JavaScriptRegex("[\\q{a}]", ignoresCase: true) }
    #expect(throws: Never.self) { try JavaScriptRegex("[\\q{a}]") }
  }

  @Test(
    arguments: [
      ("^(a*)?$", "", [nil]), ("^(|a)?(.*)$", "a", ["a", ""]), ("^(?:(a)|b)*$", "ab", [nil]), ("^(a?)*$", "aa", ["a"]),
      ("^(?:(a)|(b))+$", "ab", [nil, "b"]), ("^(?<=(a|b))?$", "refused", []), ("^(a)(?!(b))$", "a", ["a", nil]),
      ("^.(?<=(.))(.*)$", "xyz", ["x", "yz"]), ("^([^]+?)(.*)$", "abc", ["a", "bc"]),
      ("^((?:a|ab)(?:c|bcd))(d*)$", "abcd", ["abcd", ""]),
    ] as [(String, String, [String?])])
  func groupsAreThoseOfBrowsers(_ text: String, _ subject: String, _ expected: [String?]) throws {
    guard subject != "refused" else {
      #expect(throws: JavaScriptRegexError.self) { try JavaScriptRegex(text) }
      return
    }
    let bytes = Array(subject.utf8)
    guard case .groups(let ranges) = try JavaScriptRegex(text).match(bytes.span) else {
      Issue.record("`\(text)` does not match `\(subject)`")
      return
    }
    #expect(ranges.map { $0.map { String(decoding: bytes[$0], as: UTF8.self) } } == expected)
  }

  @Test
  func propertiesOfASCIIAreThoseOfUnicode() throws {
    let properties: [(String, (Unicode.Scalar.Properties) -> Bool)] = [
      ("Lu", { $0.generalCategory == .uppercaseLetter }), ("Nd", { $0.generalCategory == .decimalNumber }),
      ("Sk", { $0.generalCategory == .modifierSymbol }), ("Sm", { $0.generalCategory == .mathSymbol }),
      ("Po", { $0.generalCategory == .otherPunctuation }), ("Cc", { $0.generalCategory == .control }),
      ("Alphabetic", { $0.isAlphabetic }), ("White_Space", { $0.isWhitespace }), ("IDC", { $0.isIDContinue }),
      ("XIDS", { $0.isXIDStart }), ("AHex", { $0.isASCIIHexDigit }), ("Case_Ignorable", { $0.isCaseIgnorable }),
      ("Dia", { $0.isDiacritic }), ("Dash", { $0.isDash }), ("Math", { $0.isMath }), ("QMark", { $0.isQuotationMark }),
      ("STerm", { $0.isSentenceTerminal }), ("Bidi_M", { $0.isBidiMirrored }), ("SD", { $0.isSoftDotted }),
      ("Gr_Base", { $0.isGraphemeBase }), ("Pat_Syn", { $0.isPatternSyntax }), ("Emoji", { $0.isEmoji }),
      ("CWCM", { $0.changesWhenCaseMapped }),
      ("CWKCF", { $0.changesWhenNFKCCaseFolded }), ("Pat_WS", { $0.isPatternWhitespace }),
      ("CWT", { $0.changesWhenTitlecased }),
    ]
    for (name, holds) in properties {
      let regex = try JavaScriptRegex("^\\p{\(name)}$")
      for byte in UInt8(0)..<0x80 {
        let isMember = match(regex, String(Unicode.Scalar(byte))) != .noMatch
        #expect(isMember == holds(Unicode.Scalar(byte).properties), "\(name) \(byte)")
      }
    }
  }

  @Test
  func hostileExpressionsAreBounded() throws {
    for text in ["(?:" + String(repeating: "(?:", count: 20_000), String(repeating: "[", count: 60_000)] {
      #expect(throws: JavaScriptRegexError.self) { try JavaScriptRegex(text) }
    }
    for piece in ["(?<n>a)", "a|", "[a--b]", "(?=a)", "\\1"] {
      let cost = Yardstick.cost {
        _ = try? JavaScriptRegex(String(repeating: piece, count: 60_000 / piece.utf8.count))
      }
      #expect(cost < 2_000, "\(piece)")
    }
    let many = try JavaScriptRegex("^(?:(?:a{60000}){60000}){60000}$")
    #expect(match(many, "") == .tooCostly)
    #expect(match(try JavaScriptRegex("^(?:a+)+b$"), String(repeating: "a", count: 40)) == .tooCostly)
  }

  @Test
  func translationAndStandardAgreeOnRandomExpressions() throws {
    var random = SeededGenerator()
    let note = random.note
    let subjects = ["", "a", "b", "ab", "aab", "abab", "1", "A", "k", "a-b", "bcb"].map { Array($0.utf8) }
    let runner = RegexRunner()
    var matched = 0
    for _ in 0..<Effort.scaled(30_000) {
      let text = "^(?:" + expression(depth: 0, &random) + ")$"
      guard let regex = try? JavaScriptRegex(text, ignoresCase: random.oneIn(3)) else { continue }
      let compiled = try Regex(regex.pcre2Pattern)
      for subject in subjects {
        runner.beginDecision(subjectBytes: 64)
        let truth = compiled.matches(subject.span, runner)
        let expected = regex.match(subject.span)
        if truth == .yes { matched += 1 }
        guard truth != .unknown, expected != .tooCostly else { continue }
        #expect((truth == .yes) == (expected != .noMatch), "`\(text)` on `\(subject)`: \(note)")
      }
    }
    #expect(matched > Effort.scaled(10_000), "\(note)")
  }

  private func expression(depth: Int, _ random: inout SeededGenerator) -> String {
    let sequences = (0...random.below(2)).map { _ in
      (0...random.below(3)).map { _ in
        atom(depth: depth, &random) + random.one(of: ["", "", "", "*", "+", "?", "*?", "{1,2}", "{0,2}?", "??"])
      }.joined()
    }
    return sequences.joined(separator: "|")
  }

  private func atom(depth: Int, _ random: inout SeededGenerator) -> String {
    switch random.below(depth < 3 ? 14 : 7) {
    case 0...4: random.one(of: ["a", "b", "c", "1", "-", "A", "k", "\\w", "\\d", ".", "\\W", "[a-c]", "\\u017f"])
    case 5: random.one(of: ["[[a-z]--b]", "[^a&&\\w]", "[^]", "[]", "[\\q{ab|c|}]", "\\p{L}", "\\k<n>", "\\1"])
    case 6: random.one(of: ["^", "$", "\\b", "\\B", ""])
    case 7, 8: "(?:\(expression(depth: depth + 1, &random)))"
    case 9: "(?<n>\(expression(depth: depth + 1, &random)))"
    case 10: "(?<m>\(expression(depth: depth + 1, &random)))"
    case 11: "(?=\(expression(depth: depth + 1, &random)))"
    case 12: "(?!\(expression(depth: depth + 1, &random)))"
    default: "(?<=\(random.one(of: ["a", "b|ab", "(?<n>a)", "[^a]"])))"
    }
  }
}
