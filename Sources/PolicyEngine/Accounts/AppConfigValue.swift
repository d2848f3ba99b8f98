/// A value of an app's configuration, to which the app's developer gives its meaning (ledger AC-01, AC-06).
///
///     AppConfigValue.number(5).written      // "5"
///     AppConfigValue.string("5") == .number(5)   // false: types are never converted
///
/// The trap: Swift takes a composed and a decomposed letter for the same. Values are equal only when their bytes are,
/// so that a client in C finds the same conflicts.
package enum AppConfigValue: Sendable, Hashable {
  case bool(Bool)
  /// Finite, and exact in every client: a whole number is at most `largestWhole` away from 0.
  case number(Double)
  case string(String)

  /// The largest whole number that every reader of JSON keeps exactly: 2^53 - 1 (RFC 8259, section 6).
  package static let largestWhole = 9_007_199_254_740_991

  package static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.bool, _), (.number, _), (.string, _): false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .bool(let truth): hasher.combine(truth)
    case .number(let number): hasher.combine(number)
    case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
    }
  }

  /// The type, in the words of messages: `boolean`, `number`, `string`
  package var typeName: String {
    switch self {
    case .bool: "boolean"
    case .number: "number"
    case .string: "string"
    }
  }

  /// The value as JSON would have it, without quotes around a string: `true`, `0.5`, `blue`
  package var written: String {
    switch self {
    case .bool(let truth): String(truth)
    case .number(let number): Self.text(number)
    case .string(let text): text
    }
  }

  package var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }
  package var number: Double? { if case .number(let number) = self { number } else { nil } }
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// Bytes that the value takes in an answer, roughly; a limit adds them up.
  package var size: Int {
    switch self {
    case .bool, .number: 8
    case .string(let text): text.utf8.count
    }
  }

  private static func text(_ number: Double) -> String {
    number.rounded() == number && number.magnitude <= Double(largestWhole) ? String(Int(number)) : String(number)
  }
}

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
