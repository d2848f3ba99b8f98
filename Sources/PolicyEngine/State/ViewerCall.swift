package import GuardModel

/// What an app says of a viewer when it registers it. Members that are nil stay as they were (ledger WV-27).
package struct ViewerCall: Sendable, Hashable {
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
