internal import URLRules
internal import URLStandard

extension Lint {
  /// An internal rule that takes `http:` beside `https:`, and does not say so.
  ///
  /// `scheme: [http, https]` says so, and `^https?://`. On an address of this machine nobody is on the way.
  static let plainHTTP = Lint(
    .plainHTTP,
    eachRule: { linted, rules in
      guard linted.isInternal else { return [] }
      let meant = linted.rule.condition.positiveMatchers.filter(\.namesHTTP)
      var found: RuleQuestion?
      for question in linted.questions {
        guard let parts = question.webParts, parts.scheme == "https", rules.decides(linted, question) else { continue }
        guard !isThisMachine(parts.host), let plain = question.with(scheme: "http"), rules.decides(linted, plain) else {
          continue
        }
        guard !meant.contains(where: RuleProbe(plain, rules.asker).holds) else { continue }
        if let port = question.with(scheme: "http", port: 8080), rules.decides(linted, port) {
          return [finding("takes `http:` on every port", linted, rules, port)]
        }
        found = found ?? plain
      }
      return found.map { [finding("takes `http:`", linted, rules, $0)] } ?? []
    })

  private static func finding(
    _ words: String, _ linted: LintedRule, _ rules: LintedRules, _ question: RuleQuestion
  ) -> Diagnostic {
    rules.finding(
      .plainHTTP, linted, "\(words), which anybody on the way can write",
      hint: "add `scheme: https`, or `scheme: [http, https]` when it is meant", rules.witness(question))
  }

  private static func isThisMachine(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host.hasPrefix("127.")
  }
}

extension Condition {
  /// A matcher that says `http:`, alone or among others.
  fileprivate var namesHTTP: Bool {
    switch self {
    case .scheme(let name): name == Array("http".utf8)
    case .url(let href): href.starts(with: "http:".utf8)
    case .regex(let regex): regex.samples.contains { $0.isAnchored && $0.text.hasPrefix("http:") }
    default: false
    }
  }
}

extension LintedRules {
  /// Whether two hosts are of one registrable domain.
  func areOneSite(_ host: String, _ other: String) -> Bool {
    guard let one = URLRecord("https://\(host)/"), let two = URLRecord("https://\(other)/") else { return false }
    return suffixes.areSameSite(one, two)
  }
}
