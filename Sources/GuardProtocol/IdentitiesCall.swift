package import GuardModel
package import JSONText

/// `Identities`: whose data is shown, and how the policy stands to it (ledger MI-21, MI-23, EN-10).
package struct IdentitiesCall: Call, Hashable {
  /// An account to be told of beside those that are shown.
  package var account: String?

  package init() {}

  package static let parameters = ParameterTable<IdentitiesCall>([.optionalText("account", \.account)])
}

/// The reply to `Identities`. Accounts are nil for what is not set and `""` for nobody.
package struct IdentitiesReply: Reply, Sendable, Hashable {
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

  /// How the policy stands to an account.
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
