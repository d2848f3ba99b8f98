import GuardModel
internal import PolicyTools
import TestSupport
import Testing
import URLRules

/// What explanations say of single URLs.
struct RuleExplainerTests {
  private let ruleSet: RuleSet
  private let hardRegex: Regex

  init() throws {
    hardRegex = try Regex(#"(a+)+\1$"#)
    ruleSet = RuleSet(
      name: "sites", default: .external,
      rules: [
        Rule(id: "guests", verdict: .external, condition: .host("guests.contoso.com"), then: .block),
        Rule(
          id: "tenant", verdict: .internal,
          condition: .all([.any([.scheme("https"), .scheme("ftp")]), .domain("contoso.com")])),
        Rule(
          id: "return", verdict: .internal, condition: .all([.host("return.example"), .from(.domain("contoso.com"))])),
        Rule(
          id: "wiki", verdict: .internal,
          condition: .all([.host("wiki.example"), .not(.any([.regex(try Regex("/talk/")), .port(8443)]))])),
        Rule(id: "page", verdict: .internal, condition: .url("https://shop.example/Catalogue/")),
        Rule(id: "frames", verdict: .internal, condition: .domain("cdn.example"), purposes: .frame),
      ])
  }

  private func explain(_ url: String, from: String? = nil) -> RuleExplanation {
    RuleExplainer(ruleSet).explain(RuleQuestion(url: url, from: from))
  }

  /// What kept the rule from matching.
  private func miss(_ id: String, _ url: String, from: String? = nil) -> String? {
    explain(url, from: from).missed.first { ruleSet[$0.rule].id == id }?.words
  }

  @Test(arguments: [
    ("tenant", "http://mail.contoso.com/", "needs scheme `https` or `ftp`, this is `http`"),
    (
      "tenant", "https://contoso.com.evil.example/",
      "needs domain `contoso.com`, the host is `contoso.com.evil.example`, which only begins with that"
    ),
    (
      "tenant", "https://evilcontoso.com/",
      "needs domain `contoso.com`, the host is `evilcontoso.com`, which ends so, but not behind a dot"
    ),
    (
      "tenant", "https://c\u{43E}ntoso.com/",
      "needs domain `contoso.com`, the host is `xn--cntoso-wqf.com`, which only looks like that"
    ),
    (
      "tenant", "https://contoso.com@evil.example/",
      "needs domain `contoso.com`, the host is `evil.example`, and what stands before `@` is a user name"
    ),
    ("tenant", "ftp://www.contoso.com/", "needs domain `contoso.com`, this is no page of the web but `ftp:`"),
    (
      "tenant", "https://user@contoso.com/",
      "all it needs is there, but a URL with a user name or password is never internal by it"
    ),
    (
      "return", "https://a.return.example/",
      "needs host `return.example`, the host is `a.return.example`, which is below that"
    ),
    ("return", "https://return.example/", "needs `from`, which nobody told; an internal rule has to be sure"),
    ("wiki", "https://wiki.example/talk/x", "needs not regex `/talk/`, which holds"),
    ("wiki", "https://wiki.example:8443/", "needs not port `8443`, which holds"),
    ("page", "https://shop.example/", "needs url `https://shop.example/Catalogue/`, this is `https://shop.example/`"),
    ("frames", "https://x.cdn.example/", "speaks of `frame`, this is `page`"),
  ]) func theFirstThingThatFailedIsNamed(_ id: String, _ url: String, _ words: String) {
    #expect(miss(id, url) == words)
  }

  @Test func theLengthOfTheQueryIsNamed() {
    let condition = Condition.all([.host("a.example"), .any([.queryOver(9), .queryOver(12)])])
    let rules = [Rule(id: "long", verdict: .external, condition: condition)]
    let explainer = RuleExplainer(RuleSet(name: "sites", default: .internal, rules: rules))
    func explain(_ query: String) -> RuleExplanation {
      explainer.explain(RuleQuestion(url: "https://a.example/" + query))
    }
    let needs = "needs queryOver `9` or `12`, "
    #expect(explain("").missed.map(\.words) == [needs + "this has no query"])
    #expect(explain("?").missed.map(\.words) == [needs + "this has no query"])
    #expect(explain("?q#12345678901").missed.map(\.words) == [needs + "the query has 1 byte"])
    #expect(explain("?q=%C3%BC").missed.map(\.words) == [needs + "the query has 8 bytes"])
    let long = explain("?q=üü")
    #expect(long.deciding == "it matches: host `a.example`, queryOver `9`")
    #expect(long.changes.map(\.words).first == "without the query")
    #expect(long.changes.first?.verdict.verdict == .internal)
  }

  @Test func thePageThatLedHereIsNamed() {
    #expect(
      miss("return", "https://return.example/", from: "https://evil.example/")
        == "needs `from` with domain `contoso.com`, `from` is `https://evil.example/`")
  }

