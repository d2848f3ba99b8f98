package import GuardModel
package import JSONText

/// The errors of `org.webviewguard.Guard`.
extension Refusal: CallError {
  package var qualifiedName: String { "org.webviewguard.Guard." + code.rawValue }

  package func writeParameters(to writer: inout JSONWriter) {
    switch self {
    case .noApp, .notAttached, .alreadyAttached, .unknownInstance, .invalidDocument, .identityModeSingle, .noPolicy,
      .logUnavailable, .stateUnavailable, .keysUnavailable:
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
    case .unknownAccount(let account), .accountLocked(let account), .secondManagedAccount(let account),
      .notManaged(let account), .ownerStays(let account):
      writer.member("account", account)
    case .keyWithheld(let account, let reason):
      writer.member("account", account)
      writer.member("reason", reason.rawValue)
    case .unknownKey(let id), .keyDestroyed(let id): writer.member("keyId", id)
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
