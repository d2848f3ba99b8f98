package import GuardModel

/// One entry of a policy's `appConfig`: values for one app, by default or for some accounts.
package struct AppConfigEntry: Sendable {
  package struct Value: Sendable, Hashable {
    package let key: String
    package let value: AppConfigValue

    package init(key: String, value: AppConfigValue) {
      (self.key, self.value) = (key, value)
    }
  }

  /// Unique in the policy. Where several values count, the entry whose name has the smaller bytes comes first (AC-08).
  package let name: String
  /// The app that reads the values.
  package let app: String
  /// The accounts and groups that it is targeted at; empty for the app's default.
  package var targets: [AppConfigTarget] = []
  package var values: [Value] = []
  /// Its place in the files: `policy.d/apps.yaml:9:5`
  package var location = ""

  package init(name: String, app: String) {
    (self.name, self.app) = (name, app)
  }

  /// The values hold for every account of the app to which no entry targets another one.
  package var isDefault: Bool { targets.isEmpty }

  /// Whether the entry is targeted at an account.
  ///
  /// - Parameters:
  ///   - names: all names of the account, in lower case.
  ///   - groups: the Unix groups of the person who runs the app.
  func isTargeted(atNames names: [String], groups: Set<UInt32>) -> Bool {
    targets.contains { target in
      switch target {
      case .accounts(let pattern): names.contains { AccountName.pattern(pattern, takes: $0) }
      case .group(_, let number): number.map(groups.contains) ?? false
      }
    }
  }
}

/// The accounts that an entry of `appConfig` is targeted at.
package enum AppConfigTarget: Sendable, Hashable {
  /// One account, or `*@contoso.com`, in lower case.
  case accounts(String)
  /// Every account in programs that members of this Unix group run. A group that the machine does not know has no
  /// number, and no members.
  case group(name: String, number: UInt32?)

  /// `work@contoso.com`, `group: sales`
  package var words: String {
    switch self {
    case .accounts(let pattern): pattern
    case .group(let name, _): "group: \(name)"
    }
  }
}