  @Test(arguments: [
    ("http://contoso.com/", ["with `https:`"]),
    ("https://contoso.com/", ["with `http:`", "with the host `guests.contoso.com`"]),
    ("https://user:pw@contoso.com/", ["without what stands before the `@`"]),
    ("http://u@contoso.com/", ["without what stands before the `@` and with `https:`"]),
    ("https://wiki.example:8443/", ["without the port"]),
    ("https://shop.example/Catalogue", ["with `/` at the end of the path", "with the path `/Catalogue/`"]),
    ("https://shop.example/", ["with the path `/Catalogue/`", "with `https://shop.example/Catalogue/` in its place"]),
    ("https://cont0so.com/", ["with the host `contoso.com`"]),
    ("https://return.example/", ["coming from `https://contoso.com/`"]),
    ("https://cdn.example/", ["for `frame`"]),
    ("contoso.com/x", ["with `https://` in front"]),
    ("about:blank", ["coming from `https://contoso.com/`", "coming from `https://shop.example/Catalogue/`"]),
    ("https://example.net/", []),
    ("https://exa mple.com/", []),
  ]) func theNearestChangesAreFound(_ url: String, _ words: [String]) {
    #expect(explain(url).changes.map(\.words) == words)
  }

  @Test func aRuleThatHidesAnotherIsToBeRemoved() throws {
    let explanation = explain("https://guests.contoso.com/")
    #expect(explanation.deciding == "it matches: host `guests.contoso.com`")
    #expect(explanation.hidden.map(\.rule) == [1])
    #expect(explanation.hidden.first?.words == "matches, too, and would be internal")
    #expect(try #require(explanation.ruleChange).kind == .removed(0))
    #expect(explanation.ruleChange?.verdict.rule == 1)
  }

  @Test func whereTwoRulesHideAnotherItIsToBeMoved() throws {
    let hosts = ["a.example", "b.example", "a.example"].map { Condition.host($0) }
    let rules = [
      Rule(id: "0", verdict: .external, condition: hosts[0]), Rule(id: "1", verdict: .external, condition: hosts[1]),
      Rule(id: "2", verdict: .external, condition: hosts[2]), Rule(id: "3", verdict: .internal, condition: hosts[0]),
    ]
    let explainer = RuleExplainer(RuleSet(name: "x", default: .external, rules: rules))
    let change = try #require(explainer.explain(RuleQuestion(url: "https://a.example/")).ruleChange)
    #expect(change.kind == .moved(3, before: 0))
    #expect(change.verdict.rule == 3)
  }

