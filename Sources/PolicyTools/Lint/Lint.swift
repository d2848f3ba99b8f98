internal import GuardModel
package import PolicyFiles
internal import URLRules
internal import URLStandard

/// One thing that `check` looks for in a rule set.
///
///     Lint.findings(in: LintedRules(tests, at: now, suffixes))    // Diagnostics: warnings, each with a witness
package struct Lint: Sendable {
  /// Codes of its findings.
  package let codes: [Diagnostic.Code]
  let find: @Sendable (LintedRules) -> [Diagnostic]

  init(_ codes: Diagnostic.Code..., find: @escaping @Sendable (LintedRules) -> [Diagnostic]) {
    self.codes = codes
    self.find = find
  }

  /// A lint that looks at each rule that is in force.
  init(_ codes: Diagnostic.Code..., eachRule find: @escaping @Sendable (LintedRule, LintedRules) -> [Diagnostic]) {
    self.codes = codes
    self.find = { rules in rules.inForce.flatMap { find($0, rules) } }
  }

  /// Every lint of rule sets.
  package static let all: [Lint] = [
    .leftOut, .shadowed, .contradiction, .changesNothing, .publicSuffix, .looseRegex, .patternBorder,
    .plainHTTP, .evadedPath, .lookAlike, .listOverlap, .expiry, .monitoring, .untested, .alwaysChecked, .context,
    .indirectReach,
  ]

  /// Findings of all lints, at once.
  package static func findings(in rules: LintedRules) -> Diagnostics {
    var diagnostics = Diagnostics()
    for lint in all {
      for finding in lint.find(rules).sorted() { diagnostics.add(finding) }
    }
    return diagnostics
  }
}

extension Lint {
  /// Rules whose monitoring is over: they are enforced, and say otherwise.
  static let monitoring = Lint(.monitoringOver) { rules in
    rules.ruleSet.monitoredParts.compactMap { $0.finding(at: rules.time, in: rules.wholeFile) }
  }
}

extension MonitoredPart {
  /// A finding that its monitoring is over; nil before its end: `check` lists it then, and that is no mistake.
  func finding(at time: Int64, in file: SourceLocation) -> Diagnostic? {
    guard until <= time else { return nil }
    return Diagnostic(
      .warning, .monitoringOver, at: SourceLocation(printed: location) ?? file,
      "\(words) is enforced since \(Self.day(until)), when `monitorOnly` ended",
      hint: "remove `monitorOnly`, or give it a later time")
  }
}

extension Lint {
  /// An internal rule for everything below a name under which anybody may register.
  static let publicSuffix = Lint(
    .publicSuffix,
    eachRule: { linted, rules in
      guard linted.isInternal else { return [] }
      var seen: Set<String> = []
      return linted.rule.condition.positiveMatchers.flatMap { matcher in
        names(of: matcher).filter { seen.insert($0).inserted && rules.suffixes.holds($0) }.compactMap { suffix in
          finding(suffix, of: matcher, linted, rules)
        }
      }
    })

  /// The names that a matcher takes everything below of. Lists are looked through when they are read (`ListChecks`).
  private static func names(of matcher: Condition) -> [String] {
    matcher.keys?.compactMap { key in
      if case .host(let name, below: true, _) = key { String(decoding: name, as: UTF8.self) } else { nil }
    } ?? []
  }

  private static func finding(
    _ suffix: String, of matcher: Condition, _ linted: LintedRule, _ rules: LintedRules
  ) -> Diagnostic? {
    let host = "somebody-else.\(suffix)"
    let plain = RuleQuestion(url: "https://\(host)/", purpose: linted.questions.first?.purpose ?? .page)
    let questions = linted.questions.compactMap { $0.with(host: host) } + [plain]
    guard let witness = questions.lazy.compactMap(rules.internalWitness).first else { return nil }
    return rules.finding(
      .publicSuffix, linted, "takes all of \(suffix.quoted), under which anybody may register a name",
      hint: "name your own domain below it, or its hosts", witness)
  }
}

extension Lint {
  /// A rule that demands two things of a URL that none has both.
  static let contradiction = Lint(.impossibleRule) { rules in
    var search = Contradiction(rules.asker)
    return rules.inForce.compactMap { linted in
      guard linted.questions.isEmpty, let words = search.words(of: linted.rule) else { return nil }
      return rules.finding(
        .impossibleRule, linted, "takes no URL: none has \(words)",
        hint: "matchers of one group must all hold; write two rules, or values in one list", nil)
    }
  }

