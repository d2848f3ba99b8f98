internal import JSONText
internal import PolicyFiles

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

  /// Where it is stated; what forces it has a place of its own.
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