  @Test(arguments: [
    ("https://contoso.com@evil.example/", ["the user name `contoso.com` is no part of the host"]),
    ("https://:secret@contoso.com/", ["a password stands before the `@`"]),
    ("view-source:view-source:https://contoso.com/", ["`view-source:` was unwrapped", "`view-source:` was unwrapped"]),
    ("wss://contoso.com/#a", ["`wss:` is judged as `https:`", "the fragment `#a` is not judged"]),
    ("https:\\\\contoso.com\\a", ["`\\` counts as `/`", "the path `\\a` is read as `/a`"]),
    ("https://CONTOSO.com./", ["the dot behind the host was dropped"]),
    ("https://cont%6Fso.com/", ["the host `cont%6Fso.com` is read as `contoso.com`"]),
    ("http://0x7f.1:80/", ["the host `0x7f.1` is the address `127.0.0.1`", "port 80 is the scheme's own"]),
    ("\thttps://contoso.com/ ", ["spaces at its ends, tabs and line breaks were dropped"]),
    (
      "https://b\u{FC}cher.example/",
      [
        "the host `b\u{FC}cher.example` is read as `xn--bcher-kva.example`",
        "people see the host as `b\u{FC}cher.example`",
      ]
    ),
    ("https://xn--a.example/", ["the host's punycode stands for no valid name"]),
    ("about:blank", ["it counts as the page that made it, which nobody told; no rule is asked"]),
    ("javascript:1", ["`javascript:` moves no document; no rule is asked"]),
    ("https://contoso.com/", []),
    ("mailto:someone@contoso.com", []),
    ("contoso.com", ["no browser would open this: it has no scheme, such as `https:`"]),
    ("1 2", ["no browser would open this: it does not begin with a scheme"]),
    (" ", ["no browser would open this: it is empty"]),
    ("https://", ["no browser would open this: it names no host"]),
    ("https://exa mple.com/", ["no browser would open this: the host `exa mple.com` holds a space"]),
    ("https://a<b/", ["no browser would open this: the host `a<b` holds characters that no host may hold"]),
    ("https://a:x/", ["no browser would open this: `x` is no port"]),
    ("https://a:65536/", ["no browser would open this: the port `65536` is greater than 65535"]),
    ("https://[::1/", ["no browser would open this: `[::1` is no IPv6 address"]),
    (
      "https://1.2.3.256/",
      ["no browser would open this: the host `1.2.3.256` ends in a number and is no IPv4 address"]
    ),
    ("https://\u{AD}/", ["no browser would open this: `\u{AD}` is no name that a host may have"]),
    (
      "view-source:contoso.com",
      ["no browser would open this: what stands behind `view-source:` is no URL: it has no scheme, such as `https:`"]
    ),
  ]) func theReadingIsToldInWords(_ url: String, _ notes: [String]) {
    #expect(explain(url).reading.notes == notes)
  }

  @Test func aPasswordIsNeverRepeated() {
    let explanation = explain("view-source:https://user:s3cret@contoso.com/")
    #expect(!"\(explanation.reading)\(explanation.missed)\(explanation.changes.map(\.words))".contains("s3cret"))
  }

  @Test func anAddressInsideIsToldOf() {
    #expect(explain("https://t.example/?u=https%3A%2F%2Fevil.example%2Fx&l=de").wrapped == "https://evil.example/x")
    #expect(explain("https://t.example/http://evil.example").wrapped == "http://evil.example/")
    #expect(explain("https://t.example/?u=https").wrapped == nil)
  }

  @Test func patternsThatReachTheirLimitAreNotTakenForMisses() throws {
    let hard = (0..<40).map { _ in Condition.regex(hardRegex) }
    let rule = Rule(id: "hard", verdict: .internal, condition: .all([.scheme("https"), .any(hard)]))
    let text = "https://a.example/" + String(repeating: "a", count: 200) + "!"
    let explanation = RuleExplainer(RuleSet(name: "x", default: .external, rules: [rule]))
      .explain(RuleQuestion(url: text))
    #expect(
      explanation.missed.first?.words
        == "needs regex `(a+)+\\1$`, which reached its limit (and so for 39 more); an internal rule has to be sure")
  }

  @Test(arguments: [
    "https://" + String(repeating: "a.", count: 32_000), "https://" + String(repeating: "a", count: 65_000) + "@x/",
    String(repeating: "view-source:", count: 5_000) + "https://contoso.com/", String(repeating: "%", count: 65_000),
    "https://contoso.com/" + String(repeating: "%68ttps://", count: 6_000),
    String(decoding: (0...255).map { UInt8($0) }, as: UTF8.self),
    "https://" + String(decoding: (0...255).map { UInt8($0) }, as: UTF8.self), "https://contoso.com:" + "9999999999999",
    "https://[" + String(repeating: ":", count: 60_000), "https://" + String(repeating: "xn--a.", count: 10_000),
  ]) func hostileTextsAreExplainedToo(_ text: String) {
    let explanation = explain(text)
    #expect(explanation.verdict?.verdict != .internal || explanation.reading.judged != nil)
    #expect(explanation.changes.allSatisfy { $0.question.ask(ruleSet).verdict == $0.verdict })
  }

  @Test func ofManyRulesTheNearestAreTold() {
    let rules = (0..<40).map { number in
      Rule(
        id: "r\(number)", verdict: .internal,
        condition: .all([.scheme("https"), .host(number < 20 ? "h\(number).a.example" : "other\(number).example")]))
    }
    let explanation = RuleExplainer(RuleSet(name: "x", default: .external, rules: rules))
      .explain(RuleQuestion(url: "http://a.example/"))
    #expect(explanation.missed.map(\.rule.place) == Array(0..<8))
    #expect(explanation.missedMore == 12)
    #expect(explanation.otherCount == 20)
  }
}
