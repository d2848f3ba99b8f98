internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// Compares the links that belong elsewhere than in a browser: entries of a list, of which the first that holds is taken.
///
/// Their ids are told to no program, so only an entry's content identifies it.
enum LinkComparison {
  static func differences(_ old: Links, _ new: Links) -> [ConfigurationDifference] {
    differences("links.exempt", old.exempt, new.exempt, more: .looser)
      + differences("links.managed", old.managed, new.managed, more: .sideways)
  }

  private struct Entry {
    let text: String
    let place: String
  }

  private static func entries(_ list: LinkList) -> [Entry] {
    zip(list.rules.rules, list.programs).map { rule, program in
      let words = ProgramFacts.words(program)
      let text = rule.condition.writtenGroup + (words.isEmpty ? "" : ", " + words)
      return Entry(text: text, place: rule.location)
    }
  }

  private static func differences(
    _ kind: String, _ old: LinkList, _ new: LinkList, more: DifferenceDirection
  ) -> [ConfigurationDifference] {
    let (before, after) = (entries(old), entries(new))
    var waiting: [String: [Int]] = [:]
    for number in after.indices.reversed() { waiting[after[number].text, default: []].append(number) }
    var pairs: [(old: Int, new: Int)] = []
    var result: [ConfigurationDifference] = []
    for (number, entry) in before.enumerated() {
      if let other = waiting[entry.text]?.popLast() {
        pairs.append((number, other))
      } else {
        result.append(
          ConfigurationDifference(
            kind: kind, name: "", key: "", direction: more.reversed,
            before: DifferenceSide(value: entry.text, place: entry.place), after: DifferenceSide()))
      }
    }
    let kept = Set(pairs.map(\.new))
    for (number, entry) in after.enumerated() where !kept.contains(number) {
      result.append(
        ConfigurationDifference(
          kind: kind, name: "", key: "", direction: more, before: DifferenceSide(),
          after: DifferenceSide(value: entry.text, place: entry.place)))
    }
    for (number, other) in RuleSetComparison.moved(pairs) {
      result.append(
        ConfigurationDifference(
          kind: kind, name: before[number].text, key: "position", direction: .sideways,
          before: DifferenceSide(value: "\(number + 1) of \(before.count)", place: before[number].place),
          after: DifferenceSide(value: "\(other + 1) of \(after.count)", place: after[other].place)))
    }
    return result
  }
}
