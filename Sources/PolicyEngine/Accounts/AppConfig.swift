package import GuardModel

/// Everything that a policy's `appConfig` says, and which of its values no log may hold (ledger AC).
package struct AppConfigDirectory: Sendable {
  /// By the bytes of their names: the order in which values of several entries count (AC-08, D-23).
  package let entries: [AppConfigEntry]
  /// Keys whose values appear in no record, journal, report or message (AC-11). They are compared byte by byte.
  package let scrubKeys: Set<String>

  package init(_ entries: [AppConfigEntry] = [], scrubKeys: Set<String> = []) {
    self.entries = entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    self.scrubKeys = scrubKeys
  }

  /// The text that stands for a value of a key in anything but the answer to the app: `(scrubbed)` for a scrubbed key.
  package func shown(_ value: AppConfigValue, of key: String) -> String {
    scrubKeys.contains(key) ? Self.scrubbed : value.written
  }

  package static let scrubbed = "(scrubbed)"

  /// The configuration of one account in one app.
  ///
  ///     directory.configuration(of: "com.contoso.portal", names: ["work@contoso.com"], groups: []).keys
  ///
  /// Whether the account may have any configuration yet is for the caller to ask: before enrolment it has none (AC-01).
  ///
  /// - Parameters:
  ///   - names: all names of the account, in lower case.
  ///   - groups: the Unix groups of the person who runs the app.
  package func configuration(of app: String, names: [String], groups: Set<UInt32>) -> AppConfiguration {
    var configuration = AppConfiguration()
    for entry in entries where entry.app == app {
      guard entry.isDefault || entry.isTargeted(atNames: names, groups: groups) else { continue }
      for value in entry.values {
        configuration.add(
          AppConfigLayer(entry: entry.name, value: value.value, isDefault: entry.isDefault), to: value.key)
      }
    }
    return configuration
  }
}
