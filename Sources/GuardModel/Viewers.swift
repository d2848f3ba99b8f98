/// The tag on a viewer, which decides the identity of actions there (ledger WV-01 to WV-05).
public enum WebViewPolicy: UInt8, Sendable, Hashable, CaseIterable {
  /// No tag of its own: ancestors, then the app's flag, then `currentIdentity`.
  case unset = 0
  /// Every action counts as unmanaged, whatever account is signed in.
  case unmanaged
  /// Every action counts as the identity of the viewer's window at the time of the action.
  case currentIdentity
  /// As `currentIdentity`; nothing may be pasted or uploaded into the viewer.
  case currentIdentityBlockUpload

  /// `unset`, `unmanaged`, `currentIdentity`, `currentIdentityBlockUpload`.
  public var name: String {
    switch self {
    case .unset: "unset"
    case .unmanaged: "unmanaged"
    case .currentIdentity: "currentIdentity"
    case .currentIdentityBlockUpload: "currentIdentityBlockUpload"
    }
  }

  /// The policy with this name; nil for any other text: `WebViewPolicy(named: "unmanaged")`.
  package init?(named name: String) {
    guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = match
  }
}

/// The source of a viewer's web-view policy (amendments, navigation step 2).
public enum PolicySource: String, Sendable, Hashable, CaseIterable {
  /// No app registered the viewer: the strictest policy there is.
  case unknownViewer
  /// The configuration states it for the viewer's class.
  case viewerClass = "class"
  /// The viewer's kind: an `ephemeral` one is unmanaged.
  case kind
  /// The app tagged this viewer.
  case ownTag
  /// The nearest container that has a tag.
  case ancestor
  /// The viewer that opened this one.
  case opener
  /// `treatAllWebViewsAsUnmanaged`.
  case flag
  /// No source said anything: `currentIdentity`.
  case `default`
}

/// The kind of a viewer (ledger WV-26).
public enum ViewerKind: String, Sendable, Hashable, CaseIterable {
  /// A web view inside an app's window.
  case embedded
  /// A viewer that only holds others; it takes tags and no rule set.
  case container
  /// A container that carries a UI identity.
  case window
  /// A window that a page opened.
  case popup
  /// A sign-in view.
  case auth
  /// A guest's or kiosk's view: unmanaged, whatever its tag (ledger CL-01).
  case ephemeral
}

/// A rule set's answer for a URL. External is not blocked: the protection decides the consequence.
public enum Verdict: UInt8, Sendable, Hashable {
  case external = 0
  case `internal`

  /// The word on the wire and in the log.
  public var name: String { self == .internal ? "internal" : "external" }
}
