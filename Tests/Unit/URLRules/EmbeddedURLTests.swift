import Testing
import URLRules
import URLStandard

/// Pages inside pages, beyond the facts that Chromium's tests state.
struct EmbeddedURLTests {
  @Test(arguments: [
    ("https://evil-example.cdn.ampproject.org./c/s/evil.example/x?y=1#z", "https://evil.example/x?y=1"),
    ("http://cdn.ampproject.org:8080/v/evil.example", "http://evil.example/"),
    ("https://google.co.uk/amp/s/evil.example", "https://evil.example/"),
    ("https://www.google.de./amp/evil.example", "http://evil.example/"),
    ("https://www.google.com/amp/evil%2Eexample%3A8443", "http://evil.example:8443/"),
    ("https://translate.google.com/translate?u=evil.example:8443/x", "http://evil.example:8443/x"),
    ("https://translate.google.com/?u=https%3A%2F%2Fevil.example%2F%3Fa%3Db%26c", "https://evil.example/?a=b&c"),
    ("https://translate.google.com/?u=view-source:https://evil.example", "view-source:https://evil.example"),
    ("https://webcache.googleusercontent.com/search?q=cache:http://evil.example/+x", "http://evil.example/"),
    ("https://webcache.googleusercontent.com/search?q=cache:ABCDEFGHIJKL:evil.example", "http://evil.example/"),
  ])
  func thePageInsideIsFound(_ url: String, _ inside: String) throws {
    #expect(EmbeddedURL.inside(try #require(URLRecord(url))) == inside)
  }

  @Test(arguments: [
    "https://www.google.com:8443/amp/evil.example", "https://www.google.com.evil.example/amp/x.example",
    "https://translate.google.com/?u=", "https://translate.google.com/", "https://translate.google.com/?u=exa%20mple",
    "https://xcdn.ampproject.org/c/evil.example", "https://cdn.ampproject.org/", "https://cdn.ampproject.org/c/",
    "https://cdn.ampproject.org/C/evil.example", "https://evil.example/amp/x.example", "mailto:a@cdn.ampproject.org",
    "https://webcache.googleusercontent.com/search?q=cache:www.evil.example:80", "file:///amp/x.example",
  ])
  func otherURLsHoldNone(_ url: String) throws { #expect(EmbeddedURL.inside(try #require(URLRecord(url))) == nil) }

  @Test
  func noURLHoldsNone() { #expect(EmbeddedURL.inside(URLRecord()) == nil) }
}
