import Testing
import URLRules

/// Patterns made to be misread, each with texts that PCRE2 finds it in.
struct TextSearchTrapTests {
  private static let traps: [(pattern: String, texts: [String])] = [
    // Look-around.
    ("(?=ab)a", ["ab"]), ("a(?=bc)b", ["abc"]), ("(?!x)ab", ["ab"]), ("(?<=a)b", ["ab"]), ("(?<!a)b", ["b", "cb"]),
    ("^(?!.*evil)https", ["https://a/"]), ("(?=.*z)a", ["a-z"]), ("(?<=ab|c)d", ["abd", "cd"]),
    ("a(?!b)", ["a", "ac"]),
    ("(?:(?=a)a)+", ["aa"]), ("(?=a)(?=ab)ab", ["ab"]),
    // References, recursion, conditions.
    ("(a)\\1", ["aa"]), ("(a|b)\\1", ["bb"]), ("(?<n>a)\\k<n>", ["aa"]), ("(?P<n>a)(?P=n)", ["aa"]),
    ("(a)\\g{-1}", ["aa"]),
    ("(a(?1)?b)", ["aabb", "ab"]), ("a(?R)?b", ["ab", "aabb"]), ("(a)?(?(1)b|c)", ["ab", "c"]),
    ("(?(?=a)ab|cd)", ["ab", "cd"]),
    ("(?(DEFINE)(?<n>x))(?&n)y", ["xy"]), ("(?|(a)|(b))\\1", ["aa", "bb"]), ("\\12", ["\n"]),
    ("(?<a>b)(?'c'd)\\2", ["bdd"]),
    // Atomic and possessive.
    ("(?>a+)b", ["aab"]), ("a++b", ["aab"]), ("(?>ab|a)c", ["abc"]), ("[ab]*+c", ["abc", "c"]), ("(?>a|ab)c", ["ac"]),
    // Borders.
    ("\\bab", ["ab", "-ab"]), ("ab\\b", ["ab", "ab-"]), ("\\Bab", ["xab"]), ("ab\\B", ["abx"]), ("\\b", ["a"]),
    ("\\B", ["", "--"]),
    ("a\\b-", ["a-"]), ("^\\b", ["a"]), ("\\b$", ["a"]), ("-\\B-", ["--"]),
    // Options.
    ("(?i)ab", ["AB", "aB"]), ("a(?i)b", ["aB"]), ("(a(?i)b|c)", ["aB", "C"]), ("(?i:a)b", ["Ab"]),
    ("(?i)a(?-i)B", ["AB", "aB"]),
    ("(?-i)a", ["a"]), ("(?m)^a", ["a", "b\na"]), ("(?m)a$", ["a\nb"]), ("(?s)a.b", ["a\nb"]), ("(?x) a b # c", ["ab"]),
    ("(?x)a#b\nc", ["ac"]), ("(?x)[ #]", [" ", "#"]), ("(?x)\\ #", [" "]), ("(?x:a) b", ["a b"]),
    ("(?x)(?-x:a b)", ["a b"]),
    ("(?x)(?-x:a) b", ["ab"]), ("(?xx)[a b]", ["a"]), ("(?^i)a", ["A"]),
    ("(?i)[^a]b", ["cB"]), ("(?U)a+b", ["aab"]), ("(?n)(a)b", ["ab"]), ("(?i)(?<x>k)", ["K"]), ("((?i)a)b", ["Ab"]),
    // Nothing, and places.
    ("", ["", "a"]), ("a*", ["", "b"]), ("(a|)", ["b"]), ("()", ["x"]), ("$", ["a"]), ("a$", ["a", "a\n"]),
    ("a\\Z", ["a", "a\n"]),
    ("a\\z", ["a"]), ("\\Aa", ["a"]), ("\\Ga", ["a"]), ("a\\Kb", ["ab"]), ("^", [""]), ("^$", [""]), ("a|^", ["b"]),
    ("(^a|b$)", ["ab"]),
    ("x*^a", ["a"]), ("a(?:$|b)", ["a", "ab"]), ("(?:^|/)a", ["a", "/a"]),
    // Quantifiers.
    ("(?:a{2}){2}", ["aaaa"]), ("(?:(?:a?b){1,2}c)+", ["abbc"]), ("a{0}b", ["b"]), ("(?:ab){0}c", ["c"]),
    ("a{1}b", ["ab"]),
    ("a??b", ["b"]), ("(a+)+b", ["aab"]), ("(?:a|b)*c", ["abc", "c"]), ("a{2,}b", ["aab"]), ("(?:){3}ab", ["ab"]),
    ("ab{0,1}c", ["ac"]),
    // Classes and escapes.
    ("[]a]b", ["]b"]), ("[^]a]b", ["cb"]), ("[a\\]]b", ["]b"]), ("[\\w-]a", ["-a"]), ("[a-]b", ["-b"]),
    ("[[:alpha:]]1", ["a1"]),
    ("[[:^alpha:]]a", ["1a"]), ("[\\Qa-z\\E]b", ["-b"]), ("[+--]a", [",a"]), ("[\\x41-\\x43]d", ["Bd"]),
    ("\\x{41}b", ["Ab"]),
    ("\\Qa.b\\Ec", ["a.bc"]), ("\\Qa\\E+b", ["aab"]), ("\\Qab", ["ab"]), ("a\\Q\\E*b", ["b", "aab"]), ("\\Ea", ["a"]),
    ("a{", ["a{"]), ("{a}", ["{a}"]), ("a{x}", ["a{x}"]), ("a{,}", ["a{,}"]), ("]", ["]"]), ("}", ["}"]),
    ("\\.\\*", [".*"]),
    ("\\101", ["A"]), ("\\0", ["\0"]), ("\\cA", ["\u{1}"]), ("\\e", ["\u{1B}"]), ("\\o{101}", ["A"]),
    ("a\\Nb", ["axb"]),
    ("a\\Rb", ["a\nb", "a\r\nb"]), ("a\\hb", ["a b"]), ("\\/\\-\\_", ["/-_"]), ("(?#a)b", ["b"]),
    ("a(?#b)*c", ["c", "aac"]),
    ("[[:<:]]ab", ["ab"]), ("a(?#)b", ["ab"]), ("[(]a", ["(a"]), ("[|]", ["|"]), ("\\(a\\|b", ["(a|b"]),
  ]

  @Test(arguments: traps)
  func aTrapIsReported(_ trap: (pattern: String, texts: [String])) throws {
    let patterns = SearchedPatterns([trap.pattern])
    try #require(patterns.entries.count == 1)
    for text in trap.texts {
      for around in ["", "-", String(repeating: "/", count: 70)] {
        let bytes = Array((around + text + around).utf8)
        let found = patterns.found(in: bytes)
        #expect(!around.isEmpty || found == [true], "`\(text)`")
        #expect(patterns.misses(in: bytes, found: found, record: nil).map(\.description) == [])
      }
    }
  }

  @Test
  func thereAreEnoughOfThem() {
    #expect(Self.traps.count >= 120)
  }
}
