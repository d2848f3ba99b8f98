package import GuardModel

/// One statement of an app about itself. The client repeats it to a daemon that lost it.
package enum Statement: Sendable, Hashable {
  case viewer(ViewerDescription)
  case document(viewer: String, url: String?)
  case forget(viewer: String)
  case policy(viewer: String, WebViewPolicy)
  case rules(viewer: String, ruleSet: String?)
  case identity(GuardClient.IdentityTarget, ShownAccounts, gates: SwitchResult?)

  var method: String {
    switch self {
    case .viewer: "RegisterViewer"
    case .document: "SetDocument"
    case .forget: "ForgetViewer"
    case .policy: "SetWebViewPolicy"
    case .rules: "SetExternalURLRules"
    case .identity: "SetIdentity"
    }
  }

  func write(to writer: inout ValueWriter) {
    writer.object { members in
      switch self {
      case .viewer(let description): description.write(to: &members)
      case .document(let viewer, let url):
        members.member("viewer", viewer)
        members.member("document", url)
      case .forget(let viewer): members.member("viewer", viewer)
      case .policy(let viewer, let policy):
        members.member("viewer", viewer)
        members.member("policy", policy.name)
      case .rules(let viewer, let ruleSet):
        members.member("viewer", viewer)
        members.member("ruleSet", ruleSet)
      case .identity(let level, let shown, let gates):
        level.write(to: &members)
        shown.write(to: &members)
        members.member("gates", gates?.rawValue)
      }
    }
  }
}

// A nil member was left out.
extension ViewerDescription {
  func write(to members: inout ValueWriter) {
    members.member("viewer", name)
    members.member("class", className)
    members.member("parent", parent)
    members.member("window", window)
    members.member("opener", opener)
    members.member("kind", kind?.rawValue)
    members.member("document", document)
    members.member("policy", policy?.name)
    members.member("ruleSet", ruleSet)
  }

  /// Takes over the given members; the others stay.
  mutating func merge(_ newer: ViewerDescription) {
    className = newer.className ?? className
    parent = newer.parent ?? parent
    window = newer.window ?? window
    opener = newer.opener ?? opener
    kind = newer.kind ?? kind
    document = newer.document ?? document
  }
}

extension GuardClient.IdentityTarget {
  func write(to members: inout ValueWriter) {
    switch self {
    case .process: members.member("level", "process")
    case .window(let window):
      members.member("level", "window")
      members.member("window", window)
    case .scope: members.member("level", "scope")
    }
  }
}

/// The accounts whose data a level shows.
package enum ShownAccounts: Sendable, Hashable {
  /// No account is set: the next level counts.
  case inherited
  /// One account; `""` is explicitly no account.
  case one(String)
  /// Several accounts together, in one window.
  case several([String])

  func write(to members: inout ValueWriter) {
    switch self {
    case .inherited: break
    case .one(let account): members.member("account", account)
    case .several(let accounts): members.member("accounts", accounts)
    }
  }
}
