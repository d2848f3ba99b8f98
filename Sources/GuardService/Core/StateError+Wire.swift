internal import GuardModel
package import GuardProtocol
package import PolicyEngine

/// Runs a call of the state; what it refuses is an error of the wire.
package func translated<Value>(_ body: () throws(StateError) -> Value) throws(GuardError) -> Value {
  do throws(StateError) { return try body() } catch { throw GuardError(error) }
}

extension GuardError {
  /// What the wire says when a call that changes state is refused.
  package init(_ error: StateError) {
    self =
      switch error {
      case .unknownViewer(let name): .unknownViewer(name)
      case .unknownClass(let name): .unknownClass(name)
      case .unknownParent(let name): .unknownParent(name)
      case .unknownOpener(let name): .unknownOpener(name)
      case .unknownRuleSet(let name): .unknownRuleSet(name)
      case .unknownAccount(let name): .unknownAccount(name)
      case .policyLocked(let viewer, let policy): .policyLocked(viewer: viewer, policy: policy, ruleSet: nil)
      case .rulesLocked(let viewer, let ruleSet): .policyLocked(viewer: viewer, policy: nil, ruleSet: ruleSet)
      case .classLocked(let viewer): .classLocked(viewer: viewer)
      case .accountLocked(let account): .accountLocked(account)
      case .rulesOnContainer(let name): .rulesOnContainer(viewer: name)
      case .documentIsExternal(let name): .documentIsExternal(viewer: name)
      case .invalidDocument: .invalidDocument
      case .identityModeSingle: .identityModeSingle
      case .secondManagedAccount(let shown): .secondManagedAccount(shown)
      case .viewerCycle(let name): .viewerCycle(viewer: name)
      case .limitReached(let limit, let maximum): .limitReached(Limit(limit), maximum: maximum)
      case .unknownApp: .noApp
      }
  }
}

extension GuardError {
  /// What the wire says when the answer to a request is refused.
  package init(_ error: SwitchError, _ request: String) {
    self =
      switch error {
      case .unknownRequest: .unknownRequest(request)
      case .requestIsOver: .requestIsOver(request)
      case .refused(let error): GuardError(error)
      }
  }
}

extension Limit {
  fileprivate init(_ limit: StateLimit) {
    self =
      switch limit {
      case .viewers: .viewers
      case .windows: .windows
      case .accounts: .accounts
      case .instances: .instances
      case .nameBytes: .nameBytes
      case .nesting: .nesting
      }
  }
}
