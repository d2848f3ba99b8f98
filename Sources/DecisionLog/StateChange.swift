package import GuardModel

/// A change of state that can alter a decision. Members for untouched parts stay nil.
///
///     var change = StateChange(.setIdentity)
///     change.identityLevel = .window
///     change.window = "main"
///     change.account = "work@contoso.com"
package struct StateChange: Sendable, Hashable {
  package var kind: Kind
  package var app: String?
  package var instance: String?
  package var peer: LoggedPeer?
  package var viewer: String?
  package var viewerClass: String?
  package var viewerKind: ViewerKind?
  package var parent: String?
  package var window: String?
  package var opener: String?
  /// The page that the viewer shows.
  package var document = LoggedURL.absent
  package var policy: WebViewPolicy?
  package var ruleSet: String?
  package var identityLevel: IdentityLevel?
  /// The account that was set: nil for none, `""` for explicitly no account.
  package var account: String?
  /// All accounts of a window that shows several.
  package var accounts: [String] = []
  /// The optional abilities of the instance's program that an answer may need.
  package var features: [String] = []
  /// The switch that was asked for, and its result: `account` is shown when it is `success`.
  package var request: String?
  package var result: SwitchResult?

  package init(_ kind: Kind) { self.kind = kind }

  /// A call in the form of the log. The caller adds the document, if the log may tell it.
  package init(_ call: StateCall) {
    switch call {
    case .registerViewer(let description):
      self.init(.registerViewer)
      viewer = description.name
      viewerClass = description.className
      viewerKind = description.kind
      parent = description.parent
      window = description.window
      opener = description.opener
      policy = description.policy
      ruleSet = description.ruleSet
    case .setDocument(let viewer, _):
      self.init(.setDocument)
      self.viewer = viewer
    case .forgetViewer(let viewer):
      self.init(.forgetViewer)
      self.viewer = viewer
    case .setWebViewPolicy(let viewer, let policy):
      self.init(.setWebViewPolicy)
      (self.viewer, self.policy) = (viewer, policy)
    case .setExternalURLRules(let viewer, let ruleSet):
      self.init(.setExternalURLRules)
      (self.viewer, self.ruleSet) = (viewer, ruleSet)
    case .setIdentity(let statement):
      self.init(.setIdentity)
      identityLevel = statement.level.identityLevel
      window = statement.window
      account = statement.account
      accounts = statement.accounts ?? []
    case .answer(let request, let result):
      self.init(.answer)
      (self.request, self.result) = (request, result)
    }
  }

  /// The kind of change, in the words of the wire.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case attach
    case registerViewer
    case forgetViewer
    case setDocument
    case setWebViewPolicy
    case setExternalURLRules
    case setIdentity
    case answer
    case instanceEnd
  }
}

/// An app's statement about its identity that was not accepted (ledger MI-28, AA-05).
///
///     var refusal = RefusedChange(change, .accountLocked)
///     refusal.stated = "work@contoso.com"
package struct RefusedChange: Sendable, Hashable {
  /// The change that the app asked for. Nothing of it holds.
  package var change: StateChange
  package var reason: Reason
  /// The account that the policy states for the app, if that is the reason.
  package var stated: String?
  /// The managed account that is shown already, if that is the reason.
  package var shown: String?
  /// The number of further ones without a record of their own; nil for one.
  package var count: UInt64?

  package init(_ change: StateChange, _ reason: Reason) {
    self.change = change
    self.reason = reason
  }

  /// The reason, in the words of the wire's errors, results and decisions.
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    case unknownAccount
    /// The policy states another account for the app.
    case accountLocked
    /// Another managed account is shown, and one may be.
    case secondManagedAccount
    /// The app has one identity, and no windows or scopes with others.
    case identityModeSingle
    /// The account may not work (ledger IS-13).
    case accountBlocked
    case accountNotCompliant
    case accountWiped
    case policyRequired
    case accountNotAllowed
    case notChecked
    case locked
    /// The user gave up at a gate.
    case canceled
    /// Another account, or another scope, prevents the switch.
    case notAllowed
    /// A gate did not open.
    case failed
    /// Too many accounts or windows, or too long a name.
    case limitReached
    /// The app has left the policy.
    case noApp
    /// Any other.
    case refused
  }
}
