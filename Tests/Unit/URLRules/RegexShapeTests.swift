import Testing
import URLRules

/// What is concluded from a pattern, and what is not.
struct RegexShapeTests {
  @Test(arguments: [
    ("^https://cdn[.]example/v1/", "cdn.example /v1/"), ("^https?://cdn\\.example/v[0-9]/", "cdn.example /v"),
    ("^http://cdn[.]example/", "cdn.example /"), ("\\Ahttps://cdn[.]example/", "cdn.example /"),
    ("(?i)^https://CDN[.]Example/V1", "cdn.example /"), ("^https:\\/\\/cdn\\.example\\/a\\/b", "cdn.example /a/b"),
    ("^https://cdn[.]example[:/]", "cdn.example "), ("^https://cdn[.]example:8443/a", "cdn.example "),
    ("^https://intranet/", "intranet /"), ("^https://1[.]2[.]3[.]4/x", "1.2.3.4 /x"), ("^https://\\Qa.b\\E/", "a.b /"),
    ("^https://(?:[a-z0-9-]+[.])*a[.]example/x", "*.a.example /x"),
    ("^https?://(?:[^/]+\\.)?a[.]example/", "*.a.example /"),
    ("^https://[^/]+[.]a[.]example/", "*.a.example /"), ("^https://[a-z]+[.]a[.]example/v1/", "*.a.example /v1/"),
    ("^https://(www|m)[.]a[.]example/", "*.a.example /"), ("^https://([^/]*[.])?a[.]example[:/]", "*.a.example "),
    ("^https://a[.]example/b?c", "a.example /"), ("^https://a[.]example/b+", "a.example /"),
    ("^https://a[.]example/b[?]c", "a.example /b"), ("^https://a[.]example/(?:b|c)", "a.example /"),
    ("^https://a[.]example/b(?!c)", "a.example /b"), ("^https://a[.]example/\\Qb.c\\Ed", "a.example /b.cd"),
    ("(?x) ^https:// a [.] example / # the path", "a.example /"), ("^https://a[.]example/b|", nil),
    ("^https://a[.]example(?:/|$)", "a.example "), ("^https://a[.]example(/.*)?$", "a.example "),
    ("^https://a[.]example(?::[0-9]+)?/v1", "a.example /v1"), ("^https://a[.]example(?::8443|:443)?/", "a.example /"),
    ("^https://a[.]example(?:/x)?/v1", "a.example "), ("^https://a[.]example(?:[/:]|$)", "a.example "),
    ("^https://a[.]example$", "a.example "), ("^https://(?:[^/]+[.])?a[.]example(?:[/?#]|$)", nil),
    // The host may go on, or be another.
    ("^https://a[.]example(?:/|x)", nil), ("^https://a[.]example(?:/?|$)", nil), ("^https://a[.]example(?:/|)", nil),
    ("^https://a[.]example(?::[0-9]+)?", nil), ("^https://a[.]example(?::[0-9]+)?x", nil),
    ("^https://a[.]example", nil), ("^https://a[.]example\\b", nil),
    ("^https://a.example/", nil), ("https://a[.]example/", nil), ("^.*https://a[.]example/", nil),
    ("^https://a[.]example/?", nil), ("^https://a[.]example[/.]", nil),
    ("^https://a[.]example[^a-z]", nil), ("^https://a[.]example/*x", nil), ("^https://a[.]example(?=/)", nil),
    ("^https://a[.]example/|^https://b[.]example/", nil), ("^(?:https://a[.]example/|x)", nil),
    ("^https://(?:.*[.])?a[.]example/", nil), ("^https://.+[.]a[.]example/", nil),
    ("^https://[^.]+[.]a[.]example/", nil),
    ("^https://[^/]*a[.]example/", nil), ("^https://(?:[^/]+[.:])?a[.]example/", nil), ("^https://x?a[.]example/", nil),
    ("^https://(?:[^/]+[.]|x)?a[.]example/", nil), ("^https://[^/]+[.]example/", nil), ("^https://[^/]+[.]3[.]4/", nil),
    ("^https://(?:[^/]+[.])?3[.]4/", nil), ("^https://A[.]example/", nil), ("^https://a[.]example[.]/", nil),
    ("^https://a[.][.]example/", nil), ("^https://user@a[.]example/", nil), ("^ftp://a[.]example/", nil),
    ("^[a-z]+://a[.]example/", nil), ("^//a[.]example/", nil), ("^https://(a)[.]example/\\1", nil),
    ("^https://\\[::1]/", nil),
    ("^https{2}://a[.]example/", nil), ("^https+://a[.]example/", nil), ("^https://é[.]example/", nil),
    ("^https://(?|a[.]example)/", nil), ("^https://a[.]example\\G/", nil), ("^*https://a[.]example/", nil),
  ])
  func theHostIsNamedOrNot(_ pattern: String, _ expected: String?) throws {
    let shape = RegexShape(pattern)
    guard let expected else {
      #expect(shape.host == nil)
      return
    }
    let parts = expected.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let below = parts[0].hasPrefix("*.")
    let name = Array(parts[0].dropFirst(below ? 2 : 0).utf8)
    #expect(shape.host == .host(name, below: below, path: Array(parts[1].utf8)))
    #expect(try Regex(pattern).keys == shape.host.map { [$0] })
  }

  @Test
  func whatDemandsNoHostIsSearched() throws {
    #expect(try Regex("/v[0-9]+/").keys == [.text("/v[0-9]+/")])
  }

  @Test(arguments: [
    ("^https?://[^/]+/ads/[0-9]+[.]gif", "http :// /ads/ .gif"), ("(?i)/(?:click|track)/x", "/ click,track /x"),
    ("a|b+c", "a,bc"), ("ab+c", "ab bc"), ("(ab)c", "abc"), ("(?:ab)+c", "ab c"), ("(?:ab)?c", "c"), ("a{0}b", "b"),
    ("a{2,3}b", "a ab"), ("a(?=x)b", "ab"), ("a\\bb", "ab"), ("(?<!x)ab(?!c)", "ab"), ("ABC", "abc"), ("[aA]b", "ab"),
    ("[ab]c", "c"), ("\\Qa.b\\E*", "a."), ("a(?#x)b", "ab"), ("(?x)a b # c", "ab"),
    ("(?i:a)B", "ab"), ("x(?:a|[0-9])y", "x y"), ("(?>ab|a)c", "ab,a c"), ("\\x41\\x{2f}", "a/"),
    ("(?:a|b|c){2}", "a,b,c"), ("a.c", "a c"), ("(?:(?:ab|cd)e|f)g", "ab,cd,f g"),
    ("[a-z]+|x", ""), ("", ""), ("a?", ""), ("(?=ab)", ""), ("(a)\\1", ""), ("a(?|b|c)", ""), ("é", ""), ("\\Gab", ""),
    ("ab\\K", ""), ("(?(1)a|b)(c)", ""), ("(?R)?ab", ""), ("[[:<:]]ab", ""), ("\\Rab", ""),
  ])
  func theLiteralsOfEveryMatchAreKnown(_ pattern: String, _ expected: String) {
    let choices = RegexShape(pattern).literalChoices.map { literals in
      literals.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
    }
    #expect(choices.joined(separator: " ") == expected)
  }
}
