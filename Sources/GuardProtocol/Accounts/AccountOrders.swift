package import GuardModel
package import JSONText

/// A call of `org.webviewguard.Admin` about accounts, with its parameters read.
package enum AccountOrder: Sendable, Hashable {
  case list(AccountsOrder)
  case deregister(DeregisterOrder)
  case rotateKey(RotateKeyOrder)
  case escrow
  case recoverKey(RecoverKeyOrder)
}

/// `Accounts`: the accounts of persons and apps.
package struct AccountsOrder: Call, Hashable {
  /// Nil for all apps.
  package var app: String?
  /// The number of a person; nil for all.
  package var uid: UInt32?
  /// One name of an account; nil for all.
  package var account: String?

  package init() {}

  package static let parameters = ParameterTable<AccountsOrder>([
    .optionalText("app", \.app), .uid { $0.uid = $1 }, .optionalText("account", \.account),
  ])
}

/// `DeregisterAccount`: an administrator ends an app's access to an account of a person.
package struct DeregisterOrder: Call, Hashable {
  package var account = ""
  package var app = ""
  package var uid: UInt32 = 0
  /// In the administrator's words.
  package var cause = ""

  package init() {}

  package static let parameters = ParameterTable<DeregisterOrder>([
    .name("account", \.account), .name("app", \.app), .uid(isRequired: true) { $0.uid = $1 },
    .text("reason", \.cause),
  ])
}

/// `RotateAccountKey`: an administrator gives an account of a person a new key.
package struct RotateKeyOrder: Call, Hashable {
  package var account = ""
  package var uid: UInt32 = 0
  /// In the administrator's words.
  package var cause = ""

  package init() {}

  package static let parameters = ParameterTable<RotateKeyOrder>([
    .name("account", \.account), .uid(isRequired: true) { $0.uid = $1 }, .text("reason", \.cause),
  ])
}

/// The reply to `RotateAccountKey`.
package struct RotateKeyReply: Reply, Sendable, Hashable {
  package var account: String
  package var keyID: String

  package init(account: String, keyID: String) { (self.account, self.keyID) = (account, keyID) }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("account", account)
    writer.member("keyId", keyID)
  }
}

/// The reply to `Escrow`.
package struct EscrowReply: Reply, Sendable, Hashable {
  /// The public key that the policy names; nil where it names none.
  package var publicKey: String?
  /// The public key to which a key is sealed that shall come to this machine; nil while the keys are not open.
  package var importKey: String?
  /// The id of this machine in copies.
  package var machine: String?
  /// Number of living keys.
  package var keys: Int
  /// Number of those that have a copy for the public key.
  package var copied = 0

  package init(keys: Int) { self.keys = keys }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("publicKey", ifPresent: publicKey)
    writer.member("importKey", ifPresent: importKey)
    writer.member("machine", ifPresent: machine)
    writer.member("keys", keys)
    writer.member("copied", copied)
  }
}

/// `RecoverAccountKey`: an administrator brings a key of an account back that another machine had.
package struct RecoverKeyOrder: Call, Hashable {
  package var account = ""
  package var uid: UInt32 = 0
  /// The copy, sealed to this machine, in hexadecimal digits.
  package var copy = ""
  /// In the administrator's words.
  package var cause = ""

  package init() {}

  package static let parameters = ParameterTable<RecoverKeyOrder>([
    .name("account", \.account), .uid(isRequired: true) { $0.uid = $1 }, .text("copy", \.copy),
    .text("reason", \.cause),
  ])
}

/// The reply to `RecoverAccountKey`.
package struct RecoverKeyReply: Reply, Sendable, Hashable {
  package var account: String
  package var keyID: String
  package var isNew: Bool

  package init(account: String, keyID: String, isNew: Bool) {
    (self.account, self.keyID, self.isNew) = (account, keyID, isNew)
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("account", account)
    writer.member("keyId", keyID)
    writer.member("isNew", isNew)
  }
}

extension Parameter {
  /// The number of a user.
  static func uid(
    isRequired: Bool = false, _ set: @escaping @Sendable (inout Subject, UInt32) -> Void
  ) -> Parameter {
    Parameter("uid", .int, isRequired: isRequired) { value, subject in
      guard let uid = value.int.flatMap({ UInt32(exactly: $0) }) else { return false }
      set(&subject, uid)
      return true
    }
  }
}

/// The reply to `Accounts`.
package struct AccountsReply: Reply, Sendable, Hashable {
  package var accounts: [ListedAccount]
  package var signIns: [ListedSignIn]

  package init(_ accounts: [ListedAccount], signIns: [ListedSignIn]) {
    self.accounts = accounts
    self.signIns = signIns
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("accounts")
    writer.beginArray()
    for account in accounts { Self.write(account, to: &writer) }
    writer.endArray()
    writer.key("signIns")
    writer.beginArray()
    for signIn in signIns { Self.write(signIn, to: &writer) }
    writer.endArray()
  }

  private static func write(_ account: ListedAccount, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("uid", UInt64(account.person))
    writer.member("app", account.app)
    account.writeMembers(to: &writer)
    writer.member("reason", ifPresent: account.reason?.rawValue)
    writer.member("tried", ifPresent: account.triedAt)
    writer.member("forgotten", ifPresent: account.forgottenAt)
    writer.member("instances", account.instances)
    writer.endObject()
  }

  private static func write(_ signIn: ListedSignIn, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("uid", UInt64(signIn.person))
    writer.member("source", signIn.source.rawValue)
    writer.member("accounts", signIn.accounts)
    writer.member("time", signIn.time)
    writer.member("until", signIn.until)
    writer.endObject()
  }
}
