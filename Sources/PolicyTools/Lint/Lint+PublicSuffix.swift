internal import PolicyFiles
internal import URLRules

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
