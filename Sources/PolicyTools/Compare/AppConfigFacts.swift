internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles

/// Facts of entries of `appConfig`.
///
/// A scrubbed value is told as changed, and never shown; a key counts as scrubbed when either side says so.
enum AppConfigFacts {
  typealias Side = (directory: AppConfigDirectory, places: PolicyPlaces, root: String)

  static func things(_ old: Side, _ new: Side) -> (old: [ComparedThing], new: [ComparedThing]) {
    let scrubbed = old.directory.scrubKeys.union(new.directory.scrubKeys)
    let before = old.directory.entries.map { thing($0, old.places, scrubbed, comparedTo: nil) }
    let after = new.directory.entries.map { entry in
      thing(entry, new.places, scrubbed, comparedTo: old.directory.entries.first { $0.name == entry.name })
    }
    return (before + [keys(old)], after + [keys(new)])
  }

  private static func keys(_ side: Side) -> ComparedThing {
    var facts = FactWriter(side.places, [])
    facts.add("scrubKeys", side.directory.scrubKeys.sorted(), more: .tighter)
    return ComparedThing(kind: "policy", name: "", place: side.root, facts: facts.facts)
  }

  private static func thing(
    _ entry: AppConfigEntry, _ places: PolicyPlaces, _ scrubbed: Set<String>, comparedTo old: AppConfigEntry?
  ) -> ComparedThing {
    var facts = FactWriter(places, path(of: entry, places))
    facts.add("app", entry.app)
    facts.add("default", String(entry.isDefault))
    facts.add("accounts", entry.targets.compactMap { if case .accounts(let pattern) = $0 { pattern } else { nil } })
    facts.add("groups", entry.targets.compactMap { if case .group(let name, _) = $0 { name } else { nil } })
    for value in entry.values {
      facts.add(["values", value.key], text(value, isScrubbed: scrubbed.contains(value.key), comparedTo: old))
    }
    facts.addFields(of: entry, but: ComparedFields.appConfig)
    return ComparedThing(kind: "appConfig", name: entry.name, place: entry.location, facts: facts.facts)
  }

  /// As JSON would have it: `"5"` and `5` differ.
  private static func text(
    _ value: AppConfigEntry.Value, isScrubbed: Bool, comparedTo old: AppConfigEntry?
  ) -> String {
    guard isScrubbed else {
      return value.value.string.map { "\"\($0)\"" } ?? value.value.written
    }
    let before = old?.values.first { $0.key == value.key }?.value
    let isChanged = before.map { $0 != value.value } ?? false
    return isChanged ? "(scrubbed, another value)" : AppConfigDirectory.scrubbed
  }

  /// The keys that lead to an entry in its file: entries are kept in the order of their names.
  private static func path(of entry: AppConfigEntry, _ places: PolicyPlaces) -> [String] {
    let number = places.keys(below: ["appConfig"]).first { places["appConfig", $0]?.description == entry.location }
    return ["appConfig", number ?? entry.name]
  }
}
