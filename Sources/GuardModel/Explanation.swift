/// A decision in sentences: the steps that led to it, in their order, each with the value it used and where that stands.
///
///     viewer `E`: policy `currentIdentity`, stated for its class `documents`
///     identity `work@contoso.com`, that of its window; bound by protection `contoso-standard`
///     `https://www.example.net/` is external: rule set `contoso-documents`, rule `default` (documents.yaml:2:10)
///     redirect: external pages open in another browser [external]
package struct Explanation: Sendable, Hashable {
  package let steps: [String]

  package init(_ event: EventKind, url: String?, viewer: String?, _ report: DecisionReport) {
    steps = [
      Self.viewer(viewer, report), Self.identity(report), Self.clip(event, report), Self.rules(url, report),
      Self.outcome(report), Self.offer(report),
    ].compactMap(\.self)
  }

  private static func viewer(_ viewer: String?, _ report: DecisionReport) -> String? {
    guard let policy = report.policy, let source = report.policySource else { return nil }
    let name = viewer.map { "viewer `\($0)`" } ?? "no viewer named"
    return "\(name): policy `\(policy.name)`, \(source.sentence(viewerClass: report.viewerClass))"
  }

  private static func identity(_ report: DecisionReport) -> String? {
    guard report.policy != nil else { return nil }
    switch report.identity {
    case nil: return "no identity is set at any level"
    case "": return "counts as nobody's, \(report.identityLevel.sentence)"
    case let account?:
      let binding = report.protection.map { "bound by protection `\($0)`" } ?? "which no protection binds"
      return "identity `\(account)`, \(report.identityLevel.sentence); \(binding)"
    }
  }

  private static func clip(_ event: EventKind, _ report: DecisionReport) -> String? {
    guard event == .paste || event == .copy else { return nil }
    if report.reason == .ownerUnknown {
      return "nobody knows whose the clip is: counts as an unknown managed account's"
    }
    return report.clipOwner.map { "the clip belongs to `\($0)`" } ?? "the clip is unmanaged"
  }

  private static func rules(_ url: String?, _ report: DecisionReport) -> String? {
    guard let verdict = report.verdict else { return url.map { "URL read as `\($0)`; no rule was asked" } }
    let subject = url.map { "`\($0)`" } ?? "the URL"
    guard let ruleSet = report.ruleSet, let rule = report.rule else {
      return "\(subject) is \(verdict.name), by no rule"
    }
    let place = report.ruleLocation.map { " (\($0))" } ?? ""
    return "\(subject) is \(verdict.name): rule set `\(ruleSet)`, rule `\(rule)`\(place)"
  }

  private static func outcome(_ report: DecisionReport) -> String {
    let unknown = report.viewerIsUnknown ? "; nobody registered the viewer" : ""
    return "\(report.outcome.name): \(report.reason.sentence) [\(report.reason.rawValue)]\(unknown)"
  }

  private static func offer(_ report: DecisionReport) -> String? {
    guard let open = report.open else { return nil }
    let program = open.desktopID ?? open.argv?.first ?? "the desktop's own handler"
    let instead = report.offered.map { "; in a main frame this would be \($0.name)" } ?? ""
    return "`\(open.url)` may open in \(open.target), \(program)\(instead)"
  }
}

extension PolicySource {
  fileprivate func sentence(viewerClass: String?) -> String {
    switch self {
    case .unknownViewer: "since nobody registered it"
    case .viewerClass: "stated for its class `\(viewerClass ?? "")`"
    case .ownTag: "its own tag"
    case .ancestor: "the tag of the nearest tagged container"
    case .opener: "inherited from its opener"
    case .flag: "since the app treats all web views as unmanaged"
    case .default: "since nothing else is said"
    }
  }
}

extension IdentityLevel {
  fileprivate var sentence: String {
    switch self {
    case .none: "set at no level"
    case .viewer: "since the viewer is unmanaged"
    case .scope: "that of the connection's scope"
    case .window: "that of its window"
    case .process: "that of the process"
    case .strictest: "the strictest that the app shows"
    }
  }
}
