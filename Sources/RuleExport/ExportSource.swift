internal import GuardModel
internal import PolicyEngine
package import PolicyFiles
package import URLRules

/// The rule set to export, and a policy's statements about it.
package struct ExportSource {
  package var ruleSet: RuleSet
  /// SHA-256 of the policy's files; nil for a rule file.
  package var digest: String?
  /// External rules without `then` load in place under every protection that counts.
  package var loadsInPlace = false
  /// Parts that only monitor and enforce nothing, each with its place and its end.
  var monitored: [MonitoredPart] = []
  /// Nothing is enforced.
  var isMonitored = false
  /// Purposes for which the daemon asks an external default: pages, and frames of classes that judge them.
  var closedByDefault: Purposes = []

  /// A rule file, of which every external rule blocks; or one under a policy in which those without `then` do not.
  package init(ruleSet: RuleSet, loadsInPlace: Bool = false, judgesFrames: Bool = false) {
    self.ruleSet = ruleSet
    self.loadsInPlace = loadsInPlace
    closedByDefault = judgesFrames ? [.page, .frame] : .page
  }

  /// An external default as a rule behind all others; nil where nothing is stopped by it.
  package var closingRule: Rule? {
    guard ruleSet.default == .external, !closedByDefault.isEmpty, !loadsInPlace, !isMonitored else { return nil }
    return Rule(
      id: "default", verdict: .external, condition: .all([]), purposes: closedByDefault,
      location: ruleSet.defaultLocation.isEmpty ? ruleSet.name : ruleSet.defaultLocation)
  }
}

/// The chosen part of a policy cannot be exported: it is not there, or it is not one.
package struct ExportProblem: Error, Hashable {
  package let message: String

  init(_ message: String) { self.message = message }
}

/// The chosen part of a policy.
package struct ExportChoice {
  var app: String?
  var viewerClass: String?
  var protection: String?

  package init(app: String? = nil, viewerClass: String? = nil, protection: String? = nil) {
    self.app = app
    self.viewerClass = viewerClass
    self.protection = protection
  }
}

extension ExportSource {
  /// A part of the policy that counts, as the command line chooses it.
  package init(_ policy: LoadedPolicy, _ choice: ExportChoice, at time: Int64) throws(ExportProblem) {
    let snapshot = policy.snapshot(generation: 1, at: time)
    let ruledClasses = try Self.ruledClasses(in: snapshot, choice)
    let protections = try Self.protections(of: snapshot, choice)
    guard let first = ruledClasses.first else { throw ExportProblem("no viewer class of the policy has a rule set") }
    guard ruledClasses.allSatisfy({ $0.ruleSet == first.ruleSet && $0.app.isMonitored == first.app.isMonitored }) else {
      throw ExportProblem(
        "the policy has several answers; choose one with --app and --class: \(Self.list(ruledClasses))")
    }
    ruleSet = snapshot[first.ruleSet]
    closedByDefault = ruledClasses.allSatisfy(\.judgesFrames) ? [.page, .frame] : .page
    digest = policy.digest
    let enforced = protections.filter { !$0.isMonitored }
    loadsInPlace = enforced.allSatisfy { $0.webTransfer == .any }
    isMonitored = first.app.isMonitored || !protections.isEmpty && enforced.isEmpty
    let apps = Set(ruledClasses.filter(\.app.isMonitored).map(\.app.name))
    let names = Set(protections.filter(\.isMonitored).map(\.name))
    monitored = policy.monitoredParts.filter {
      $0.kind == .app && apps.contains($0.name) || $0.kind == .protection && names.contains($0.name)
    }
  }

  /// A class of an app with the rule set that is fixed for it.
  private struct RuledClass {
    var app: App
    var name: String
    var ruleSet: RuleSetIndex
    var ruleSetName: String
    var judgesFrames: Bool
  }

  private static func ruledClasses(in snapshot: Snapshot, _ choice: ExportChoice) throws(ExportProblem) -> [RuledClass]
  {
    let apps = snapshot.apps.filter { choice.app == nil || $0.name == choice.app }
    guard !apps.isEmpty else {
      throw ExportProblem("there is no app \(choice.app?.quoted ?? ""), but \(snapshot.apps.map(\.name).quotedList)")
    }
    let classes = apps.flatMap { app in app.classes.map { (app, $0) } }
    let chosen = classes.filter { choice.viewerClass == nil || $0.1.name == choice.viewerClass }
    guard !chosen.isEmpty || choice.viewerClass == nil else {
      throw ExportProblem(
        "there is no class \(choice.viewerClass?.quoted ?? ""), but \(Set(classes.map(\.1.name)).sorted().quotedList)")
    }
    let ruledClasses = chosen.compactMap { app, viewerClass in
      viewerClass.ruleSet.map {
        RuledClass(
          app: app, name: viewerClass.name, ruleSet: $0, ruleSetName: snapshot[$0].name,
          judgesFrames: viewerClass.subFrames)
      }
    }
    if ruledClasses.isEmpty, let name = choice.viewerClass {
      throw ExportProblem("class \(name.quoted) leaves its rules to the app; export a file with --rules")
    }
    return ruledClasses
  }

  private static func protections(
    of snapshot: Snapshot, _ choice: ExportChoice
  ) throws(ExportProblem) -> [Protection] {
    guard let name = choice.protection else { return snapshot.protections }
    let found = snapshot.protections.filter { $0.name == name }
    guard !found.isEmpty else {
      throw ExportProblem("there is no protection \(name.quoted), but \(snapshot.protections.map(\.name).quotedList)")
    }
    return found
  }

  private static func list(_ ruledClasses: [RuledClass]) -> String {
    ruledClasses.map { ruled in
      let monitored = ruled.app.isMonitored ? ", only monitored" : ""
      return "\("\(ruled.app.name)/\(ruled.name)".quoted) (\(ruled.ruleSetName.quoted)\(monitored))"
    }.joined(separator: ", ")
  }
}
