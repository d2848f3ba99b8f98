package import URLRules
internal import URLStandard

extension RuleQuestion {
  /// The parts of the URL, when it is one of the web and is judged as itself.
  private var parts: WebParts? { WebParts(input.url) }

  /// The same question of the same page under another scheme, without a port of its own.
  package func with(scheme: String, port: UInt16? = nil) -> RuleQuestion? { editing(.scheme(scheme), .port(port)) }

  package func with(host: String) -> RuleQuestion? { editing(.host(host)) }

  package func with(path: String) -> RuleQuestion? { editing(.path(path)) }

  private func editing(_ edits: QuestionEdit...) -> RuleQuestion? {
    guard var parts else { return nil }
    for edit in edits { parts.make(edit) }
    var question = self
    question.url = parts.href
    return question
  }

  /// Host, path and query as rules see them; nil for a URL outside the web.
  package var webParts: (scheme: String, host: String, path: String, query: String)? {
    parts.map { ($0.scheme, $0.host, $0.path, $0.query) }
  }
}
