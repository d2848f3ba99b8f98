import GuardModel
import Testing
import URLRules
import URLStandard

/// What each matcher takes and what it leaves: positive, negative, border.
struct ConditionTests {
  /// A URL, and whether the condition holds of it.
  typealias Row = (url: String, truth: Ternary)

  private func expect(_ condition: Condition, _ row: Row) {
    #expect(MatchInput(row.url).truth(of: condition) == row.truth, "\(row.url)")
  }

  @Test(
    arguments: [
      ("https://contoso.com/", .yes), ("http://contoso.com/", .yes), ("https://mail.contoso.com/inbox", .yes),
      ("https://a.b.c.contoso.com/", .yes), ("https://CONTOSO.com/", .yes), ("https://contoso.com./", .yes),
      ("https://contoso.com:8443/", .yes), ("https://user@contoso.com/", .yes), ("wss://mail.contoso.com/", .yes),
      ("view-source:https://contoso.com/", .yes), ("blob:https://contoso.com/1", .yes), ("https://.contoso.com/", .yes),
      ("filesystem:https://contoso.com/temporary/x", .yes), ("view-source:blob:https://contoso.com/1", .yes),
      ("https://cont%6Fso.com/", .yes), ("https://contoso。com/", .yes), ("https:contoso.com", .yes),
      ("https://evilcontoso.com/", .no), ("https://contoso.com.evil.example/", .no), ("https://contoso.co/", .no),
      ("https://com/", .no), ("https://contoso.com../", .no), ("https://contoso.com@evil.example/", .no),
      ("https://evil.example/contoso.com", .no), ("https://evil.example/?https://contoso.com/", .no),
      ("https://evil.example\\.contoso.com/", .no), ("https://contoso-com/", .no), ("ftp://contoso.com/", .no),
      ("file://contoso.com/share", .no), ("contoso-portal://contoso.com/", .no), ("https://127.0.0.1/", .no),
    ] as [Row])
  func domainTakesAHostAndAllBelowIt(_ row: Row) { expect(.domain("contoso.com"), row) }

  @Test(
    arguments: [
      ("https://contoso.com/", .yes), ("http://contoso.com./x", .yes), ("ws://contoso.com/", .yes),
      ("https://contoso.com:8443/", .yes), ("https://www.contoso.com/", .no), ("https://com/", .no),
      ("https://contoso.com.evil.example/", .no), ("ftp://contoso.com/", .no),
    ] as [Row])
  func hostTakesExactlyOne(_ row: Row) { expect(.host("contoso.com"), row) }

  @Test(
    arguments: [
      ("https://xn--bcher-kva.example/", .yes), ("https://Bücher.example/", .yes),
      ("https://b%C3%BCcher.example./", .yes),
      ("https://www.bücher.example/", .yes), ("https://bucher.example/", .no),
    ] as [Row])
  func namesCompareAfterIDNA(_ row: Row) { expect(.domain("xn--bcher-kva.example"), row) }

  @Test(
    arguments: [
      ("https://1.2.3.4/", .yes), ("https://0x1.2.3.4/", .yes), ("https://16909060/", .yes),
      ("https://1.2.3.4./", .yes),
      ("https://2.3.4/", .no), ("https://1.2.3.5/", .no), ("https://x1.2.3.4.example/", .no),
    ] as [Row])
  func anAddressHasNothingBelowIt(_ row: Row) { expect(.domain("1.2.3.4"), row) }

  @Test
  func aNameThatEndsAnAddressIsNotItsDomain() {
    expect(.domain("3.4"), ("https://1.2.3.4/", .no))
    expect(.domain("[::1]"), ("https://[0::1]/", .yes))
    expect(.domain("[::1]"), ("https://[1::1]/", .no))
  }

  @Test(
    arguments: [
      ("https://contoso.com/a?q=1", .yes), ("HTTPS://contoso.com:443/a?q=1#top", .yes),
      ("https://user:pass@contoso.com./x/../a?q=1", .yes), ("wss://contoso.com/a?q=1", .yes),
      ("view-source:https://contoso.com/a?q=1", .yes), ("https://contoso.com/a?q=2", .no),
      ("https://contoso.com/a", .no), ("https://contoso.com/A?q=1", .no), ("http://contoso.com/a?q=1", .no),
      ("https://contoso.com/a?q=1&", .no), ("https://contoso.com:8443/a?q=1", .no),
    ] as [Row])
  func urlTakesExactlyOne(_ row: Row) { expect(.url("https://contoso.com/a?q=1"), row) }

