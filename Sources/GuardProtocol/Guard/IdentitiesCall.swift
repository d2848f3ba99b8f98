package import GuardModel
package import JSONText

/// `Identities`: the accounts whose data is shown, and their standing in the policy (ledger MI-21, MI-23, EN-10).
package struct IdentitiesCall: Call, Hashable {
  /// An account to report beside those that are shown.
  package var account: String?

  package init() {}

  package static let parameters = ParameterTable<IdentitiesCall>([.optionalText("account", \.account)])
}

/// The reply to `Identities`.
extension ShownIdentities: Reply {
  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("process", ifPresent: process)
    writer.member("scope", ifPresent: scope)
    writer.key("windows")
    writer.beginArray()
    for window in windows {
      writer.beginObject()
      writer.member("window", window.name)
      writer.member("accounts", window.accounts)
      writer.endObject()
    }
    writer.endArray()
    writer.member("effectiveFile", ifPresent: effectiveFile)
    writer.member("mustState", mustState)
    writer.member("managedAccount", ifPresent: managedAccount)
    writer.member("managementEnabled", managementEnabled)
    writer.key("accounts")
    writer.beginArray()
    for standing in accounts {
      writer.beginObject()
      writer.member("account", standing.account)
      writer.member("known", standing.isKnown)
      writer.member("managed", standing.isManaged)
      writer.member("state", standing.state.rawValue)
      writer.endObject()
    }
    writer.endArray()
  }
}
