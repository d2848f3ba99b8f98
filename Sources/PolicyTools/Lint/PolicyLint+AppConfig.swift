internal import GuardModel
internal import PolicyEngine
package import PolicyFiles

/// Statements of `appConfig` that contradict each other, or mislead.
extension PolicyLint {
  var ofAppConfig: [Diagnostic] { configConflicts + mixedTypes + unusedScrubKeys }

  private var entries: [AppConfigEntry] { policy.appConfig.entries }

  private func place(of entry: AppConfigEntry) -> SourceLocation {
    SourceLocation(printed: entry.location) ?? SourceLocation(file: "")
  }

  /// Targeted entries that give one key different values and reach one account (AC-05).
  private var configConflicts: [Diagnostic] {
    var found: [Diagnostic] = []
    for (number, entry) in entries.enumerated() where !entry.isDefault {
      for other in entries.dropFirst(number + 1) where other.app == entry.app && !other.isDefault {
        let keys = entry.keys(differingFrom: other)
        guard !keys.isEmpty, let reach = policy.reach(of: entry, and: other) else { continue }
        found.append(
          Diagnostic(
            .info, .configConflict, at: place(of: other),
            "\(entry.name.quoted) (\(entry.location)) and \(other.name.quoted) give \(keys.quotedList) different values, and "
              + "\(reach): an app that asks for any value gets that of \(entry.name.quoted)",
            hint: "give both the same value, unless the app takes the smallest or the largest"))
      }
    }
    return found
  }

  /// A getter of one type does not see values of another.
  private var mixedTypes: [Diagnostic] {
    var first: [String: (entry: AppConfigEntry, type: String)] = [:]
    var told: Set<String> = []
    var found: [Diagnostic] = []
    for entry in entries {
      for value in entry.values {
        let id = entry.app + " " + value.key
        guard let known = first[id] else {
          first[id] = (entry, value.value.typeName)
          continue
        }
        guard known.type != value.value.typeName, told.insert(id).inserted else { continue }
        found.append(
          Diagnostic(
            .warning, .mixedConfigTypes, at: place(of: entry),
            "\(value.key.quoted) of app \(entry.app.quoted) is a \(value.value.typeName) here, and a \(known.type) in "
              + "\(known.entry.name.quoted) (\(known.entry.location)): an app that asks for one does not see the other",
            hint: "write the type that the app asks for; quotes make a string"))
      }
    }
    return found
  }

  /// A misspelled key would leave a secret in the output of tools.
  private var unusedScrubKeys: [Diagnostic] {
    let used = Set(entries.flatMap(\.values).map(\.key))
    return policy.appConfig.scrubKeys.subtracting(used).sorted().map { key in
      let nearest = Suggestion.nearest(to: key, among: used.sorted())
      return Diagnostic(
        .warning, .unusedScrubKey, at: policy.places["scrubKeys"] ?? SourceLocation(file: ""),
        "no entry of `appConfig` has the key \(key.quoted), so nothing is scrubbed by it",
        hint: nearest.map { "did you mean \($0.quoted)?" } ?? "remove it, or write the key as the entry does")
    }
  }
}

extension AppConfigEntry {
  fileprivate func keys(differingFrom other: AppConfigEntry) -> [String] {
    values.filter { value in
      other.values.contains { $0.key == value.key && $0.value != value.value }
    }.map(\.key)
  }
}

extension LoadedPolicy {
  /// The accounts that two entries both reach, in words; nil when there are none.
  fileprivate func reach(of entry: AppConfigEntry, and other: AppConfigEntry) -> String? {
    for target in entry.targets {
      for otherTarget in other.targets {
        if let both = common(target, otherTarget) { return "both reach \(both.quoted)" }
      }
    }
    let hasGroup = (entry.targets + other.targets).contains { if case .group = $0 { true } else { false } }
    return hasGroup ? "an account of a member of the group may be reached by both" : nil
  }

  /// The narrower of two targets when one lies in the other.
  private func common(_ one: AppConfigTarget, _ other: AppConfigTarget) -> String? {
    guard case .accounts(let pattern) = one, case .accounts(let otherPattern) = other else {
      return one == other ? one.words : nil
    }
    if accounts.names(of: otherPattern).contains(where: { AccountName.pattern(pattern, takes: $0) }) {
      return otherPattern
    }
    return accounts.names(of: pattern).contains { AccountName.pattern(otherPattern, takes: $0) } ? pattern : nil
  }
}

/// Lint findings in app configuration.
extension Diagnostic.Code {
  package static let configConflict: Self = "config-conflict"
  package static let mixedConfigTypes: Self = "mixed-config-types"
  package static let unusedScrubKey: Self = "unused-scrub-key"
}
