/// A decision in sentences: the steps that led to it, in their order, each with the value it used and the location of
/// that.
///
///     viewer `E`: policy `currentIdentity`, stated for its class `documents` (policy.yaml:9:20)
///     identity `work@contoso.com` (policy.yaml:13:5), that of its window; bound by protection `contoso-standard`, by
///       the pattern `*@contoso.com` (policy.yaml:16:17)
///     `https://www.example.net/` is external: rule set `contoso-documents`, rule `default` (documents.yaml:2:10)
///     protection `contoso-standard`: `webTransfer` is `managedBrowser` (policy.yaml:17:5)
///     redirect: external pages open in another browser [external]
package struct Explanation: Sendable, Hashable {
  package let steps: [String]

  /// - Parameters:
  ///   - used: the parts of the configuration that it used; without them the steps name only the locations of rules.
  ///   - reading: the result of reading the URL, if that is not plain.
  package init(
    _ event: EventKind, url: String?, viewer: String?, _ report: DecisionReport, _ used: UsedSettings = UsedSettings(),
    reading: [String] = []
  ) {
    let who = [Self.viewer(viewer, report, used), Self.identity(report, used), Self.clip(event, report)]
    let read = reading.isEmpty ? nil : "the URL: " + reading.joined(separator: "; ")
    let said = [Self.receiver(report), Self.ruledPlace(report), report.exception?.sentence]
    let asked = [read, Self.rules(event, url, report, used)] + said
    let after = [Self.outcome(report), Self.offer(report, used), Self.advice(report), Self.afterAdvised(report)]
    steps = (who + asked).compactMap(\.self) + used.values.map(\.sentence) + after.compactMap(\.self)
  }

  private static func viewer(_ viewer: String?, _ report: DecisionReport, _ used: UsedSettings) -> String? {
    guard let policy = report.policy, let source = report.policySource else { return nil }
    let name = viewer.map { "viewer `\($0)`" } ?? "no viewer named"
    let place = place(used.viewerPolicy)
    return "\(name): policy `\(policy.name)`, \(source.sentence(viewerClass: report.viewerClass))\(place)"
  }

  private static func identity(_ report: DecisionReport, _ used: UsedSettings) -> String? {
    guard report.policy != nil else { return nil }
    switch report.identity {
    case nil: return "no identity is set at any level"
    case "": return "identity: nobody, \(report.identityLevel.sentence)"
    case let account?:
      let cause = used.binding.map { ", by \($0)" } ?? ""
      let binding = report.protection.map { "bound by protection `\($0)`\(cause)" } ?? "which no protection binds"
      return "identity `\(account)`\(place(used.account)), \(report.identityLevel.sentence); \(binding)"
    }
  }

  private static func clip(_ event: EventKind, _ report: DecisionReport) -> String? {
    guard event == .paste || event == .copy else { return nil }
    if report.reason == .ownerUnknown {
      return "nobody knows whose the clip is: counts as an unknown managed account's"
    }
    return report.clipOwner.map { "the clip belongs to `\($0)`" } ?? "the clip is unmanaged"
  }

  private static func rules(
    _ event: EventKind, _ url: String?, _ report: DecisionReport, _ used: UsedSettings
  ) -> String? {
    guard let verdict = report.verdict else {
      if report.reason == .invalidURL { return url.map { "`\($0)` is no URL; no rule was asked" } }
      if report.reason == .resource { return url.map { "no rule says anything of `\($0)` as a part of a page" } }
      return url.map { "no rule was asked about `\($0)`" }
    }
    let subject = url.map { "`\($0)`" } ?? (event == .paste ? "the page" : "the URL")
    guard let ruleSet = report.ruleSet, let rule = report.rule else {
      return "\(subject) is \(verdict.name), by no rule"
    }
    let asked = "rule set `\(ruleSet)`\(place(used.ruleSet))"
    let entries = used.entries.map { " by \($0)" }.joined(separator: " and")
    return "\(subject) is \(verdict.name): \(asked), rule `\(rule)`\(place(report.ruleLocation))\(entries)"
  }

  private static func outcome(_ report: DecisionReport) -> String {
    let unknown = report.flags[.viewerIsUnknown] ? "; nobody registered the viewer" : ""
    return "\(report.outcome.name): \(report.reason.sentence) [\(report.reason.rawValue)]\(unknown)"
  }

  private static func offer(_ report: DecisionReport, _ used: UsedSettings) -> String? {
    guard let open = report.open else { return nil }
    let program = open.desktopID ?? open.argv?.first ?? "the desktop's own handler"
    let instead = report.offered.map { "; in a main frame this would be \($0.name)" } ?? ""
    let url = open.url.isEmpty ? "the URL" : "`\(open.url)`"
    return "\(url) may open in \(open.target), \(program)\(place(used.program))\(instead)"
  }

  private static func advice(_ report: DecisionReport) -> String? {
    guard let advice = report.advice else { return nil }
    let rule = advice.rule.map {
      ", rule \(advice.ruleSet.map { "`\($0)/" } ?? "`")\($0)`\(place(advice.ruleLocation))"
    }
    let cause = advice.cause == .rule ? "the rule" : "the \(advice.cause.rawValue)"
    return "advised, since \(cause) only monitors: "
      + "\(advice.outcome.name): \(advice.reason.sentence) [\(advice.reason.rawValue)]\(rule ?? "")"
  }

  private static func receiver(_ report: DecisionReport) -> String? {
    report.notes.contains(.externalReceiver) ? "the page is external, and counts as nobody's for what comes in" : nil
  }

  private static func ruledPlace(_ report: DecisionReport) -> String? {
    guard report.notes.contains(.namedByRule) else { return nil }
    return "that rule names the place" + (report.location.map { ": `\($0.name)`" } ?? " that it comes from")
  }

  private static func afterAdvised(_ report: DecisionReport) -> String? {
    report.notes.contains(.afterAdvised) ? "it happens in a page that enforcing would not have opened" : nil
  }

  private static func place(_ place: String?) -> String { place.map { " (\($0))" } ?? "" }
}

