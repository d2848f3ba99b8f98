internal import JSONText
internal import PolicyFiles

/// The differences of two configurations, for people and for programs.
package struct DifferenceList {
  let differences: [ConfigurationDifference]

  package init(_ differences: [ConfigurationDifference]) { self.differences = differences }

  var isEmpty: Bool { differences.isEmpty }

  func number(of direction: DifferenceDirection) -> Int { differences.count { $0.direction == direction } }

  // MARK: Text

  /// A summary, and one line for each, with the places of both.
  ///
  ///     looser    protection `contoso`: clipboard.level managed -> any  (old/policy.d/a.yaml:7:18 -> new/policy.d/a.yaml:7:18)
  func printText(to output: Output) throws(CommandFailure) {
    try output.line(summary)
    for difference in differences {
      let direction = difference.direction.rawValue
      let padding = String(repeating: " ", count: Self.width - direction.count)
      let words = "\(difference.words)  (\(difference.places))".escapedForDisplay
      try output.line(output.style.shown(difference.direction, direction) + padding + words)
    }
  }

  private static let width = (DifferenceDirection.allCases.map(\.rawValue.count).max() ?? 0) + 2

  private var summary: String {
    guard !isEmpty else { return "no differences" }
    let parts = DifferenceDirection.allCases.map { "\(number(of: $0)) \($0.rawValue)" }
    let count = differences.count
    return "\(count) \(count == 1 ? "difference" : "differences"): \(parts.joined(separator: ", "))"
  }

  // MARK: JSON

  /// The members that stand before those of the decisions.
  var members: [JSONTree.Member] {
    DifferenceDirection.allCases.map { .init($0.rawValue, .number(number(of: $0))) }
      + [.init("differences", .array(differences.map(\.json)))]
  }
}

extension ConfigurationDifference {
  /// ``protection `contoso`: clipboard.level managed -> any``
  fileprivate var words: String { "\(subject): \(key.isEmpty ? "" : key + " ")\(change)" }

  fileprivate var places: String {
    let places = [before.place, after.place].compactMap(\.self)
    return places.joined(separator: " -> ")
  }

  fileprivate var json: JSONTree {
    [
      "direction": .string(direction.rawValue), "kind": .string(kind), "name": .string(name), "key": .string(key),
      "before": before.json, "after": after.json, "added": .array(added.map(JSONTree.string)),
      "removed": .array(removed.map(JSONTree.string)), "addedCount": .number(addedCount),
      "removedCount": .number(removedCount),
    ]
  }
}

extension DifferenceSide {
  fileprivate var json: JSONTree {
    guard place != nil || value != nil else { return .null }
    return [
      "value": value.map(JSONTree.string) ?? .null, "isStated": .bool(isStated),
      "place": place.map(JSONTree.string) ?? .null,
    ]
  }
}

extension Style {
  fileprivate func shown(_ direction: DifferenceDirection, _ text: String) -> String {
    switch direction {
    case .looser: bad(text)
    case .tighter: good(text)
    case .sideways: text
    }
  }
}
