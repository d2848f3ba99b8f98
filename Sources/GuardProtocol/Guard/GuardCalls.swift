package import GuardModel

/// `Attach`: joins the connection to an instance.
package struct AttachCall: Call, Hashable {
  package var app: String?
  /// The token of the instance to join; nil starts a new one.
  package var instance: String?
  package var features: [String] = []
  /// The user's languages as BCP 47 tags, the preferred first; nil says nothing.
  package var languages: [String]?
  /// The versions of the program and of its client library.
  package var version: String?
  package var clientVersion: String?
  /// The digest of the configuration that the program's static rules were exported from.
  package var rules: String?

  package init() {}

  package static let parameters = ParameterTable<AttachCall>([
    .optionalText("app", \.app), .optionalText("instance", \.instance), .texts("features", \.features),
    .texts("languages") { $0.languages = $1 }, .optionalText("version", \.version),
    .optionalText("clientVersion", \.clientVersion), .optionalText("rules", \.rules),
  ])
}

/// `RegisterViewer`.
extension ViewerDescription: Call {
  package init() { self.init("") }

  package static let parameters = ParameterTable<ViewerDescription>([
    .name("viewer", \.name), .optionalText("class", \.className), .optionalText("parent", \.parent),
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

/// `SetIdentity`.
extension IdentityStatement: Call {
  package static let parameters = ParameterTable<IdentityStatement>([
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
