/// A call by which an app informs the daemon. The wire decodes into one, policy tests read one, a replay makes one of a
/// record, and `Guard.perform` alone carries it out.
package enum StateCall: Sendable, Hashable {
  /// Registers a viewer, or changes a registered one.
  case registerViewer(ViewerDescription)
  /// Nil makes the document unknown.
  case setDocument(viewer: String, document: String?)
  case forgetViewer(String)
  /// `unset` takes the tag away.
  case setWebViewPolicy(viewer: String, WebViewPolicy)
  /// Nil takes the app's own choice away.
  case setExternalURLRules(viewer: String, ruleSet: String?)
  case setIdentity(IdentityStatement)
  /// The result of a switch that the daemon asked for.
  case answer(request: String, SwitchResult)

  /// It names an identity that is shown.
  package var isAboutIdentity: Bool { if case .setIdentity = self { true } else { false } }

  /// The method of the wire: `RegisterViewer`
  package var name: String {
    switch self {
    case .registerViewer: "RegisterViewer"
    case .setDocument: "SetDocument"
    case .forgetViewer: "ForgetViewer"
    case .setWebViewPolicy: "SetWebViewPolicy"
    case .setExternalURLRules: "SetExternalURLRules"
    case .setIdentity: "SetIdentity"
    case .answer: "Answer"
    }
  }
}

/// An app's description of a viewer when it registers it. Members that are nil stay as they were (ledger WV-27).
package struct ViewerDescription: Sendable, Hashable {
  package var name: String
  package var className: String?
  package var parent: String?
  package var window: String?
  package var opener: String?
  package var kind: ViewerKind?
  package var document: String?
  /// The tag, as `setWebViewPolicy` sets it.
  package var policy: WebViewPolicy?
  /// The rule set's name, as `setExternalURLRules` sets it.
  package var ruleSet: String?

  package init(
    _ name: String, class className: String? = nil, parent: String? = nil, window: String? = nil, opener: String? = nil,
    kind: ViewerKind? = nil, document: String? = nil, policy: WebViewPolicy? = nil, ruleSet: String? = nil
  ) {
    self.name = name
    self.className = className
    self.parent = parent
    self.window = window
    self.opener = opener
    self.kind = kind
    self.document = document
    self.policy = policy
    self.ruleSet = ruleSet
  }
}

/// The identity that an app shows, at one of three levels.
package struct IdentityStatement: Sendable, Hashable {
  package var level = IdentityTarget.process
  /// Stated for the level `window`, and only there.
  package var window: String?
  /// Nil inherits from the next level, `""` is explicitly no account (ledger MI-14).
  package var account: String?
  /// All accounts of a window that shows several; at least one, and none beside it (ledger MI-24).
  package var accounts: [String]?
  /// The result of the app's own gates for a switch; nil only sets the identity (ledger E.5).
  package var gates: SwitchResult?

  package init() {}

  package init(_ level: IdentityTarget, window: String? = nil, account: String? = nil, accounts: [String]? = nil) {
    self.level = level
    self.window = window
    self.account = account
    self.accounts = accounts
  }

  /// Every account that it names.
  package var names: [String] { [account].compactMap(\.self) + (accounts ?? []) }
}

/// The level whose identity an app states.
package enum IdentityTarget: String, Sendable, Hashable, CaseIterable {
  case process
  case window
  case scope

  package var identityLevel: IdentityLevel {
    switch self {
    case .process: .process
    case .window: .window
    case .scope: .scope
    }
  }
}

/// The reply to a call of the state.
package enum StateReply: Sendable, Hashable {
  case done
  /// The current resolution of a registered viewer.
  case viewer(policy: WebViewPolicy, source: PolicySource, ruleSet: String?)
  /// The current resolution of a tagged viewer.
  case policy(WebViewPolicy, source: PolicySource)
  case identity(IdentityReply)
}

/// The identity in force after a `SetIdentity`. Accounts are nil for inherited and `""` for no account.
package struct IdentityReply: Sendable, Hashable {
  /// The level's previous identity.
  package var previous: String?
  package var effectiveUI: String?
  package var effectiveFile: String?
  /// The level that `effectiveUI` comes from.
  package var level: IdentityLevel
  /// The result of the switch, when the app asked for one; unless it is `success`, nothing changed.
  package var result: SwitchResult?
  /// Why the account may not be shown now, for one that may not work; `locked` while its person has to unlock it.
  package var reason: Reason?
  /// The account that has the reason.
  package var refused: String?
  /// The account that the call named, as the policy writes it. The log gets it, and the app does not.
  package var stated: String?

  package init(
    previous: String? = nil, effectiveUI: String? = nil, effectiveFile: String? = nil, level: IdentityLevel,
    result: SwitchResult? = nil
  ) {
    self.previous = previous
    self.effectiveUI = effectiveUI
    self.effectiveFile = effectiveFile
    self.level = level
    self.result = result
  }

  /// Whether the app may not show the identity that it asked for.
  package var isRefused: Bool { result != nil && result != .success }
}

/// The identities that an instance shows, and the policy's view of them (ledger MI-21, MI-23, EN-10). Accounts are nil
/// for unset ones and `""` for none.
package struct ShownIdentities: Sendable, Hashable {
  package var process: String?
  package var scope: String?
  package var windows: [Window] = []
  package var effectiveFile: String?
  package var mustState = false
  package var managedAccount: String?
  package var managementEnabled = false
  package var accounts: [Standing] = []

  package init() {}

  /// A window that has identities of its own.
  package struct Window: Sendable, Hashable {
    package var name: String
    package var accounts: [String]

    package init(name: String, accounts: [String]) {
      self.name = name
      self.accounts = accounts
    }
  }

  /// The policy's view of an account.
  package struct Standing: Sendable, Hashable {
    package var account: String
    package var isKnown: Bool
    package var isManaged: Bool
    package var state: AccountState

    package init(account: String, isKnown: Bool, isManaged: Bool, state: AccountState) {
      self.account = account
      self.isKnown = isKnown
      self.isManaged = isManaged
      self.state = state
    }
  }
}
