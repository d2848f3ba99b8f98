package import GuardModel
package import JSONText

/// The errors of `org.webviewguard.Guard`. To a client each of them is a `block`.
package enum GuardError: CallError, Sendable, Hashable {
  case noApp
  /// The apps that the caller matches.
  case appAmbiguous([String])
  case appMismatch(String)
  case notAttached
  case alreadyAttached
  case unknownInstance
  case unknownViewer(String)
  case unknownClass(String)
  case unknownParent(String)
  case unknownOpener(String)
  case unknownWindow(String)
  case unknownRuleSet(String)
  case unknownAccount(String)
  /// The configuration states a policy, a rule set or both for the viewer's class, and the call contradicts it.
  case policyLocked(viewer: String, policy: WebViewPolicy?, ruleSet: String?)
  case classLocked(viewer: String)
  case rulesOnContainer(viewer: String)
  case documentIsExternal(viewer: String)
  case invalidDocument
  case identityModeSingle
  case viewerCycle(viewer: String)
  case limitReached(Limit, maximum: Int)
  case noPolicy
  /// The configuration states the app's account.
  case accountLocked(String)
  /// The instance shows this other managed account, and its app may show one at a time.
  case secondManagedAccount(String)
  /// No such switch was asked of this instance, or whose data it shows changed since.
  case unknownRequest(String)
  /// The answer came too late, or after another one.
  case requestIsOver(String)
  /// No such decision was answered to this instance lately, or it is acknowledged already.
  case unknownDecision(String)
  /// The decision cannot be recorded, and without a record nothing may be allowed.
  case logUnavailable

  package var qualifiedName: StaticString {
    switch self {
    case .noApp: "org.webviewguard.Guard.NoApp"
    case .appAmbiguous: "org.webviewguard.Guard.AppAmbiguous"
    case .appMismatch: "org.webviewguard.Guard.AppMismatch"
    case .notAttached: "org.webviewguard.Guard.NotAttached"
    case .alreadyAttached: "org.webviewguard.Guard.AlreadyAttached"
    case .unknownInstance: "org.webviewguard.Guard.UnknownInstance"
    case .unknownViewer: "org.webviewguard.Guard.UnknownViewer"
    case .unknownClass: "org.webviewguard.Guard.UnknownClass"
    case .unknownParent: "org.webviewguard.Guard.UnknownParent"
    case .unknownOpener: "org.webviewguard.Guard.UnknownOpener"
    case .unknownWindow: "org.webviewguard.Guard.UnknownWindow"
    case .unknownRuleSet: "org.webviewguard.Guard.UnknownRuleSet"
    case .unknownAccount: "org.webviewguard.Guard.UnknownAccount"
    case .policyLocked: "org.webviewguard.Guard.PolicyLocked"
    case .classLocked: "org.webviewguard.Guard.ClassLocked"
    case .rulesOnContainer: "org.webviewguard.Guard.RulesOnContainer"
    case .documentIsExternal: "org.webviewguard.Guard.DocumentIsExternal"
    case .invalidDocument: "org.webviewguard.Guard.InvalidDocument"
    case .identityModeSingle: "org.webviewguard.Guard.IdentityModeSingle"
    case .viewerCycle: "org.webviewguard.Guard.ViewerCycle"
    case .limitReached: "org.webviewguard.Guard.LimitReached"
    case .noPolicy: "org.webviewguard.Guard.NoPolicy"
    case .accountLocked: "org.webviewguard.Guard.AccountLocked"
    case .secondManagedAccount: "org.webviewguard.Guard.SecondManagedAccount"
    case .unknownRequest: "org.webviewguard.Guard.UnknownRequest"
    case .requestIsOver: "org.webviewguard.Guard.RequestIsOver"
    case .unknownDecision: "org.webviewguard.Guard.UnknownDecision"
    case .logUnavailable: "org.webviewguard.Guard.LogUnavailable"
    }
  }

  package func writeParameters(to writer: inout JSONWriter) {
    switch self {
    case .noApp, .notAttached, .alreadyAttached, .unknownInstance, .invalidDocument, .identityModeSingle, .noPolicy,
      .logUnavailable:
      break
    case .appAmbiguous(let apps): writer.member("apps", apps)
    case .appMismatch(let app): writer.member("app", app)
    case .unknownClass(let name): writer.member("class", name)
    case .unknownParent(let viewer): writer.member("parent", viewer)
    case .unknownOpener(let viewer): writer.member("opener", viewer)
    case .unknownWindow(let window): writer.member("window", window)
    case .unknownRuleSet(let name): writer.member("ruleSet", name)
    case .unknownRequest(let request), .requestIsOver(let request): writer.member("request", request)
    case .unknownDecision(let decision): writer.member("decision", decision)
    case .unknownAccount(let account), .accountLocked(let account), .secondManagedAccount(let account):
      writer.member("account", account)
    case .unknownViewer(let viewer), .classLocked(let viewer), .rulesOnContainer(let viewer),
      .documentIsExternal(let viewer), .viewerCycle(let viewer):
      writer.member("viewer", viewer)
    case .policyLocked(let viewer, let policy, let ruleSet):
      writer.member("viewer", viewer)
      writer.member("policy", ifPresent: policy?.name)
      writer.member("ruleSet", ifPresent: ruleSet)
    case .limitReached(let limit, let maximum):
      writer.member("limit", limit.rawValue)
      writer.member("maximum", maximum)
    }
  }
}

/// A cap of the service. Caps refuse the new; they never forget what is (amendments, lists, limits, time).
package enum Limit: String, Sendable, Hashable, CaseIterable {
  case connections
  case instances
  case viewers
  case windows
  case pipelinedCalls
  case messageBytes
  case messageMilliseconds = "messageMs"
  case nameBytes
  case accounts
  case nesting
  case questions
  case pathBytes
  case justificationBytes
  case memoryBytes
  case logBytes
}
