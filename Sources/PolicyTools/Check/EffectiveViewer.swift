internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// How the viewers of one class resolve, as long as the app says nothing further.
struct EffectiveViewer: Hashable {
  /// The class; or which viewers have none.
  let name: String
  let policy: WebViewPolicy
  let source: PolicySource
  /// The rule set, in words.
  let rules: String
  let hasRules: Bool
  /// The rules hold for data of unmanaged accounts, too.
  let alwaysJudged: Bool

  /// Those of each class, those without a class, and those that nobody registered.
  static func all(of app: App, _ snapshot: Snapshot) -> [EffectiveViewer] {
    app.classes.map { EffectiveViewer($0, app, snapshot) } + [EffectiveViewer(withoutClassIn: app), unknown(in: app)]
  }

  private init(
    name: String, _ policy: (WebViewPolicy, PolicySource), rules: String, hasRules: Bool, alwaysJudged: Bool
  ) {
    self.name = name
    (self.policy, source) = policy
    self.rules = rules
    self.hasRules = hasRules
    self.alwaysJudged = alwaysJudged
  }

  private init(_ viewerClass: ViewerClass, _ app: App, _ snapshot: Snapshot) {
    let stated = viewerClass.policy.flatMap { $0 == .unset ? nil : $0 }
    let ruleSet = viewerClass.ruleSet.map { snapshot.ruleSets[Int($0)].name }
    let always = viewerClass.rulesApply == .always
    self.init(
      name: viewerClass.name, stated.map { ($0, .viewerClass) } ?? app.unstatedPolicy,
      rules: ruleSet.map { always ? "\($0), always" : $0 } ?? "the app's choice", hasRules: ruleSet != nil,
      alwaysJudged: always)
  }

  private init(withoutClassIn app: App) {
    self.init(
      name: "(no class)", app.unstatedPolicy, rules: "the app's choice", hasRules: false, alwaysJudged: false)
  }

  private static func unknown(in app: App) -> EffectiveViewer {
    let count = Set(app.classes.compactMap(\.ruleSet)).count
    return EffectiveViewer(
      name: "(unregistered)", (.currentIdentityBlockUpload, .unknownViewer),
      rules: count == 0 ? "all external" : count == 1 ? "that of the classes" : "strictest of \(count)", hasRules: true,
      alwaysJudged: app.classes.contains { $0.rulesApply == .always })
  }

  var policyText: String { "\(policy.name) (\(source.rawValue))" }

  var blocksUpload: Bool { policy == .currentIdentityBlockUpload }
}

extension App {
  /// What a viewer has that neither its class, nor a tag, nor anything above it says anything of.
  fileprivate var unstatedPolicy: (WebViewPolicy, PolicySource) {
    treatAllWebViewsAsUnmanaged ? (.unmanaged, .flag) : (.currentIdentity, .default)
  }
}
