package import GuardModel

/// `Attach`: joins the connection to an instance.
package struct AttachCall: Call, Hashable {
  package var app: String?
  /// The token of the instance to join; nil starts a new one.
  package var instance: String?
  package var features: [String] = []
  /// What the user reads, as BCP 47 tags, the preferred first; nil says nothing.
  package var languages: [String]?

  package init() {}

  package static let parameters = ParameterTable<AttachCall>([
    .optionalText("app", \.app), .optionalText("instance", \.instance), .texts("features", \.features),
    .texts("languages") { $0.languages = $1 },
  ])
}

/// `RegisterViewer`: makes a viewer known, or changes one that is. Nil leaves what is as it was.
package struct RegisterViewerCall: Call, Hashable {
  package var viewer = ""
  package var viewerClass: String?
  package var parent: String?
  package var window: String?
  package var opener: String?
  package var kind: ViewerKind?
  package var document: String?
  package var policy: WebViewPolicy?
  package var ruleSet: String?

  package init() {}

  package static let parameters = ParameterTable<RegisterViewerCall>([
    .name("viewer", \.viewer), .optionalText("class", \.viewerClass), .optionalText("parent", \.parent),
    .optionalText("window", \.window), .optionalText("opener", \.opener), .optionalWord("kind", .viewerKind, \.kind),
    .optionalText("document", \.document), .optionalWord("policy", .webViewPolicy, \.policy),
    .optionalText("ruleSet", \.ruleSet),
  ])
}

/// `SetDocument`: nil makes the document unknown.
package struct SetDocumentCall: Call, Hashable {
  package var viewer = ""
  package var document: String?

  package init() {}

  package static let parameters = ParameterTable<SetDocumentCall>([
    .name("viewer", \.viewer), .optionalText("document", \.document),
  ])
}

/// `ForgetViewer`.
package struct ForgetViewerCall: Call, Hashable {
  package var viewer = ""

  package init() {}

  package static let parameters = ParameterTable<ForgetViewerCall>([.name("viewer", \.viewer)])
}

/// `SetWebViewPolicy`: `unset` takes the tag away.
package struct SetWebViewPolicyCall: Call, Hashable {
  package var viewer = ""
  package var policy = WebViewPolicy.unset

  package init() {}

  package static let parameters = ParameterTable<SetWebViewPolicyCall>([
    .name("viewer", \.viewer), .word("policy", .webViewPolicy, \.policy),
  ])
}

/// `SetExternalURLRules`: nil takes the rule set away.
package struct SetExternalURLRulesCall: Call, Hashable {
  package var viewer = ""
  package var ruleSet: String?

  package init() {}

  package static let parameters = ParameterTable<SetExternalURLRulesCall>([
    .name("viewer", \.viewer), .optionalText("ruleSet", \.ruleSet),
  ])
}

/// Which identity `SetIdentity` sets.
package enum IdentityTarget: String, Sendable, Hashable, CaseIterable {
  case process
  case window
  case scope
}

/// `SetIdentity`: whose data is shown.
package struct SetIdentityCall: Call, Hashable {
  package var level = IdentityTarget.process
  /// There for the level `window`, and only there.
  package var window: String?
  /// Nil inherits from the next level, `""` is explicitly nobody (ledger MI-14).
  package var account: String?
  /// All accounts of a window that shows several; at least one, and none beside it (ledger MI-24).
  package var accounts: [String]?
  /// What the app's own gates said of a switch; nil only sets the identity (ledger E.5).
  package var gates: SwitchResult?

  package init() {}

  package static let parameters = ParameterTable<SetIdentityCall>([
    .word("level", .identityTarget, \.level), .optionalText("window", \.window), .optionalText("account", \.account),
    .texts("accounts") { $0.accounts = $1 }, .optionalWord("gates", .switchResult, \.gates),
  ])

  package func check() throws(ServiceError) {
    let isRight = level == .window ? window?.isEmpty == false : window == nil
    guard isRight else { throw .invalidParameter("window") }
    if let accounts {
      guard level == .window, account == nil, !accounts.isEmpty else { throw .invalidParameter("accounts") }
    }
    guard gates == nil || level != .scope && accounts == nil else { throw .invalidParameter("gates") }
  }
}
