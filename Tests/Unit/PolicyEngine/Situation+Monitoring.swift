import GuardModel
import PolicyEngine
import Testing
import URLRules

/// Policies that monitor and warn, as questions that are asked again and again.
extension Situation {
  static let monitored: [Situation] = [
    Situation(
      "page, protection monitored", Answer(.allow, .monitored), .page("https://news.example/"),
      policy: { $0.protection.monitoredUntil = 100 }),
    Situation(
      "page, app monitored", Answer(.allow, .monitored), .page("https://cloud.evil.example/"),
      policy: { $0.app.monitoredUntil = 100 }),
    Situation(
      "page, rule monitored", Answer(.redirect, .external), .page("https://cloud.evil.example/"),
      policy: { $0.rules[1].monitoredUntil = 100 }),
    Situation(
      "page behind a monitored rule", Answer(.allow, .internal), .page("https://docs.contoso.com/"),
      policy: { $0.rules[1].monitoredUntil = 100 }),
    Situation(
      "paste, protection monitored", Answer(.allow, .monitored), .data(.paste, in: "P"),
      state: { _ = $0.clip(.copy, .unknown) }, policy: { $0.protection.monitoredUntil = 100 }),
    Situation(
      "print, protection monitored", Answer(.allow, .monitored), .data(.print),
      policy: { ($0.protection.printing, $0.protection.monitoredUntil) = (.block, 100) }),
    Situation(
      "receive, protection monitored", Answer(.allow, .monitored), .data(.receive, with: Name.editor),
      policy: { ($0.protection.receive, $0.protection.monitoredUntil) = (.managed, 100) }),
    Situation(
      "print that is warned of", Answer(.block, .printBlocked), .data(.print),
      policy: { ($0.protection.printing, $0.protection.warn) = (.block, .warnable) }),
  ]
}

extension Event {
  fileprivate static func page(_ url: String) -> Event { data(.navigate, url: url) { $0.frame = .main } }
}
