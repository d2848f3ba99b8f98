internal import GuardModel
internal import PolicyEngine

/// Finds the apps that tests name.
struct PolicyTestAssembler {
  /// The apps of the whole policy.
  let apps: [String]
  /// False when some file could not be read: an app that it may define is then not reported as unknown.
  let isComplete: Bool

  /// Nil when an app is not there, which has been reported.
  func assemble(_ draft: PolicyTestDraft, into diagnostics: inout Diagnostics) -> PolicyTest? {
    var names: [String?] = []
    let ownApp = draft.app.map { name(of: $0, into: &diagnostics) }
    for step in draft.steps {
      names.append(step.app.map { name(of: $0, into: &diagnostics) } ?? ownApp ?? onlyApp)
    }
    if draft.app == nil, onlyApp == nil, draft.steps.contains(where: { $0.app == nil }) {
      reportNoApp(draft, into: &diagnostics)
    }
    var steps: [PolicyTestStep] = []
    for (name, step) in zip(names, draft.steps) {
      guard let name else { return nil }
      steps.append(
        PolicyTestStep(app: name, step.action, expect: step.expect, after: step.after, location: step.location))
    }
    var test = PolicyTest(name: draft.name, steps: steps, at: draft.at, location: draft.location)
    (test.features, test.groups) = (draft.features, draft.groups)
    return test
  }

  private var onlyApp: String? { apps.count == 1 ? apps.first : nil }

  private func name(of app: Located<String>, into diagnostics: inout Diagnostics) -> String? {
    if apps.contains(app.value) { return app.value }
    if isComplete {
      diagnostics.unknownReference("app", app, among: apps, none: "there is no app in `policy.d`")
    }
    return nil
  }

  private func reportNoApp(_ draft: PolicyTestDraft, into diagnostics: inout Diagnostics) {
    guard isComplete else { return }
    let count = apps.isEmpty ? "no app" : "\(apps.count) apps"
    diagnostics.error(
      .noAppToTest, at: draft.location, "the test does not say which app acts, and the policy has \(count)",
      hint: apps.isEmpty ? "describe an app under `apps`" : "name one with `app`, beside `steps` or in each step")
  }
}