  @Test(
    arguments: [
      ("https://x.example/", .yes), ("HTTPS://x.example/", .yes), ("wss://x.example/", .yes),
      ("blob:https://x.example/1", .yes),
      ("http://x.example/", .no), ("httpsx://x.example/", .no), ("mailto:a@x.example", .no),
    ] as [Row])
  func schemeTakesTheJudgedOne(_ row: Row) { expect(.scheme("https"), row) }

  @Test(
    arguments: [
      ("https://x.example/", .yes), ("https://x.example:443/", .yes), ("wss://x.example/", .yes),
      ("http://x.example:443/", .yes),
      ("https://x.example:8443/", .no), ("http://x.example/", .no), ("foo://x.example/", .no),
      ("foo://x.example:443/", .yes),
      ("ws://x.example:443/", .yes), ("mailto:x", .no),
    ] as [Row])
  func portIsTheSchemesOwnWhenNoneIsWritten(_ row: Row) { expect(.port(443), row) }

  /// The border is 4 bytes, as the judged URL has them: what the browser sends, and not what somebody typed.
  @Test(
    arguments: [
      ("https://x.example/?12345", .yes), ("https://x.example/?1234", .no), ("https://x.example/?1234?", .yes),
      ("https://x.example/?", .no), ("https://x.example/", .no), ("https://x.example/??123", .no),
      ("https://x.example/?%41%42", .yes), ("https://x.example/?123%", .no), ("https://x.example/?ü", .yes),
      ("https://x.example/?12 ", .no), ("https://x.example/?1 2 ", .yes), ("https://x.example/?12\"3", .yes),
      ("https://x.example/?12\t3\n4", .no), ("https://x.example/?1\u{1F600}", .yes),
      ("https://x.example/#?12345", .no), ("https://x.example/?1234#12345", .no), ("https://x.example/?123#?4567", .no),
      ("https://x.example/%3F12345", .no), ("https://x.example/12345", .no), ("https://u:12345@x.example/?1", .no),
      ("https://u?p@x.example/?1", .yes), ("https://x.example?12345", .yes), ("https:x.example\\?12345", .yes),
      ("wss://x.example/?12345", .yes), ("file:///x?12345", .yes), ("mailto:a@x.example?12345", .yes),
      ("mailto:a@x.example?1234", .no), ("tel:1?12345", .yes), ("contoso-portal://a?12345", .yes),
      ("blob:https://x.example/1?12345", .yes), ("blob:https://x.example/1?1234#5", .no),
      ("view-source:https://x.example/?12345", .yes), ("view-source:https://x.example/?1234#5", .no),
      ("view-source:blob:https://x.example/1?12345", .yes), ("filesystem:https://x.example/t?12345", .yes),
      ("filesystem:https://x.example/t?1234", .no),
    ] as [Row])
  func queryOverCountsTheBytesOfTheQuery(_ row: Row) { expect(.queryOver(4), row) }

  /// The longest query that a URL can have is under the largest number.
  @Test func queriesOfAnyLengthAreCounted() {
    let start = "https://x.example/?"
    for length in [0, 1, 255, 256, 1024, 32_768, URLRecord.maximumLength - start.utf8.count] {
      let input = MatchInput(start + String(repeating: "a", count: length))
      for bytes in [1, 254, 255, 256, 1023, 1024, 32_767, 32_768, 65_535] as [UInt16] {
        #expect(input.truth(of: .queryOver(bytes)) == Ternary(length > Int(bytes)), "\(length) over \(bytes)")
      }
    }
  }

  /// `not` and `from` treat it as any other matcher: an untold page is unknown.
  @Test func queryOverIsAskedOfThePageToo() {
    let long = "https://x.example/?12345"
    #expect(MatchInput(long).truth(of: .not(.queryOver(4))) == .no)
    #expect(MatchInput(long).truth(of: .from(.queryOver(4))) == .unknown)
    #expect(MatchInput("https://y.example/", from: long).truth(of: .from(.queryOver(4))) == .yes)
    #expect(MatchInput(long, from: "https://y.example/").truth(of: .from(.queryOver(4))) == .no)
    #expect(MatchInput(long, from: "about:blank").truth(of: .from(.queryOver(4))) == .unknown)
  }

