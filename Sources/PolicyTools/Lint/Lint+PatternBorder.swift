internal import PolicyFiles
internal import URLRules
internal import URLStandard

extension Lint {
  /// A pattern of an internal rule whose wildcard reaches into the name of the site, so that it takes sites of others.
  ///
  /// Two texts for the wildcard are tried, and the sites compared: `https://*b.example` takes `evilb.example` and
  /// `otherb.example`, `https://*.b.example` stays with `b.example`.
  static let patternBorder = Lint(
    .patternBorder,
    eachRule: { linted, rules in
      guard linted.isInternal else { return [] }
      return linted.rule.condition.positiveMatchers.compactMap { matcher in
        guard case .pattern(let pattern) = matcher else { return nil }
        return wildHosts(of: pattern).lazy.compactMap { finding($0, of: pattern, linted, rules) }.first
      }
    })

  /// Pairs of hosts that the pattern may take, which differ by what stands for its wildcards.
  private static func wildHosts(of pattern: URLPattern) -> [(evil: String, other: String)] {
    [("evil.example", "other.example"), ("evil", "other")].flatMap { evil, other in
      Array(zip(pattern.hosts(with: evil), pattern.hosts(with: other)))
    }
  }

  private static func finding(
    _ hosts: (evil: String, other: String), of pattern: URLPattern, _ linted: LintedRule, _ rules: LintedRules
  ) -> Diagnostic? {
    guard hosts.evil != hosts.other, !rules.areOneSite(hosts.evil, hosts.other),
      !rules.isWholeLabel(hosts.evil), let witness = rules.witness(of: linted, onAll: [hosts.evil, hosts.other])
    else { return nil }
    return rules.finding(
      .patternBorder, linted,
      "has a pattern for the hosts \(pattern.text(of: .hostname).quoted), which takes domains of others",
      hint: "put a dot between `*` and a whole name of your own, as in `*.contoso.com`, and end the host with it",
      witness)
  }
}

extension LintedRules {
  /// The wildcard is all that stands before a public suffix: of that `public-suffix` tells.
  fileprivate func isWholeLabel(_ host: String) -> Bool {
    host.hasPrefix("evil.") && suffixes.holds(String(host.dropFirst("evil.".count)))
  }

  /// The rule's own question on the first of these hosts, when the rule answers it on all of them.
  fileprivate func witness(of linted: LintedRule, onAll hosts: [String]) -> Witness? {
    for question in linted.questions {
      let asked = hosts.compactMap { question.with(host: $0) }
      guard let first = asked.first, asked.allSatisfy({ decides(linted, $0) }) else { continue }
      return internalWitness(first)
    }
    return nil
  }
}
