internal import URLRules
internal import URLStandard

extension Lint {
  /// An internal rule that takes `http:` beside `https:`, and does not say so.
  ///
  /// `scheme: [http, https]` says so. On an address of this machine nobody is on the way.
  static let plainHTTP = Lint(
    .plainHTTP,
    eachRule: { linted, rules in
      guard linted.isInternal, !linted.rule.condition.namesHTTP else { return [] }
      for question in linted.questions {
        guard let parts = question.webParts, parts.scheme == "https", rules.decides(linted, question) else { continue }
        guard !isThisMachine(parts.host), let plain = question.with(scheme: "http"), rules.decides(linted, plain) else {
          continue
        }
        let port = question.with(scheme: "http", port: 8080)
        let takesPorts = port.map { rules.decides(linted, $0) } ?? false
        return [
          rules.finding(
            .plainHTTP, linted,
            "takes `http:`\(takesPorts ? " on every port" : ""), which anybody on the way can write",
            hint: "add `scheme: https`, or `scheme: [http, https]` when it is meant",
            rules.witness(takesPorts ? port ?? plain : plain))
        ]
      }
      return []
    })

  private static func isThisMachine(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host.hasPrefix("127.")
  }
}

extension Condition {
  /// It says `scheme: http`, alone or among others.
  fileprivate var namesHTTP: Bool {
    positiveMatchers.contains { matcher in
      switch matcher {
      case .scheme(let name): name == Array("http".utf8)
      case .url(let href): href.starts(with: "http:".utf8)
      default: false
      }
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
