import Foundation
import TestSupport
import Testing
import URLRules
import URLStandard

@Suite struct PublicSuffixesTests {
  /// Every vector of publicsuffix.org (`tests.txt`), with the list they belong to.
  @Test(.enabled(if: SharedData.isExpected, Comment(rawValue: SharedData.absence)))
  func answersThePublicVectors() throws {
    let suffixes = try #require(
      PublicSuffixes(file: SharedData.folder.appending(path: "psl/public_suffix_list.dat").path()))
    var count = 0
    for line in try SharedData.lines("psl/tests.txt") where !line.hasPrefix("//") {
      let words = line.split(separator: " ")
      guard words.count == 2, !words[0].hasPrefix("."), words[0] != "null" else { continue }
      let record = try #require(URLRecord("https://\(words[0])/"), "\(words[0])")
      let expected = words[1] == "null" ? nil : URLRecord("https://\(words[1])/")?.hostname
      #expect(suffixes.site(of: record) == expected, "\(words[0])")
      count += 1
    }
    #expect(count == 73)
  }

  @Test func addressesAndSuffixesHaveNoSite() throws {
    let suffixes = PublicSuffixes()
    for text in ["http://127.0.0.1/", "http://[::1]/", "https://com/", "https://co.uk/", "file:///etc", "mailto:a@b.c"]
    {
      #expect(suffixes.site(of: try #require(URLRecord(text))) == nil, "\(text)")
    }
    let long = Array(repeating: "a", count: 200).joined(separator: ".")
    #expect(suffixes.site(of: try #require(URLRecord("https://\(long).example.com/"))) == nil)
  }

  @Test(arguments: [
    ("https://a.example.co.uk/", "https://b.example.co.uk:8443/x", true),
    ("https://example.co.uk/", "https://other.co.uk/", false),
    ("https://a.github.io/", "https://b.github.io/", false),
    ("http://a.example.com/", "https://a.example.com/", false),
    ("https://127.0.0.1/", "https://127.0.0.1:81/", true),
    ("https://1.0.0.1/", "https://2.0.0.1/", false),
    ("https://co.uk/", "https://co.uk/", true),
    ("https://co.uk/", "https://a.co.uk/", false),
    ("https://a.b.intranet/", "https://c.b.intranet/", true),
  ])
  func sameSite(_ left: String, _ right: String, _ expected: Bool) throws {
    let suffixes = PublicSuffixes()
    let left = try #require(URLRecord(left))
    let right = try #require(URLRecord(right))
    #expect(suffixes.areSameSite(left, right) == expected)
    #expect(suffixes.areSameSite(right, left) == expected)
  }

  @Test func onlyListedNamesAreSuffixes() {
    let suffixes = PublicSuffixes()
    #expect(suffixes.holds("com"))
    #expect(suffixes.holds("co.uk"))
    #expect(suffixes.holds("github.io"))
    #expect(!suffixes.holds("contoso.com"))
    #expect(!suffixes.holds("intranet"))
    #expect(!suffixes.holds(""))
  }
}
