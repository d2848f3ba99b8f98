package import GuardModel
package import JSONText

/// `DataKey`: the key of one object. The ids are as they came; the shell reads them.
package struct DataKeyCall: Call, Hashable {
  /// To write the account's name; to read its name, or its id in the object's header.
  package var account = ""
  package var use = DataKeyUse.read
  /// 32 bytes in hexadecimal digits.
  package var object = ""
  /// 16 bytes in hexadecimal digits; nil to write.
  package var keyID: String?

  package init() {}

  package static let parameters = ParameterTable<DataKeyCall>([
    .name("account", \.account), .word("use", .dataKeyUse, \.use), .name("object", \.object),
    .optionalText("keyId", \.keyID),
  ])
}

/// The reply to `DataKey`.
///
/// Trap: it holds the key, so it has no description of its own and goes nowhere but to its caller.
package struct DataKeyReply: Reply, Sendable {
  private let key: String
  package let keyID: String
  package let accountID: String

  package init(key: String, keyID: String, accountID: String) {
    (self.key, self.keyID, self.accountID) = (key, keyID, accountID)
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("key", key)
    writer.member("keyId", keyID)
    writer.member("accountId", accountID)
  }
}
