internal import GuardModel
package import URLRules

/// Random conditions, rules and rule sets over a small world of names, so that rules and URLs meet often.
package struct RandomRules {
  /// Each pattern is compiled once: making a rule set must stay cheap.
  private let regexes: [Regex]
  private let urlPatterns: [URLPattern]
  private let filters: [URLFilter]
  private let filterSets: [URLFilterSet]
  private let suffixes = PublicSuffixes()
  private let networks: [IPNetwork]
  /// The host lists that conditions may speak of.
  package let lists: HostLists

  package static let hosts = [
    "contoso.com", "mail.contoso.com", "docs.contoso.com", "a.b.contoso.com", "contoso.co", "evilcontoso.com",
    "evil.example", "contoso.com.evil.example", "xn--bcher-kva.example", "127.0.0.1", "[::1]", "1.2.3.4", "intranet",
    "com", "example", "3.4",
  ]
  package static let schemes = ["http", "https", "file", "ftp", "contoso-portal", "mailto", "tel", "ws", "wss"]
  package static let ports: [UInt16] = [80, 443, 8443, 21, 8080]
  /// Lengths of queries, about as long as those of `RandomURLs`.
  package static let queryLengths: [UInt16] = [1, 2, 3, 9, 10, 1024]
  /// Times at which rules may expire.
  package static let expiries: [Int64] = [100, 200, 300]
  private static let patterns = [
    "^https://[a-z]+[.]contoso[.]com/", "contoso", "/v[0-9]+/", "^https?://[^/]*evil", "[?]q=", "$", #"(a+)+\1$"#,
    "a{2,}b",
    "^https://(?:[a-z]+[.])*contoso[.]com(?:/|$)", "^https?://mail[.]contoso[.]com/", "(?i)/V[0-9]",
    "evil[.](?:example|net)/",
    "^https?://[^/]+/[a-z]+$", "(?<!mail)[.]contoso", "(.)\\1", "", "^contoso-portal:", "/x?y*$",
  ]
  private static let urlPatternTexts = [
    "https://contoso.com/*", "https://*.contoso.com/*", "*://mail.contoso.com/:page", "http{s}?://evil.example/*?q=*",
    "https://contoso.com", "*://*/a/*", "https://*/*/v([0-9]+)*", "contoso-portal:*", "*://127.0.0.1:*/*", "file:///*",
    "https://docs.contoso.com:8443/(.*)", "*://*.example/*",
  ]
  private static let filterTexts = [
    "contoso.com", ".contoso.com", "https://mail.contoso.com", "evil.example/a", "contoso.com:8443", "127.0.0.1",
    "ftp:*",
    "*", "contoso-portal:*", "contoso.com?q=*", "http://com", "*:8443", "[::1]/a", "docs.contoso.com/v1",
    "example/a?q=1",
  ]

  private static let networkTexts = [
    "127.0.0.0/8", "1.2.0.0/16", "1.2.3.0/24", "1.2.3.4/32", "0.0.0.0/0", "::/0", "::1/128", "2001:db8::/32", "::/64",
    "1.2.2.0/23", "128.0.0.0/1",
  ]

  /// A third of the rules names a place.
  package var places = false
  /// A third of the rules only monitors.
  package var monitors = false

  /// No rule speaks of a list when there are no lists.
  package init(lists: HostLists = .empty) throws {
    regexes = try Self.patterns.map { try Regex($0) }
    urlPatterns = try Self.urlPatternTexts.map { try URLPattern($0) }
    filters = try Self.filterTexts.flatMap { [try URLFilter($0, side: .block), try URLFilter($0, side: .allow)] }
    let (block, allow) = (filters.filter { $0.side == .block }, filters.filter { $0.side == .allow })
    filterSets = [
      URLFilterSet(block: Array(block.prefix(8)), allow: Array(allow.suffix(6))),
      URLFilterSet(block: [block[7]], allow: allow),
      URLFilterSet(anyOf: Array(block.prefix(5))),
    ]
    networks = try Self.networkTexts.map { try IPNetwork($0) }
    self.lists = lists
  }

  /// A rule set of up to `maximum` rules.
  package func ruleSet(named name: String = "random", maximum: Int = 11, _ random: inout SeededGenerator) -> RuleSet {
    let rules = (0..<random.below(maximum + 1)).map { rule("r\($0)", &random) }
    return RuleSet(name: name, default: verdict(&random), rules: rules, lists: lists)
  }

  package func rule(_ id: String, _ random: inout SeededGenerator) -> Rule {
    var rule = Rule(id: id, verdict: verdict(&random), condition: condition(depth: 3, &random))
    rule.purposes = purposes(&random)
    if rule.verdict == .external { rule.then = random.one(of: [.none, .none, .redirect, .block]) }
    rule.expires = random.oneIn(4) ? random.one(of: Self.expiries) : nil
    rule.takesCredentials = random.oneIn(4)
    if places, random.oneIn(3) {
      rule.place = place(&random)
      if random.oneIn(2) { rule.purposes = .placed }
    }
    if monitors, random.oneIn(3) { rule.monitoredUntil = random.one(of: Self.expiries) }
    return rule
  }

  private func place(_ random: inout SeededGenerator) -> NamedPlace {
    let owners: [NamedPlace.Owner] = [
      .own, .own, .nobody, .account("other@contoso.com"), .account("WORK@contoso.com"), .account("who@else.example"),
      .account("boss@fabrikam.example"), .account("private@home.example"),
    ]
    return NamedPlace(random.one(of: NamedPlace.locations), of: random.one(of: owners))
  }

  /// Conditions as rule files make them: mostly one matcher, or some that must all hold.
  package func condition(depth: Int, _ random: inout SeededGenerator) -> Condition {
    guard depth > 0, random.oneIn(2) else { return matcher(&random) }
    let parts = (0..<random.below(4)).map { _ in condition(depth: depth - 1, &random) }
    switch random.below(6) {
    case 0, 1: return .all(parts)
    case 2, 3: return .any(parts)
    case 4: return .not(condition(depth: depth - 1, &random))
    default: return .from(condition(depth: depth - 1, &random))
    }
  }

  package func matcher(_ random: inout SeededGenerator) -> Condition {
    switch random.below(lists.count == 0 ? 25 : 28) {
    case 0...3: .domain(Array(random.one(of: Self.hosts).utf8))
    case 4...6: .host(Array(random.one(of: Self.hosts).utf8))
    case 7, 8: .url(Array(exactURL(&random).utf8))
    case 9, 10: .scheme(Array(random.one(of: Self.schemes).utf8))
    case 11: .port(random.one(of: Self.ports))
    case 12, 13: .regex(random.one(of: regexes))
    case 14: .same(random.one(of: Sameness.allCases))
    case 15: .hop(random.oneIn(2))
    case 16, 17: .network(random.one(of: networks))
    case 18, 19: .pattern(random.one(of: urlPatterns))
    case 20, 21: .filter(random.one(of: filters))
    case 22: .filters(random.one(of: filterSets))
    case 23: .sameSite(suffixes)
    case 24: .queryOver(random.one(of: Self.queryLengths))
    // One list more than there is: what nobody knows is unknown.
    default: .list(HostListNumber(random.below(lists.count + 1)))
    }
  }

  private func exactURL(_ random: inout SeededGenerator) -> String {
    let scheme = random.one(of: ["http", "https", "https", "contoso-portal", "ftp"])
    return "\(scheme)://\(random.one(of: Self.hosts))/\(random.one(of: RandomURLs.paths))"
  }

  private func verdict(_ random: inout SeededGenerator) -> Verdict { random.oneIn(2) ? .internal : .external }

  private func purposes(_ random: inout SeededGenerator) -> Purposes {
    random.one(of: [
      .page, .page, .page, [.page, .frame], .frame, [.page, .resource], .download, .upload, .paste, [.page, .paste], [],
    ])
  }
}
