internal import GuardModel
package import URLRules

/// Random conditions, rules and rule sets over a small world of names, so that rules and URLs meet often.
package struct RandomRules {
  /// Each pattern is compiled once: making a rule set must stay cheap.
  private let regexes: [Regex]

  package static let hosts = [
    "contoso.com", "mail.contoso.com", "docs.contoso.com", "a.b.contoso.com", "contoso.co", "evilcontoso.com",
    "evil.example", "contoso.com.evil.example", "xn--bcher-kva.example", "127.0.0.1", "[::1]", "1.2.3.4", "intranet",
    "com", "example", "3.4",
  ]
  package static let schemes = ["http", "https", "file", "ftp", "contoso-portal", "mailto", "tel", "ws", "wss"]
  package static let ports: [UInt16] = [80, 443, 8443, 21, 8080]
  private static let patterns = [
    "^https://[a-z]+[.]contoso[.]com/", "contoso", "/v[0-9]+/", "^https?://[^/]*evil", "[?]q=", "$", "(a+)+$", "a{2,}b",
    "^https://(?:[a-z]+[.])*contoso[.]com(?:/|$)",
  ]

  package init() throws { regexes = try Self.patterns.map { try Regex($0) } }

  /// A rule set of up to a dozen rules.
  package func ruleSet(named name: String = "random", _ random: inout SeededGenerator) -> RuleSet {
    let rules = (0..<random.below(12)).map { rule("r\($0)", &random) }
    return RuleSet(name: name, default: verdict(&random), rules: rules)
  }

  package func rule(_ id: String, _ random: inout SeededGenerator) -> Rule {
    var rule = Rule(id: id, verdict: verdict(&random), condition: condition(depth: 3, &random))
    rule.purposes = purposes(&random)
    if rule.verdict == .external { rule.then = random.one(of: [.none, .none, .redirect, .block]) }
    return rule
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
    switch random.below(16) {
    case 0...3: .domain(Array(random.one(of: Self.hosts).utf8))
    case 4...6: .host(Array(random.one(of: Self.hosts).utf8))
    case 7, 8: .url(Array(exactURL(&random).utf8))
    case 9, 10: .scheme(Array(random.one(of: Self.schemes).utf8))
    case 11: .port(random.one(of: Self.ports))
    case 12, 13: .regex(random.one(of: regexes))
    case 14: .same(random.one(of: Sameness.allCases))
    default: .hop(random.oneIn(2))
    }
  }

  private func exactURL(_ random: inout SeededGenerator) -> String {
    let scheme = random.one(of: ["http", "https", "https", "contoso-portal", "ftp"])
    return "\(scheme)://\(random.one(of: Self.hosts))/\(random.one(of: RandomURLs.paths))"
  }

  private func verdict(_ random: inout SeededGenerator) -> Verdict { random.oneIn(2) ? .internal : .external }

  private func purposes(_ random: inout SeededGenerator) -> Purposes {
    random.one(of: [.page, .page, .page, [.page, .frame], .frame, [.page, .resource], .download, []])
  }
}
