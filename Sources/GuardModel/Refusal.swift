/// The reason why a call was refused. Nothing changed, and to a client each of them is a `block`.
///
/// The name of a case is the name of the wire's error: `Refusal.classLocked(viewer: "v1")` is
/// `org.webviewguard.Guard.ClassLocked {"viewer":"v1"}`, and `expect: ClassLocked` in a policy test.
package enum Refusal: Error, Sendable, Hashable {
  /// No app of the policy has the caller among its `peers`, or the app is no longer in the policy.
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
  case policyLocked(viewer: String, policy: WebViewPolicy? = nil, ruleSet: String? = nil)
  /// A viewer keeps the class it was registered with.
  case classLocked(viewer: String)
  /// Rule sets belong on a concrete viewer, not on a mere container (ledger WV-19).
  case rulesOnContainer(viewer: String)
  case documentIsExternal(viewer: String)
  case invalidDocument
  /// The app has one identity; windows and scopes have none of their own.
  case identityModeSingle
  case viewerCycle(viewer: String)
  case limitReached(Limit, maximum: Int)
  case noPolicy
  /// The configuration states the app's account.
  case accountLocked(String)
  /// The instance shows this other managed account, and may show one at a time (ledger MI-28, IS-05).
  case secondManagedAccount(String)
  /// No such switch was asked of this instance, or its identity changed since.
  case unknownRequest(String)
  /// The answer came too late, or after another one.
  case requestIsOver(String)
  /// No such decision was answered to this instance lately, it is acknowledged already, or it was a warning whose question
  /// has another answer now.
  case unknownDecision(String)
  /// The decision cannot be recorded, and without a record nothing may be allowed.
  case logUnavailable
  /// The change holds now, and a restart may forget it: the state file cannot be written.
  case stateUnavailable
  /// No protection binds the account: its data is left as it is (ledger SD-02).
  case notManaged(String)
  /// The account may not work now, so there is no key for its data; with the reason that decisions have.
  case keyWithheld(account: String, reason: Reason)
  /// The account of this person has no such key.
  case unknownKey(String)
  /// The key was destroyed, with the account's data.
  case keyDestroyed(String)
  /// No key can be used: the daemon's health says why.
  case keysUnavailable
  /// The file has this managed owner, or one that nobody can name (`""`): only new content has a new owner.
  case ownerStays(String)

  /// The error's name without its interface, as policy tests expect it.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    case noApp = "NoApp"
    case appAmbiguous = "AppAmbiguous"
    case appMismatch = "AppMismatch"
    case notAttached = "NotAttached"
    case alreadyAttached = "AlreadyAttached"
    case unknownInstance = "UnknownInstance"
    case unknownViewer = "UnknownViewer"
    case unknownClass = "UnknownClass"
    case unknownParent = "UnknownParent"
    case unknownOpener = "UnknownOpener"
    case unknownWindow = "UnknownWindow"
    case unknownRuleSet = "UnknownRuleSet"
    case unknownAccount = "UnknownAccount"
    case policyLocked = "PolicyLocked"
    case classLocked = "ClassLocked"
    case rulesOnContainer = "RulesOnContainer"
    case documentIsExternal = "DocumentIsExternal"
    case invalidDocument = "InvalidDocument"
    case identityModeSingle = "IdentityModeSingle"
    case viewerCycle = "ViewerCycle"
    case limitReached = "LimitReached"
    case noPolicy = "NoPolicy"
    case accountLocked = "AccountLocked"
    case secondManagedAccount = "SecondManagedAccount"
    case unknownRequest = "UnknownRequest"
    case requestIsOver = "RequestIsOver"
    case unknownDecision = "UnknownDecision"
    case logUnavailable = "LogUnavailable"
    case stateUnavailable = "StateUnavailable"
    case notManaged = "NotManaged"
    case keyWithheld = "KeyWithheld"
    case unknownKey = "UnknownKey"
    case keyDestroyed = "KeyDestroyed"
    case keysUnavailable = "KeysUnavailable"
    case ownerStays = "OwnerStays"

    /// Those that an `AccountCall` may be refused with.
    package static let ofAccountCalls: [Code] = [.unknownAccount, .limitReached, .noApp]

    /// Those that a `StateCall` may be refused with; the others are about the connection, the log or the policy.
    package static let ofStateCalls: [Code] = [
      .unknownViewer, .unknownClass, .unknownParent, .unknownOpener, .unknownRuleSet, .unknownAccount, .unknownRequest,
      .policyLocked, .classLocked, .accountLocked, .secondManagedAccount, .rulesOnContainer, .documentIsExternal,
      .invalidDocument, .identityModeSingle, .viewerCycle, .limitReached, .requestIsOver, .noApp,
    ]
  }

  package var code: Code {
    switch self {
    case .noApp: .noApp
    case .appAmbiguous: .appAmbiguous
    case .appMismatch: .appMismatch
    case .notAttached: .notAttached
    case .alreadyAttached: .alreadyAttached
    case .unknownInstance: .unknownInstance
    case .unknownViewer: .unknownViewer
    case .unknownClass: .unknownClass
    case .unknownParent: .unknownParent
    case .unknownOpener: .unknownOpener
    case .unknownWindow: .unknownWindow
    case .unknownRuleSet: .unknownRuleSet
    case .unknownAccount: .unknownAccount
    case .policyLocked: .policyLocked
    case .classLocked: .classLocked
    case .rulesOnContainer: .rulesOnContainer
    case .documentIsExternal: .documentIsExternal
    case .invalidDocument: .invalidDocument
    case .identityModeSingle: .identityModeSingle
    case .viewerCycle: .viewerCycle
    case .limitReached: .limitReached
    case .noPolicy: .noPolicy
    case .accountLocked: .accountLocked
    case .secondManagedAccount: .secondManagedAccount
    case .unknownRequest: .unknownRequest
    case .requestIsOver: .requestIsOver
    case .unknownDecision: .unknownDecision
    case .logUnavailable: .logUnavailable
    case .stateUnavailable: .stateUnavailable
    case .notManaged: .notManaged
    case .keyWithheld: .keyWithheld
    case .unknownKey: .unknownKey
    case .keyDestroyed: .keyDestroyed
    case .keysUnavailable: .keysUnavailable
    case .ownerStays: .ownerStays
    }
  }
}

/// A cap of the service. Caps refuse new entries; they never drop existing ones (amendments, lists, limits, time).
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
  case files
}
