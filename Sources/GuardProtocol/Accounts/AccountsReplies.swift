package import GuardModel
package import JSONText

/// The reply to `Register` and to `Deregister`.
extension AccountAnswer: Reply {
  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("account", account)
    writer.member("state", state.rawValue)
    writer.member("result", ifPresent: result?.rawValue)
  }
}

/// The reply to `MaySignIn`.
package struct SignInReply: Reply, Sendable, Hashable {
  package var answer: AccountAnswer
  /// For the user, in the user's language.
  package var text: String?

  package init(_ answer: AccountAnswer, text: String?) {
    self.answer = answer
    self.text = text
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("allowed", answer.reason == nil)
    writer.member("state", answer.state.rawValue)
    writer.member("reason", ifPresent: answer.reason?.rawValue)
    writer.member("text", ifPresent: text)
  }
}

/// The reply to `Remediate`.
package struct RemediateReply: Reply, Sendable, Hashable {
  /// Nil for an account of which there is nothing to look at.
  package var request: String?

  package init(_ request: String?) { self.request = request }

  package func writeParameters(to writer: inout JSONWriter) { writer.member("request", ifPresent: request) }
}

/// The reply to `List`.
package struct ListReply: Reply, Sendable, Hashable {
  package var accounts: [ListedAccount]

  package init(_ accounts: [ListedAccount]) { self.accounts = accounts }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("accounts")
    writer.beginArray()
    for account in accounts {
      writer.beginObject()
      account.writeMembers(to: &writer)
      writer.endObject()
    }
    writer.endArray()
    let enrolled = accounts.filter { $0.state == .enrolled && $0.enrolledAt != nil }
    writer.member("enrolled", ifPresent: enrolled.count == 1 ? enrolled[0].account : nil)
  }
}

extension ListedAccount {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("account", account)
    writer.member("state", state.rawValue)
    writer.member("managed", isManaged)
    writer.member("protection", ifPresent: protection)
    writer.member("sources", sources.map(\.rawValue))
    writer.member("result", ifPresent: result?.rawValue)
    writer.member("registered", ifPresent: registeredAt)
    writer.member("enrolled", ifPresent: enrolledAt)
    writer.member("checkedIn", ifPresent: checkedInAt)
    writer.member("retry", ifPresent: retryAt)
    writer.member("remediation", ifPresent: remediation)
    writer.member("compliance", ifPresent: compliance?.rawValue)
    writer.member("encryption", ifPresent: encryption?.rawValue)
  }
}

/// The reply to `DeviceAccount`.
package struct DeviceAccountReply: Reply, Sendable, Hashable {
  package var account: String?

  package init(_ account: String?) { self.account = account }

  package func writeParameters(to writer: inout JSONWriter) { writer.member("account", ifPresent: account) }
}

/// The reply to `AllowedAccounts`.
package struct AllowedAccountsReply: Reply, Sendable, Hashable {
  /// Nil when the app takes all.
  package var accounts: [String]?
  package var mustSignOut: [String]

  package init(_ accounts: [String]?, mustSignOut: [String]) {
    self.accounts = accounts
    self.mustSignOut = mustSignOut
  }

  package func writeParameters(to writer: inout JSONWriter) {
    if let accounts { writer.member("accounts", accounts) }
    writer.member("mustSignOut", mustSignOut)
  }
}
