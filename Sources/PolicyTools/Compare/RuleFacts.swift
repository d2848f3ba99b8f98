internal import GuardModel
internal import PolicyFiles
internal import URLRules

/// Facts of one rule.
struct RuleFacts {
  private let rule: Rule
  private let matchers: [WrittenMatcher]
  /// The direction of a rule that holds of more.
  private let more: DifferenceDirection

  /// - Parameter isShadowing: where it holds, a later rule that is stricter is not asked.
  init(_ rule: Rule, isShadowing: Bool) {
    self.rule = rule
    matchers = rule.condition.writtenMatchers
    more = rule.verdict == .internal ? .looser : isShadowing ? .sideways : .tighter
  }

  /// Its facts beside its matchers.
  ///
  /// - Parameter other: the rule that it is compared with. With another verdict, the direction of a wider rule is
  ///   unclear.
  func thing(of ruleSet: String, beside other: RuleFacts) -> ComparedThing {
    thing(of: ruleSet, more: rule.verdict == other.rule.verdict && more == other.more ? more : .sideways)
  }

  /// The rule with its matchers, for one that only one side has.
  func whole(of ruleSet: String) -> ComparedThing {
    var thing = thing(of: ruleSet, more: more)
    let group = matchers.map { ComparedFact(key: $0.key, value: $0.value, place: rule.location) }
    thing.facts.insert(contentsOf: group, at: 1)
    thing.ifNew = more
    return thing
  }

  private func thing(of ruleSet: String, more: DifferenceDirection) -> ComparedThing {
    let monitoring = Int.rank(monitoredUntil: rule.monitoredUntil)
    let end = rule.expires.map(Int.init) ?? .max
    var facts = [
      fact("verdict", rule.verdict.name, rank: rule.verdict == .internal ? 0 : 1, isStated: true),
      ComparedFact(
        key: "for", value: .set(Purposes.names.filter { rule.purposes.contains($0.purpose) }.map(\.name).sorted()),
        more: more, place: rule.purposes == (rule.place == nil ? .page : .placed) ? nil : rule.location),
      fact("then", rule.then.rawValue, rank: rule.then.strictness, isStated: rule.then != .none),
      fact("message", rule.message ?? "none", isStated: rule.message != nil),
      fact(
        "expires", rule.expires.map(MonitoredPart.day) ?? "never", rank: more.rank(of: end),
        isStated: rule.expires != nil),
      // A monitored rule is passed over.
      fact(
        "monitorOnly.until", rule.monitoredUntil.map(MonitoredPart.day) ?? "not monitored",
        rank: more == .tighter ? monitoring : more == .looser ? -max(monitoring, -.max) : nil,
        isStated: rule.monitoredUntil != nil),
      fact(
        "credentials", String(rule.takesCredentials), rank: rule.takesCredentials ? 0 : 1,
        isStated: rule.takesCredentials),
      fact("location", rule.place?.location.name ?? "none", isStated: rule.place != nil),
      fact(
        "account", rule.place?.owner.written ?? (rule.place == nil ? "none" : "nobody"),
        isStated: rule.place?.owner.written != nil),
    ]
    var further = FactWriter(PolicyPlaces(), [])
    further.addFields(of: rule, but: ComparedFields.rule)
    facts += further.facts
    return ComparedThing(kind: "rule", name: "\(ruleSet)/\(rule.id)", place: rule.location, facts: facts)
  }

  private func fact(_ key: String, _ value: String, rank: Int? = nil, isStated: Bool) -> ComparedFact {
    ComparedFact(key: key, value: .one(value), rank: rank, place: isStated ? rule.location : nil)
  }

  // MARK: Matchers

  /// The keys of the two conditions that differ.
  func matchers(to other: RuleFacts, of ruleSet: String) -> [ConfigurationDifference] {
    guard matchers != other.matchers else { return [] }
    let more = thing(of: ruleSet, beside: other).facts[1].more
    let after = Dictionary(other.matchers.map { ($0.key, $0) }) { first, _ in first }
    let before = Dictionary(matchers.map { ($0.key, $0) }) { first, _ in first }
    return Set(before.keys).union(after.keys).sorted().compactMap { key in
      guard before[key] != after[key] else { return nil }
      return difference(key, before[key], after[key], other, of: ruleSet, more: more)
    }
  }

  private func difference(
    _ key: String, _ before: WrittenMatcher?, _ after: WrittenMatcher?, _ other: RuleFacts, of ruleSet: String,
    more: DifferenceDirection
  ) -> ConfigurationDifference {
    let (old, new) = (Set(before?.values ?? []), Set(after?.values ?? []))
    var difference = ConfigurationDifference(
      kind: "rule", name: "\(ruleSet)/\(other.rule.id)", key: key, direction: .sideways,
      before: DifferenceSide(value: before?.value.text ?? "not asked", place: rule.location),
      after: DifferenceSide(value: after?.value.text ?? "not asked", place: other.rule.location))
    if before == nil {
      difference.direction = more.reversed
    } else if after == nil {
      difference.direction = more
    } else if key != "chromium" {
      let growth = key == "not" ? more.reversed : more
      difference.direction = new.isSuperset(of: old) ? growth : old.isSuperset(of: new) ? growth.reversed : .sideways
    }
    (difference.added, difference.removed) = (new.subtracting(old).sorted(), old.subtracting(new).sorted())
    (difference.addedCount, difference.removedCount) = (difference.added.count, difference.removed.count)
    return difference
  }
}

extension WrittenMatcher {
  var value: ComparedFact.Value { values.count == 1 ? .one(values[0]) : .set(values) }
}

extension DifferenceDirection {
  /// The rank of a number that goes this way as it grows; nil when that is unclear.
  fileprivate func rank(of number: Int) -> Int? {
    switch self {
    case .tighter: number
    case .looser: -number
    case .sideways: nil
    }
  }
}

extension Rule {
  /// All that it says but its id and its place.
  var writtenBody: String {
    let facts = RuleFacts(self, isShadowing: false).whole(of: "")
    return facts.facts.map { "\($0.key): \($0.value.text)" }.joined(separator: "; ")
  }
}
