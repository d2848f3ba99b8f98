internal import GuardModel
internal import JSONText
package import PolicyEngine
package import PolicyFiles

/// A protection's settings as they are in force, each with its source.
///
///     let protection = EffectiveProtection(policy.protections[0], policy.places)
///     protection.settings.first { $0.key == "save.allowed" }?.sentence
///     // "`save.allowed` is `false`, since `send` is `none` (policy.d/policy.yaml:12:5)"
///
/// The effective values themselves are the engine's (`EffectiveSettings`; ledger SL-12, OL-07, DT-06).
package struct EffectiveProtection: Sendable, Hashable {
  package let name: String
  /// `file:line:column` of the protection.
  package let location: String
  /// Every setting, in the order of `docs/configuration.md`.
  package let settings: [EffectiveSetting]

  package init(_ protection: Protection, _ places: PolicyPlaces) {
    name = protection.name
    location = protection.location
    let overruled = protection.overruled
    settings = protection.writtenSettings.map { key, stated in
      EffectiveSetting(key, stated, protection, overruled, places)
    }
  }
}

/// One setting of a protection, as it is in force.
package struct EffectiveSetting: Sendable, Hashable {
  /// The source of a setting.
  package enum Source: Sendable, Hashable {
    case stated(at: String)
    /// Nothing is stated.
    case standard
    /// Another setting leaves no choice, despite a stated value; its place is nil when it stands at its default.
    case forced(by: String, is: String, at: String?)
    /// Nothing is stated, and it goes with another setting.
    case follows(String)
  }

  /// The key below the protection: `save.allowed`
  package let key: String
  /// The value in force, as it would be written; empty for a text without letters.
  package let value: String
  package let source: Source

  init(
    _ key: String, _ stated: String?, _ protection: Protection, _ overruled: [OverruledSetting],
    _ places: PolicyPlaces
  ) {
    self.key = key
    // Only `automation` goes with another setting.
    let leader = stated == nil ? "assistants" : key
    if let forced = overruled.first(where: { $0.key == leader }) {
      value = forced.value
      source = .forced(
        by: forced.cause, is: protection.writtenValue(of: forced.cause),
        at: places.setting(forced.cause, of: protection)?.description)
    } else {
      value = stated ?? protection.writtenValue(of: leader)
      let place = places.setting(key, of: protection).map { Source.stated(at: $0.description) }
      source = place ?? (stated == nil ? .follows(leader) : .standard)
    }
  }

  /// Its source, in words: ``since `send` is `none` (policy.d/policy.yaml:12:5)``
  package var why: String {
    switch source {
    case .stated(let place): place
    case .standard: "default"
    case .forced(let key, let value, let place):
      "since \(key.quoted) is \(value.quoted)" + (place.map { " (\($0))" } ?? " by default")
    case .follows(let key): "as \(key.quoted)"
    }
  }

  /// ``"`save.allowed` is `false`, since `send` is `none` (policy.d/policy.yaml:12:5)"``
  package var sentence: String { "\(key.quoted) is \(value.isEmpty ? "empty" : value.quoted), \(why)" }
}

extension EffectiveProtection {
  /// Every setting with the value in force, and where it comes from.
  var table: TextTable {
    TextTable(
      ["SETTING", "IN FORCE", "WHY"],
      settings.map { [$0.key, $0.value.isEmpty ? "\"\"" : $0.value, $0.why] })
  }

  var json: JSONTree {
    ["name": .string(name), "location": .string(location), "settings": .array(settings.map(\.json))]
  }
}

extension EffectiveSetting {
  fileprivate var json: JSONTree {
    [
      "key": .string(key), "value": .string(value), "source": .string(sourceWord), "location": .optional(place),
      "because": cause,
    ]
  }

  private var sourceWord: String {
    switch source {
    case .stated: "stated"
    case .standard: "default"
    case .forced: "forced"
    case .follows: "follows"
    }
  }

  /// The place that states it; a forcing setting has a place of its own.
  private var place: String? { if case .stated(let place) = source { place } else { nil } }

  /// The setting that makes it so.
  private var cause: JSONTree {
    switch source {
    case .stated, .standard: .null
    case .forced(let key, let value, let place):
      ["key": .string(key), "value": .string(value), "location": .optional(place)]
    case .follows(let key): ["key": .string(key), "value": .string(value), "location": .null]
    }
  }
}
