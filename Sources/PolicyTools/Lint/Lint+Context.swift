internal import PolicyFiles
internal import URLRules

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
