/// One value of a key, and the entry of `appConfig` that gives it.
public struct AppConfigLayer: Sendable, Hashable {
  /// The entry's name.
  public let entry: String
  /// The value.
  public let value: AppConfigValue
  /// The entry is the app's default.
  public let isDefault: Bool

  /// A layer with those values.
  public init(entry: String, value: AppConfigValue, isDefault: Bool = false) {
    (self.entry, self.value, self.isDefault) = (entry, value, isDefault)
  }
}

/// The values of one key for one account, as the getters of the SDK read them (ledger AC-04 to AC-08).
///
/// Targeted values always beat the default, of whatever type they are: a getter of another type then has no value. So a
/// policy that replaces a default never brings it back by a mistake in a type.
public struct AppConfigValues: Sendable, Hashable {
  /// The layers that count: the targeted ones, or the default when there are none; in the order of the entries' names.
  public let layers: [AppConfigLayer]
  /// All layers, also a default that does not count.
  public let all: [AppConfigLayer]

  /// - Parameter all: all layers of the key, in the order of their entries' names.
  public init(_ all: [AppConfigLayer]) {
    self.all = all
    let targeted = all.filter { !$0.isDefault }
    layers = targeted.isEmpty ? all : targeted
  }

  /// Whether more than one targeted value exists, and they are not all identical (AC-05).
  ///
  /// `true` and `"true"` differ.
  public var hasConflict: Bool {
    guard let first = layers.first, !first.isDefault else { return false }
    return layers.contains { $0.value != first.value }
  }

  /// All booleans; empty when there are none.
  public var allBools: [Bool] { layers.compactMap(\.value.bool) }
  /// All numbers; empty when there are none.
  public var allNumbers: [Double] { layers.compactMap(\.value.number) }
  /// All strings; empty when there are none.
  public var allStrings: [String] { layers.compactMap(\.value.string) }

  /// The one of several booleans that a getter wants; nil when there are none.
  public func bool(_ choice: BoolChoice) -> Bool? {
    let values = allBools
    guard let first = values.first else { return nil }
    switch choice {
    case .any: return first
    case .or: return values.contains(true)
    case .and: return !values.contains(false)
    }
  }

  /// The one of several numbers that a getter wants; nil when there are none.
  public func number(_ choice: OrderedChoice) -> Double? {
    switch choice {
    case .any: allNumbers.first
    case .min: allNumbers.min()
    case .max: allNumbers.max()
    }
  }

  /// The one of several strings that a getter wants; nil when there are none.
  ///
  /// Strings are ordered by their bytes in UTF-8, which is the order of their code points: no locale, no case. `"10"`
  /// comes before `"9"`, and `"Z"` before `"a"`.
  public func string(_ choice: OrderedChoice) -> String? {
    switch choice {
    case .any: allStrings.first
    case .min: allStrings.min { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    case .max: allStrings.max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  /// The choice among several booleans (AC-06). `any` is the first by the names of the entries (AC-08).
  public enum BoolChoice: String, Sendable, CaseIterable {
    case any
    case or
    case and
  }

  /// The choice among several numbers or strings (AC-06).
  public enum OrderedChoice: String, Sendable, CaseIterable {
    case any
    case min
    case max
  }
}

/// The configuration of one account in one app: for each key the values that count.
///
///     let number = configuration["maxTabs"]
///     number.number(.max)      // 3
///     number.hasConflict       // true: two entries say 1 and 3
public struct AppConfiguration: Sendable, Hashable {
  private var layers: [String: [AppConfigLayer]] = [:]

  /// A configuration without any value.
  public init() {}

  /// The keys that have a value, by their bytes.
  public var keys: [String] { layers.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// The values of a key; none for a key that no entry names.
  public subscript(key: String) -> AppConfigValues { AppConfigValues(layers[key] ?? []) }

  /// Adds a layer behind those that are there: entries come in the order of their names.
  public mutating func add(_ layer: AppConfigLayer, to key: String) { layers[key, default: []].append(layer) }

  /// Whether all getters answer alike, whatever the entries are called.
  ///
  ///     old.isSame(as: new)    // false after a reload: the app should ask again (ledger AC-09)
  public func isSame(as other: AppConfiguration) -> Bool {
    keys == other.keys
      && keys.allSatisfy { self[$0].layers.map(\.value) == other[$0].layers.map(\.value) }
  }
}

/// The configuration of an account, as `Config` answers it: none before its enrolment (ledger AC-01).
public struct AccountConfiguration: Sendable, Hashable {
  /// As the policy spells it.
  public let account: String
  /// The point of its life. Only an account that is `enrolled` has values.
  public let state: AccountLifeState
  /// Its values.
  public let configuration: AppConfiguration

  /// An account's configuration.
  public init(account: String, state: AccountLifeState, configuration: AppConfiguration) {
    (self.account, self.state, self.configuration) = (account, state, configuration)
  }
}
