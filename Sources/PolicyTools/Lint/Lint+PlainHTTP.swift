internal import PolicyFiles
internal import URLRules
internal import URLStandard

extension Lint {
  /// An internal rule that takes `http:` beside `https:`, and does not say so.
  ///
  /// `scheme: [http, https]` says so, and so do `^https?://` and `http{s}?://`: an author who wrote the letter out
  /// meant it. Traffic to an address of this machine meets no attacker on the way.
  static let plainHTTP = Lint(
    .plainHTTP,
    eachRule: { linted, rules in
      guard linted.isInternal else { return [] }
      let meant = linted.rule.condition.positiveMatchers.filter(\.namesHTTP)
      var found: RuleQuestion?
      let questions = linted.questions.filter(\.isSecure) + linted.questions.filter { !$0.isSecure }
      for question in questions where rules.decides(linted, question) {
        guard let parts = question.webParts, !isThisMachine(parts.host) else { continue }
        let plain = question.isSecure ? question.with(scheme: "http") : question
        let other = question.isSecure ? plain : question.with(scheme: "https")
        guard let plain, let other, rules.decides(linted, other) else { continue }
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
    case .pattern(let pattern): pattern.namesHTTP
    case .regex(let regex): regex.samples.contains { $0.isAnchored && $0.text.hasPrefix("http:") }
    default: false
    }
  }
}

extension RuleQuestion {
  fileprivate var isSecure: Bool { webParts?.scheme == "https" }
}

extension URLPattern {
  /// Its scheme is written out: `http{s}?` and `(http|https)`, and neither `*` nor `http*`.
  fileprivate var namesHTTP: Bool {
    let scheme = text(of: .protocol)
    return scheme.drop { $0 == "(" }.hasPrefix("http") && !scheme.contains("*")
  }
}

extension LintedRules {
  /// Whether two hosts are of one registrable domain.
  func areOneSite(_ host: String, _ other: String) -> Bool {
    guard let one = URLRecord("https://\(host)/"), let two = URLRecord("https://\(other)/") else { return false }
    return suffixes.areSameSite(one, two)
  }
}
