internal import GuardModel
internal import JSONText
internal import PolicyEngine
internal import PolicyFiles

/// An app's configuration, merged: for accounts that no entry names, then for each account and group that one does.
///
/// The merge of a group or of a pattern is that of an account which nothing else names; `--account` shows that of one.
struct EffectiveConfig {
  struct Row {
    /// `everybody else`, `work@contoso.com`, `*@contoso.com`, `group: sales`
    let subject: String
    let key: String
    /// The value, or the words that stand for a scrubbed one.
    let value: String
    let entry: String
    let isDefault: Bool
    let isConflict: Bool
  }

  let app: String
  let rows: [Row]

  /// Of each app that has configuration, in the policy's order.
  static func all(in policy: LoadedPolicy) -> [EffectiveConfig] {
    policy.apps.compactMap { app in
      let targets = policy.appConfig.entries.filter { $0.app == app.name }.flatMap(\.targets)
      let subjects = [ConfigSubject.everybodyElse] + targets.unique.map { ConfigSubject($0, policy.accounts) }
      return EffectiveConfig(app.name, subjects, policy.appConfig)
    }
  }

  /// Of each app that has configuration for one account, whose person is in some groups.
  static func all(in policy: LoadedPolicy, for account: String, groups: Set<UInt32>) -> [EffectiveConfig] {
    let subject = ConfigSubject(account, policy.accounts, groups: groups)
    return policy.apps.compactMap { EffectiveConfig($0.name, [subject], policy.appConfig) }
  }

  /// Nil when there is nothing to show.
  private init?(_ app: String, _ subjects: [ConfigSubject], _ directory: AppConfigDirectory) {
    self.app = app
    rows = subjects.flatMap { subject in
      let merged = directory.configuration(of: app, names: subject.names, groups: subject.groups)
      return merged.keys.flatMap { key in
        merged[key].layers.map { layer in
          Row(
            subject: subject.words, key: key, value: directory.shown(layer.value, of: key), entry: layer.entry,
            isDefault: layer.isDefault, isConflict: merged[key].hasConflict)
        }
      }
    }
    if rows.isEmpty { return nil }
  }

  /// The rows, without what is repeated from the row above.
  var table: TextTable {
    var last: Row?
    let cells = rows.map { row in
      let isSameSubject = row.subject == last?.subject
      let isSameKey = isSameSubject && row.key == last?.key
      last = row
      let note = row.isConflict ? "conflict" : row.isDefault ? "default" : ""
      return [isSameSubject ? "" : row.subject, isSameKey ? "" : row.key, row.value.shortened, note, row.entry]
    }
    return TextTable(["FOR", "KEY", "VALUE", "NOTE", "ENTRY"], cells)
  }

  var json: JSONTree {
    ["app": .string(app), "rows": .array(rows.map(\.json))]
  }
}

extension EffectiveConfig.Row {
  fileprivate var json: JSONTree {
    [
      "for": .string(subject), "key": .string(key), "value": .string(value), "entry": .string(entry),
      "default": .bool(isDefault), "conflict": .bool(isConflict),
    ]
  }
}

/// An account, as far as configuration is targeted at it.
private struct ConfigSubject {
  let words: String
  let names: [String]
  var groups: Set<UInt32> = []

  static let everybodyElse = ConfigSubject(words: "everybody else", names: [])

  private init(words: String, names: [String]) {
    (self.words, self.names) = (words, names)
  }

  init(_ target: AppConfigTarget, _ accounts: AccountDirectory) {
    switch target {
    case .accounts(let pattern): self.init(pattern, accounts, groups: [])
    case .group(_, let number):
      self.init(words: target.words, names: [])
      groups = Set([number].compactMap(\.self))
    }
  }

  init(_ account: String, _ accounts: AccountDirectory, groups: Set<UInt32>) {
    words = account
    names = accounts.names(of: account)
    self.groups = groups
  }
}

extension [AppConfigTarget] {
  /// Each once, in their order.
  fileprivate var unique: [AppConfigTarget] {
    var known: Set<AppConfigTarget> = []
    return filter { known.insert($0).inserted }
  }
}

extension String {
  /// At most so many characters that a table stays readable.
  fileprivate var shortened: String {
    let most = 60
    return count <= most ? self : prefix(most) + "..."
  }
}
