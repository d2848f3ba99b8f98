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

/// One value of a key, and the entry of `appConfig` that gives it.
package struct AppConfigLayer: Sendable, Hashable {
  package let entry: String
  package let value: AppConfigValue
  package let isDefault: Bool

  package init(entry: String, value: AppConfigValue, isDefault: Bool = false) {
    (self.entry, self.value, self.isDefault) = (entry, value, isDefault)
  }
}

/// The configuration of one account in one app: for each key the values that count.
///
///     let number = configuration["maxTabs"]
///     number.number(.max)      // 3
///     number.hasConflict       // true: two entries say 1 and 3
package struct AppConfiguration: Sendable, Hashable {
  private var layers: [String: [AppConfigLayer]] = [:]

  package init() {}

  /// The keys that have a value, by their bytes.
  package var keys: [String] { layers.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// The values of a key; none for a key that no entry names.
  package subscript(key: String) -> AppConfigValues { AppConfigValues(layers[key] ?? []) }

  /// Adds a layer behind those that are there: entries come in the order of their names.
  package mutating func add(_ layer: AppConfigLayer, to key: String) { layers[key, default: []].append(layer) }
}

/// The values of one key for one account, as the getters of the SDK read them (ledger AC-04 to AC-08).
///
/// Targeted values always beat the default, of whatever type they are: a getter of another type then has no value. So a
/// policy that replaces a default never brings it back by a mistake in a type.
package struct AppConfigValues: Sendable, Hashable {
  /// The layers that count: the targeted ones, or the default when there are none; in the order of the entries' names.
  package let layers: [AppConfigLayer]

  /// - Parameter all: all layers of the key, in the order of their entries' names.
  package init(_ all: [AppConfigLayer]) {
    let targeted = all.filter { !$0.isDefault }
    layers = targeted.isEmpty ? all : targeted
  }

  /// Whether more than one targeted value exists, and they are not all identical (AC-05).
  ///
  /// `true` and `"true"` differ.
  package var hasConflict: Bool {
    guard let first = layers.first, !first.isDefault else { return false }
    return layers.contains { $0.value != first.value }
  }

  /// All booleans; empty when there are none.
  package var allBools: [Bool] { layers.compactMap(\.value.bool) }
  /// All numbers; empty when there are none.
  package var allNumbers: [Double] { layers.compactMap(\.value.number) }
  /// All strings; empty when there are none.
  package var allStrings: [String] { layers.compactMap(\.value.string) }

  /// The one of several booleans that a getter wants; nil when there are none.
  package func bool(_ choice: BoolChoice) -> Bool? {
    let values = allBools
    guard let first = values.first else { return nil }
    switch choice {
    case .any: return first
    case .or: return values.contains(true)
    case .and: return !values.contains(false)
    }
  }

  /// The one of several numbers that a getter wants; nil when there are none.
  package func number(_ choice: OrderedChoice) -> Double? {
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
  package func string(_ choice: OrderedChoice) -> String? {
    switch choice {
    case .any: allStrings.first
    case .min: allStrings.min { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    case .max: allStrings.max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  /// The choice among several booleans (AC-06). `any` is the first by the names of the entries (AC-08).
  package enum BoolChoice: String, Sendable, CaseIterable {
    case any
    case or
    case and
  }

  /// The choice among several numbers or strings (AC-06).
  package enum OrderedChoice: String, Sendable, CaseIterable {
    case any
    case min
    case max
  }
}
