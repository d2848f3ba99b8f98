package import PolicyEngine

/// Why a call of a test was refused, in the words of the wire's errors: `PolicyLocked`
package enum PolicyTestError: String, Error, Sendable, Hashable, CaseIterable {
  case unknownViewer = "UnknownViewer"
  case unknownClass = "UnknownClass"
  case unknownParent = "UnknownParent"
  case unknownOpener = "UnknownOpener"
  case unknownRuleSet = "UnknownRuleSet"
  case unknownAccount = "UnknownAccount"
  case unknownRequest = "UnknownRequest"
  case policyLocked = "PolicyLocked"
  case accountLocked = "AccountLocked"
  case rulesOnContainer = "RulesOnContainer"
  case documentIsExternal = "DocumentIsExternal"
  case invalidDocument = "InvalidDocument"
  case identityModeSingle = "IdentityModeSingle"
  case viewerCycle = "ViewerCycle"
  case limitReached = "LimitReached"
  case requestIsOver = "RequestIsOver"
  case noApp = "NoApp"

  package init(_ error: StateError) {
    self =
      switch error {
      case .unknownViewer: .unknownViewer
      case .unknownClass: .unknownClass
      case .unknownParent: .unknownParent
      case .unknownOpener: .unknownOpener
      case .unknownRuleSet: .unknownRuleSet
      case .unknownAccount: .unknownAccount
      case .policyLocked, .rulesLocked, .classLocked: .policyLocked
      case .accountLocked, .secondManagedAccount: .accountLocked
      case .rulesOnContainer: .rulesOnContainer
      case .documentIsExternal: .documentIsExternal
      case .invalidDocument: .invalidDocument
      case .identityModeSingle: .identityModeSingle
      case .viewerCycle: .viewerCycle
      case .limitReached: .limitReached
      case .unknownApp: .noApp
      }
  }

  package init(_ error: SwitchError) {
    self =
      switch error {
      case .unknownRequest: .unknownRequest
      case .requestIsOver: .requestIsOver
      case .refused(let error): PolicyTestError(error)
      }
  }
}
