package import GuardModel
package import JSONText

/// `Config`: the values that the policy has for an app, account by account.
package struct ConfigCall: Call, Hashable {
  /// Nil for all accounts that are enrolled.
  package var accounts: [String]?

  package init() {}

  package static let parameters = ParameterTable<ConfigCall>([.texts("accounts") { $0.accounts = $1 }])
}

/// The reply to `Config`.
package struct ConfigReply: Reply, Sendable, Hashable {
  package var accounts: [AccountConfiguration]

  package init(_ accounts: [AccountConfiguration]) { self.accounts = accounts }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("accounts")
    writer.beginArray()
    for account in accounts {
      writer.beginObject()
      account.writeMembers(to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension AccountConfiguration {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("account", account)
    writer.member("state", state.rawValue)
    writer.key("values")
    writer.beginArray()
    for key in configuration.keys {
      for layer in configuration[key].all {
        writer.beginObject()
        writer.member("key", key)
        layer.writeMembers(to: &writer)
        writer.endObject()
      }
    }
    writer.endArray()
    writer.member("conflicts", configuration.keys.filter { configuration[$0].hasConflict })
  }
}

extension AppConfigLayer {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("entry", entry)
    writer.member("default", isDefault)
    switch value {
    case .bool(let truth): writer.member("flag", truth)
    case .number(let number):
      writer.key("number")
      // Readers keep whole numbers apart from others, and show them so.
      if let whole = value.wholeNumber { writer.value(whole) } else { writer.value(number) }
    case .string(let text): writer.member("text", text)
    }
  }
}