extension PolicySource {
  fileprivate func sentence(viewerClass: String?) -> String {
    switch self {
    case .unknownViewer: "since nobody registered it"
    case .viewerClass: "stated for its class `\(viewerClass ?? "")`"
    case .kind: "since an ephemeral viewer is nobody's"
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

/// The parts of the configuration that a decision used, and their locations.
///
/// Empty if they are unknown: an explanation then leaves the locations out.
package struct UsedSettings: Sendable, Hashable {
  /// Location of the viewer's policy.
  package var viewerPolicy: String?
  /// Location of the viewer's rule set.
  package var ruleSet: String?
  /// The entries of lists by which the rule takes the URL, in words.
  package var entries: [String] = []
  /// The entry of the account that the action counts as.
  package var account: String?
  /// The reason why its protection binds that account, in words: ``the pattern `*@contoso.com` (policy.yaml:16:17)``
  package var binding: String?
  /// Location of the program that the URL may open in.
  package var program: String?
  /// The settings that led to the outcome, in the order in which they were asked.
  package var values: [UsedValue] = []

  package init() {}
}

/// One setting that a decision used.
package struct UsedValue: Sendable, Hashable {
  /// Its owner: ``protection `contoso-standard` ``
  package let owner: String
  /// The key below its owner: `clipboard.level`
  package let key: String
  package let value: String
  /// Its location; nil for a default.
  package let place: String?

  package init(_ owner: String, _ key: String, _ value: String, at place: String?) {
    self.owner = owner
    self.key = key
    self.value = value
    self.place = place
  }

  /// ``protection `contoso-standard`: `webTransfer` is `managedBrowser` (policy.yaml:17:5)``
  package var sentence: String {
    let source = place.map { " (\($0))" } ?? ", the default, since nothing is stated"
    return "\(owner): `\(key)` is \(value.isEmpty ? "empty" : "`\(value)`")\(source)"
  }
}
