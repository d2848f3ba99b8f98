internal import GuardModel
package import JSONText

/// The report of `log report --coverage`, for people and for programs.
extension EventCoverage {
  package func printText(to output: Output) throws(CommandFailure) {
    for (index, app) in apps.enumerated() {
      if index > 0 { try output.line("") }
      for line in app.lines { try output.line(output.shown(line)) }
    }
    if apps.isEmpty { try output.line("the records are of no app") }
    if further > 0 { try output.line("and \(further) records of further apps") }
  }

  /// One object a line for each app.
  package func printJSON(to output: Output) throws(CommandFailure) {
    for app in apps { try output.json(app.json.text()) }
  }
}

extension AppCoverage {
  var lines: [String] {
    let asked = EventKind.allCases.compactMap { kind in self.asked[kind].map { "\(kind.name) \($0)" } }
    let features =
      missing?.map { "  not claimed  \($0.word): \($0.cost)" } ?? [
        "  not known    features: no start of it is in these records"
      ]
    let people = lackingPersons.map { person, kinds in
      "  lacking      uid \(person): " + kinds.map(\.name).joined(separator: ", ")
    }
    return ["\(app): \(total) recorded, \(RFC3339.text(first).prefix(10)) to \(RFC3339.text(last).prefix(10))"]
      + (asked.isEmpty ? [] : ["  asked        " + asked.joined(separator: ", ")])
      + (never.isEmpty ? [] : ["  never        " + never.map(\.name).joined(separator: ", ")])
      + (onlyCounted == 0 ? [] : ["  unknown      \(onlyCounted) decisions without a record of their own"])
      + people + features
  }

  /// Persons whose programs never asked about kinds that those of others did.
  private var lackingPersons: [(person: UInt32, kinds: [EventKind])] {
    persons.keys.sorted().compactMap { person in lacking(person).map { (person, $0) } }
  }

  package var json: JSONTree {
    let asked = EventKind.allCases.compactMap { kind in
      self.asked[kind].map { JSONTree.Member(kind.name, .number($0)) }
    }
    let missing = missing?.map { feature -> JSONTree in
      ["feature": .string(feature.word), "cost": .string(feature.cost)]
    }
    let people = lackingPersons.map { person, kinds -> JSONTree in
      ["uid": .number(Int(person)), "never": .array(kinds.map { .string($0.name) })]
    }
    return [
      "app": .string(app), "recorded": .number(total), "onlyCounted": .number(onlyCounted),
      "first": .string(RFC3339.text(first)), "last": .string(RFC3339.text(last)), "asked": .object(asked),
      "never": .array(never.map { .string($0.name) }), "missing": missing.map { .array($0) } ?? .null,
      "persons": .array(people),
    ]
  }
}