  /// A rule with the verdict that holds without it.
  ///
  /// Only rules behind the last rule with another answer: a rule before that may be an exception from it. A rule that a
  /// test names is there for its name.
  static let changesNothing = Lint(.changesNothing) { rules in
    let last = rules.ruleSet.numbered.last { _, rule in
      rule.verdict != rules.ruleSet.default || rule.then != .none || rule.message != nil || rule.takesCredentials
        || rule.place != nil
    }
    let named = Set(rules.tests.tests.flatMap(\.steps).compactMap(\.rule))
    let behind = rules.inForce.filter { linted in last.map { $0.number < linted.number } ?? true }
    return behind.filter { !named.contains($0.rule.id) }.compactMap { linted in
      guard let question = linted.questions.first(where: { rules.decides(linted, $0) }) else { return nil }
      return rules.finding(
        .changesNothing, linted,
        "changes nothing: what it calls \(linted.rule.verdict.name) is so by `default`, and no other rule follows",
        hint: "remove it; or keep it for its name, and add a test that names it", rules.witness(question))
    }
  }
}

extension LintedRules {
  /// Whether this rule answers the question in its set.
  func decides(_ linted: LintedRule, _ question: RuleQuestion) -> Bool {
    asker.verdict(of: question)?.rule == linted.number
  }
}

extension Lint {
  /// An external rule that takes every URL when the app does not tell how it was reached; and an internal one that takes
  /// every URL when it does.
  static let context = Lint(
    .unknownContext, .anyTarget,
    eachRule: { linted, rules in
      let condition = linted.rule.condition
      guard condition.asksContext, !condition.limitsURL else { return [] }
      return linted.isInternal ? anyTarget(linted, rules) : unknownContext(linted, rules)
    })

  private static func unknownContext(_ linted: LintedRule, _ rules: LintedRules) -> [Diagnostic] {
    // Hosts that the rule set calls internal when all is told are the ones that are missed.
    let urls = ["https://somebody-else.example/"] + rules.internalURLs
    let purpose = linted.questions.first?.purpose ?? .page
    let questions = urls.map { RuleQuestion(url: $0, purpose: purpose) }
    guard let question = questions.last(where: { rules.decides(linted, $0) }) else { return [] }
    return [
      rules.finding(
        .unknownContext, linted, "takes every URL when the app does not tell `from` and `hop`",
        hint: "name the hosts that it is about beside `from`", rules.witness(question))
    ]
  }

  private static func anyTarget(_ linted: LintedRule, _ rules: LintedRules) -> [Diagnostic] {
    for question in linted.questions {
      guard let other = question.with(host: "somebody-else.example"), rules.decides(linted, other) else { continue }
      return [
        rules.finding(
          .anyTarget, linted, "makes every URL internal that is reached so",
          hint: "name the hosts that it is about: a page of yours may lead anywhere", rules.witness(other))
      ]
    }
    return []
  }
}

extension LintedRules {
  /// A few URLs of internal rules.
  var internalURLs: [String] {
    inForce.lazy.filter(\.isInternal).compactMap { $0.questions.first?.url }.prefix(4).map(\.self)
  }
}

extension Lint {
  /// A rule that has expired, or does within thirty days. An external one allows more from then on.
  static let expiry = Lint(.expired, .expiresSoon) { rules in
    rules.ruleSet.rules.compactMap { rule in
      guard let expires = rule.expires, expires <= rules.time + 30 * 86_400 else { return nil }
      let isPast = expires <= rules.time
      let later = LaterRules(rule, at: expires, rules)
      return Diagnostic(
        .warning, isPast ? .expired : .expiresSoon, at: rules.place(of: rule),
        "\(rule.id.quoted) \(isPast ? "has expired" : "expires") on \(day(expires))\(consequence(rule, isPast))",
        hint: isPast ? "remove it, or give it another day" : "give it another day, or leave it and remove it then",
        witness: later.witness)
    }
  }

  private static func consequence(_ rule: Rule, _ isPast: Bool) -> String {
    guard rule.verdict == .external else { return "" }
    return isPast ? ": what it called external may be internal now" : ": what it calls external may be internal then"
  }

  /// The day on which a time lies, or ends when it is midnight: as the rule file writes it.
  private static func day(_ time: Int64) -> String {
    guard time > 0 else { return "a day before 1970" }
    return String(RFC3339.text(UInt64(time - 1) * 1000).prefix(10))
  }
}

/// The rule set at the time when a rule ends.
private struct LaterRules {
  let witness: Witness?

  init(_ rule: Rule, at time: Int64, _ rules: LintedRules) {
    let isPast = time <= rules.time
    let asker = RuleAsker(isPast ? rules.ruleSet : rules.ruleSet.at(time).enforced)
    let questions = rules.witnesses.questions(answeredBy: rule)
    witness = questions.first.flatMap { question in
      asker.verdict(of: question).map {
        Witness(
          question, at: isPast ? nil : time, isInternal: $0.verdict == .internal, rule: rules.id($0.rule))
      }
    }
  }
}

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

  /// Pairs of hosts that the pattern may take, which differ in the text for its wildcards.
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
