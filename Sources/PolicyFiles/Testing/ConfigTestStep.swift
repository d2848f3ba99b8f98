package import GuardModel
internal import PolicyEngine

/// A question of a policy test about app configuration: the values of a key for an account.
///
///     - { config: { account: work@contoso.com, key: maxTabs, max: 5, all: [3, 5], conflict: true } }
package struct ConfigQuestion: Sendable, Hashable {
  package var account: String
  package var key: String
}

/// A test's expectation of the values of a key. A nil property matches anything.
package struct ExpectedConfig: Sendable, Hashable {
  package var any: AppConfigValue?
  package var or: Bool?
  package var and: Bool?
  package var min: AppConfigValue?
  package var max: AppConfigValue?
  /// In the order of the entries' names; empty for a key that has no value.
  package var all: [AppConfigValue]?
  package var conflict: Bool?

  package init() {}
}

extension ConfigQuestion {
  /// The value of `config`; nil when it has been reported.
  static var decoder: YAMLDecoder<(ConfigQuestion, ExpectedConfig)> {
    .mapping { reader in
      let account = reader.required("account", .nonEmptyString)
      let key = reader.required("key", .name)
      var expect = ExpectedConfig()
      expect.any = reader.optional("any", .configValue)
      expect.or = reader.optional("or", .bool)
      expect.and = reader.optional("and", .bool)
      expect.min = reader.optional("min", .configValue)
      expect.max = reader.optional("max", .configValue)
      expect.all = reader.optional("all", .list(of: .configValue))
      expect.conflict = reader.optional("conflict", .bool)
      guard let account, let key else { return nil }
      guard expect != ExpectedConfig() else {
        reader.error(
          .missingKey, at: "key", "nothing is expected of the values",
          hint: "state one of `any`, `or`, `and`, `min`, `max`, `all`, `conflict`; `all: []` for no value")
        return nil
      }
      return (ConfigQuestion(account: account, key: key), expect)
    }
  }
}

extension YAMLDecoder where Value == AppConfigValue {
  /// A boolean, a number or a string. Its text is in no message: the key may be a scrubbed one.
  static var configValue: Self {
    Self("a boolean, a number or a string") { node, diagnostics in diagnostics.configValue(node, of: "config") }
  }
}
