internal import GuardModel
internal import PolicyFiles
internal import URLRules

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