  @Test(
    arguments: [
      ("https://a.cdn.example/v12/", .yes), ("https://user@a.cdn.example./v1/#/x", .yes),
      ("https://evil.example/#/v1/", .no),
      ("https://A.cdn.example/v1/", .yes), ("http://a.cdn.example/v1/", .no),
      ("https://evil.example/https://a.cdn.example/v1/", .no),
    ] as [Row])
  func regexSearchesTheReducedURL(_ row: Row) throws {
    expect(.regex(try Regex("^https://[a-z]+[.]cdn[.]example/v[0-9]+/")), row)
  }

  @Test(
    arguments: [
      (.document, "https://contoso.com/d?q#a", "https://contoso.com/d?q#b", .yes),
      (.document, "https://contoso.com/d?q", "https://contoso.com/d?r", .no),
      (.document, "https://contoso.com/d/", "https://contoso.com/d", .no),
      (.document, "https://contoso.com./d", "https://contoso.com:443/d", .yes),
      (.document, "file:///d/42#x", "file:///d/42", .yes), (.document, "file:///d/43", "file:///d/42", .no),
      (.document, "https://contoso.com/", nil, .unknown), (.document, "https://contoso.com/", "data:,x", .unknown),
      (.document, "custom:x", "custom:x", .unknown), (.document, "https://contoso.com/", "about:blank", .unknown),
      (.documentPath, "https://contoso.com/d?q=1", "https://contoso.com/d?q=2", .yes),
      (.documentPath, "https://contoso.com/e", "https://contoso.com/d", .no),
      (.documentPath, "http://contoso.com/d", "https://contoso.com/d", .no),
      (.documentPath, "file:///d/42?x", "file:///d/42", .yes), (.documentPath, "https://contoso.com/", nil, .unknown),
      (.origin, "https://contoso.com/e", "https://contoso.com/d", .yes),
      (.origin, "https://contoso.com:8443/", "https://contoso.com/d", .no),
      (.origin, "https://www.contoso.com/", "https://contoso.com/d", .no),
      (.origin, "http://contoso.com/", "https://contoso.com/", .no),
      (.origin, "file:///d/42", "file:///d/42", .unknown), (.origin, "https://contoso.com/", nil, .unknown),
    ] as [(Sameness, String, String?, Ternary)])
  func sameComparesWithTheDocument(_ sameness: Sameness, _ url: String, _ document: String?, _ truth: Ternary) {
    #expect(MatchInput(url, document: document).truth(of: .same(sameness)) == truth)
  }

  @Test(
    arguments: [
      ("https://www.contoso.com/", .yes), ("https://evil.example/", .no), (nil, .unknown), ("not a url", .unknown),
      ("data:,x", .unknown), ("about:blank", .unknown), ("javascript:1", .unknown),
      ("blob:https://contoso.com/1", .yes),
      ("https://contoso.com@evil.example/", .no),
    ] as [(String?, Ternary)])
  func fromAsksOfThePageThatLedHere(_ from: String?, _ truth: Ternary) {
    #expect(MatchInput("https://x.example/", from: from).truth(of: .from(.domain("contoso.com"))) == truth)
  }

  @Test(
    arguments: [(true, true, .yes), (true, false, .no), (false, true, .no), (false, false, .yes)]
      as [(Bool, Bool, Ternary)])
  func hopAsksForAServerRedirect(_ hop: Bool, _ wanted: Bool, _ truth: Ternary) {
    #expect(MatchInput("https://x.example/", hop: hop).truth(of: .hop(wanted)) == truth)
    #expect(MatchInput("https://x.example/").truth(of: .hop(wanted)) == .unknown)
  }

  @Test
  func emptyGroupsAreAlwaysAndNever() {
    #expect(MatchInput("https://x.example/").truth(of: .all([])) == .yes)
    #expect(MatchInput("https://x.example/").truth(of: .any([])) == .no)
  }
}
