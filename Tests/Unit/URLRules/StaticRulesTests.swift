import GuardModel
internal import RuleExport
import Testing
import URLRules

/// What one external rule becomes for each engine.
struct StaticRulesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var condition: Condition
    var webKit: [String] = []
    /// `hosts|expression`.
    var netRequest: [String] = []
    var chromium: [String] = []
    var firefox: [String] = []
    /// Engines that report that they cannot say it, by their first letters.
    var unsaid = ""

    var testDescription: String { name }
  }

  private static func name(_ text: String) -> [UInt8] { Array(text.utf8) }

  static let rows: [Row] = [
    Row(
      name: "domain", condition: .domain(name("contoso.com")),
      webKit: [#"^https?://([^/]*[.@])?contoso\.com\.?(:[0-9]+)?/"#], netRequest: ["contoso.com|"],
      chromium: ["contoso.com"], firefox: ["*://*.contoso.com/*"]),
    Row(
      name: "domain that is an address", condition: .domain(name("127.0.0.1")),
      webKit: [#"^https?://([^/]*@)?127\.0\.0\.1(:[0-9]+)?/"#], netRequest: ["127.0.0.1|"], chromium: ["127.0.0.1"],
      firefox: ["*://127.0.0.1/*"]),
    Row(
      name: "host", condition: .host(name("contoso.com")),
      webKit: [#"^https?://([^/]*@)?contoso\.com\.?(:[0-9]+)?/"#],
      netRequest: [#"|^https?://(?:[^/]*@)?contoso\.com\.?(?::[0-9]+)?/"#], chromium: [".contoso.com"],
      firefox: ["*://contoso.com/*"]),
    Row(
      name: "hosts of one rule", condition: .any([.domain(name("b.example")), .domain(name("a.example"))]),
      webKit: [
        #"^https?://([^/]*[.@])?b\.example\.?(:[0-9]+)?/"#, #"^https?://([^/]*[.@])?a\.example\.?(:[0-9]+)?/"#,
      ],
      netRequest: ["a.example,b.example|"], chromium: ["a.example", "b.example"],
      firefox: ["*://*.a.example/*", "*://*.b.example/*"]),
    Row(
      name: "url", condition: .url(name("https://contoso.com/a?v")),
      webKit: [#"^https://([^/]*@)?contoso\.com\.?/a\?v(#.*)?$"#],
      netRequest: [#"|^https://(?:[^/]*@)?contoso\.com\.?/a\?v(?:#.*)?$"#], unsaid: "CF"),
    Row(
      name: "scheme", condition: .all([.domain(name("contoso.com")), .scheme(name("https"))]),
      webKit: [#"^https://([^/]*[.@])?contoso\.com\.?(:[0-9]+)?/"#], netRequest: ["contoso.com|^https://[^/]+/"],
      chromium: ["https://contoso.com"], firefox: ["https://*.contoso.com/*"]),
    Row(
      name: "not a scheme", condition: .all([.host(name("127.0.0.1")), .not(.scheme(name("https")))]),
      webKit: [#"^http://([^/]*@)?127\.0\.0\.1(:[0-9]+)?/"#], netRequest: ["127.0.0.1|^http://[^/]+/"],
      chromium: ["http://127.0.0.1"], firefox: ["http://127.0.0.1/*"]),
    Row(
      name: "port", condition: .all([.host(name("127.0.0.1")), .port(8443)]),
      webKit: [#"^https?://([^/]*@)?127\.0\.0\.1:8443/"#], netRequest: ["127.0.0.1|^https?://[^/]*:8443/"],
      chromium: ["127.0.0.1:8443"], unsaid: "F"),
    Row(
      name: "the port of a scheme", condition: .all([.host(name("127.0.0.1")), .port(443)]),
      webKit: [#"^https://([^/]*@)?127\.0\.0\.1/"#, #"^http://([^/]*@)?127\.0\.0\.1:443/"#],
      netRequest: ["127.0.0.1|^http://[^/]*:443/", #"127.0.0.1|^https://(?:[^/]*[@\]])?[^/:@\]]*/"#],
      chromium: ["127.0.0.1:443"], unsaid: "F"),
    Row(
      name: "a network of octets", condition: network("10.1.0.0/16"),
      webKit: [#"^https?://([^/]*@)?10\.1\.[.0-9]+(:[0-9]+)?/"#],
      netRequest: [#"|^https?://(?:[^/]*@)?10\.1\.[.0-9]+(?::[0-9]+)?/"#], unsaid: "CF"),
    Row(
      name: "a small network", condition: network("10.1.2.4/31"),
      webKit: [#"^https?://([^/]*@)?10\.1\.2\.5(:[0-9]+)?/"#, #"^https?://([^/]*@)?10\.1\.2\.4(:[0-9]+)?/"#],
      netRequest: ["10.1.2.4,10.1.2.5|"], chromium: ["10.1.2.4", "10.1.2.5"],
      firefox: ["*://10.1.2.4/*", "*://10.1.2.5/*"]),
    Row(name: "a network of IPv6", condition: network("2001:db8::/32"), unsaid: "WDCF"),
    Row(
      name: "regex", condition: regex(#"^https://a[.]example/x{2,3}$"#),
      webKit: [#"^https://([^/]*@)?a\.example/xxx?(#.*)?$"#],
      netRequest: [#"|^https://(?:[^/]*@)?a\.example/xxx?(?:#.*)?$"#], unsaid: "CF"),
    Row(
      name: "regex with alternatives", condition: regex("^https?://[^/]+/(a|b)"),
      webKit: [#"^https?://([^/]*@)?[^#/]+/b"#, #"^https?://([^/]*@)?[^#/]+/a"#],
      netRequest: [#"|^https?://(?:[^/]*@)?[^#/]+/(?:a|b)"#], unsaid: "CF"),
    Row(
      name: "regex anywhere", condition: regex("team"), webKit: ["^[^#]*team"], netRequest: ["|^[^#]*team"],
      unsaid: "CF"),
    Row(name: "regex with a look-ahead", condition: regex("^https://(?!a)"), unsaid: "WDCF"),
    Row(
      name: "regex with a word's end", condition: regex(#"team\b"#), netRequest: [#"|^[^#]*team\b"#], unsaid: "WCF"),
    Row(name: "regex with a back-reference", condition: regex(#"(a)\1"#), unsaid: "WDCF"),
    Row(
      name: "regex and a domain", condition: .all([.domain(name("contoso.com")), regex("team")]),
      netRequest: ["contoso.com|^[^#]*team"], unsaid: "WCF"),
    Row(
      name: "URL pattern", condition: pattern("https://*.contoso.com/docs/:id"),
      webKit: [#"^https://([^/]*@)?[^#/:?@\[\]]*\.contoso\.com/docs/[^#/?]+(\?[^#]*)?(#.*)?$"#],
      netRequest: [#"|^https://(?:[^/]*@)?[^#/:?@\[\]]*\.contoso\.com/docs/[^#/?]+(?:\?[^#]*)?(?:#.*)?$"#],
      unsaid: "CF"),
    Row(name: "URL pattern with a regex", condition: pattern("https://contoso.com/([0-9]+)"), unsaid: "WDCF"),
    Row(
      name: "filter", condition: filter("https://.contoso.com:8443/Team"),
      webKit: [#"^https://([^/]*@)?contoso\.com\.?:8443/Team"#],
      netRequest: [#"|^https://(?:[^/]*@)?contoso\.com\.?:8443/Team"#], chromium: ["https://.contoso.com:8443/Team"],
      unsaid: "F"),
    Row(
      name: "filter with a path without letters", condition: filter("contoso.com/2026"),
      webKit: [#"^https?://([^/]*[.@])?contoso\.com\.?(:[0-9]+)?/2026"#],
      netRequest: ["contoso.com|^https?://[^/]+/2026"], chromium: ["contoso.com/2026"],
      firefox: ["*://*.contoso.com/2026*"]),
    Row(
      name: "filter with a query", condition: filter("127.0.0.1?v=1"),
      webKit: [#"^https?://([^/]*@)?127\.0\.0\.1(:[0-9]+)?/[^#?]*\?([^#]*&)?v=1(&[^#]*)?(#.*)?$"#],
      netRequest: [#"127.0.0.1|^https?://[^/]+/[^#?]*\?(?:[^#]*&)?v=1(?:&[^#]*)?(?:#.*)?$"#],
      chromium: ["127.0.0.1?v=1"], unsaid: "F"),
    Row(
      name: "filter with two demands", condition: filter("127.0.0.1?v=1&w=2"), chromium: ["127.0.0.1?v=1&w=2"],
      unsaid: "WDF"),
    Row(name: "filter of another scheme", condition: filter("ftp:*"), unsaid: "WDCF"),
    Row(name: "length of the query", condition: .all([.host(name("a.example")), .queryOver(9)]), unsaid: "WDCF"),
    Row(name: "from", condition: .all([.domain(name("a.example")), .from(.hop(true))]), unsaid: "WDCF"),
    Row(name: "hop", condition: .hop(true), unsaid: "WDCF"),
    Row(name: "same", condition: .same(.document), unsaid: "WDCF"),
    Row(
      name: "scheme alone", condition: .scheme(name("http")), webKit: ["^http://[^/]+/"],
      netRequest: ["|^http://[^/]+/"],
      chromium: ["http://*"], firefox: ["http://*/*"]),
  ]

  private static func regex(_ text: String) -> Condition { (try? Regex(text)).map(Condition.regex) ?? .any([]) }
  private static func pattern(_ text: String) -> Condition {
    (try? URLPattern(text)).map(Condition.pattern) ?? .any([])
  }
  private static func network(_ text: String) -> Condition { (try? IPNetwork(text)).map(Condition.network) ?? .any([]) }

  private static func filter(_ text: String) -> Condition {
    (try? URLFilter(text, side: .block)).map(Condition.filter) ?? .any([])
  }

  @Test(arguments: rows) func oneRuleBecomesThis(_ row: Row) {
    let rule = Rule(id: "r", verdict: .external, condition: row.condition)
    let rules = StaticRules(RuleSet(name: "s", default: .internal, rules: [rule])) { _ in .blocked }
    let webKit = OrderedExport(rules, for: .webKit)
    let netRequest = OrderedExport(rules, for: .declarativeNetRequest)
    let chromium = PrecedenceExport(rules, for: .chromium)
    let firefox = PrecedenceExport(rules, for: .firefox)
    #expect(Set(webKit.rules.map { $0.expression ?? "" }) == Set(row.webKit))
    #expect(
      Set(netRequest.rules.map { $0.hosts.joined(separator: ",") + "|" + ($0.expression ?? "") }) == Set(row.netRequest)
    )
    #expect(chromium.blocked == row.chromium)
    #expect(firefox.blocked == row.firefox)
    let notes = [("W", webKit.notes), ("D", netRequest.notes), ("C", chromium.notes), ("F", firefox.notes)]
    #expect(notes.filter { !$0.1.isEmpty }.map(\.0).joined() == row.unsaid)
    #expect(chromium.allowed.isEmpty && firefox.allowed.isEmpty)
  }

  @Test func limitsAreKeptAndReported() {
    let names = (0..<1_200).map { Condition.host(Self.name("h\($0).example")) }
    let rule = Rule(id: "many", verdict: .external, condition: .any(names))
    let rules = StaticRules(RuleSet(name: "s", default: .internal, rules: [rule])) { _ in .blocked }
    let netRequest = OrderedExport(rules, for: .declarativeNetRequest)
    #expect(netRequest.rules.count == 1_000)
    #expect(netRequest.notes.map(\.kind) == [.partly([.limit])])
    let chromium = PrecedenceExport(rules, for: .chromium)
    #expect(chromium.blocked.count == 1_000)
    #expect(chromium.notes.map(\.kind) == [.partly([.limit])])
    #expect(OrderedExport(rules, for: .webKit).notes.isEmpty)
  }
}
