package import GuardModel
package import JSONText

/// A call of `org.webviewguard.Admin` about wipes, with its parameters read.
package enum WipeCall: Sendable, Hashable {
  case wipe(WipeAccountCall)
  case approve(ApproveWipeCall)
  case restore(RestoreAccountCall)
  case list
}

/// `WipeAccount`: an administrator wipes an account, or looks at what that would reach.
package struct WipeAccountCall: Call, Hashable {
  package var account = ""
  package var uid: UInt32 = 0
  package var app: String?
  package var cause = ""
  package var now: Bool?
  /// The code of a preview; nil for a preview.
  package var confirm: String?

  package init() {}

  package static let parameters = ParameterTable<WipeAccountCall>([
    .name("account", \.account), .uid(isRequired: true) { $0.uid = $1 }, .optionalText("app", \.app),
    .text("reason", \.cause), .optionalBool("now", \.now), .optionalText("confirm", \.confirm),
  ])
}

/// `ApproveWipe`: a second administrator agrees.
package struct ApproveWipeCall: Call, Hashable {
  package var id = ""

  package init() {}

  package static let parameters = ParameterTable<ApproveWipeCall>([.name("id", \.id)])
}

/// `RestoreAccount`: takes wipes back.
package struct RestoreAccountCall: Call, Hashable {
  package var account = ""
  package var uid: UInt32 = 0
  package var cause = ""

  package init() {}

  package static let parameters = ParameterTable<RestoreAccountCall>([
    .name("account", \.account), .uid(isRequired: true) { $0.uid = $1 }, .text("reason", \.cause),
  ])
}

/// The reply to `WipeAccount`.
package struct WipeAccountReply: Reply, Sendable, Hashable {
  package var account: String
  package var apps: [String]
  /// Number of keys that would be destroyed, and of copies that the organisation has of the account's keys; of a preview.
  package var keys: Int?
  package var copies: Int?
  /// The directories of this person, of a preview: `APP: PATH`
  package var directories: [String] = []
  /// Directories of the policy that this account has none of, each with the reason.
  package var refused: [String] = []
  package var destroys = false
  package var delay: UInt64 = 0
  package var needed = 1
  package var code: String?
  package var wipe: ListedWipe?

  package init(account: String, apps: [String]) {
    self.account = account
    self.apps = apps
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("account", account)
    writer.member("apps", apps)
    if let keys { writer.member("keys", keys) }
    if let copies { writer.member("copies", copies) }
    writer.member("directories", directories)
    writer.member("refused", refused)
    writer.member("destroys", destroys)
    writer.member("delay", delay)
    writer.member("needed", needed)
    writer.member("code", ifPresent: code)
    guard let wipe else { return }
    writer.key("wipe")
    wipe.write(to: &writer)
  }
}

/// The reply to `ApproveWipe`.
package struct ApproveWipeReply: Reply, Sendable, Hashable {
  package var wipe: ListedWipe

  package init(_ wipe: ListedWipe) { self.wipe = wipe }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("wipe")
    wipe.write(to: &writer)
  }
}

/// The reply to `Wipes`.
package struct WipesReply: Reply, Sendable, Hashable {
  package var wipes: [ListedWipe]

  package init(_ wipes: [ListedWipe]) { self.wipes = wipes }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("wipes")
    writer.beginArray()
    for wipe in wipes { wipe.write(to: &writer) }
    writer.endArray()
  }
}

extension ListedWipe {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("uid", UInt64(person))
    writer.member("app", ifPresent: app)
    writer.member("account", account)
    writer.member("cause", cause.rawValue)
    writer.member("phase", phase.name)
    writer.member("began", beganAt)
    writer.member("remaining", ifPresent: remaining)
    writer.member("approvals", approvals)
    writer.member("needed", neededApprovals)
    writer.key("apps")
    writer.beginArray()
    for part in apps {
      writer.beginObject()
      writer.member("app", part.app)
      writer.member("step", part.step.name)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}
