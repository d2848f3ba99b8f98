internal import GuardModel
internal import PolicyFiles
internal import URLRules

/// Compares two rule sets rule by rule: those that came, went, changed, or stand elsewhere in the order.
struct RuleSetComparison {
  private let old: RuleSet
  private let new: RuleSet
  private let strictestBehind: (old: [Int], new: [Int])
  private var result = ThingComparison()

  /// The differences of the rules, each named `RULESET/RULE`.
  static func differences(_ old: RuleSet, _ new: RuleSet) -> [ConfigurationDifference] {
    var comparison = RuleSetComparison(old: old, new: new)
    comparison.compareRules()
    return comparison.result.differences
  }

  private init(old: RuleSet, new: RuleSet) {
    self.old = old
    self.new = new
    strictestBehind = (Self.strictestBehind(old), Self.strictestBehind(new))
  }

  /// For each rule how strict the strictest external rule behind it is.
  private static func strictestBehind(_ set: RuleSet) -> [Int] {
    var found = [Int](repeating: 0, count: set.rules.count)
    var strictest = 0
    for number in set.rules.indices.reversed() {
      found[number] = strictest
      let rule = set.rules[number]
      if rule.verdict == .external { strictest = max(strictest, rule.then.strictness) }
    }
    return found
  }

  /// The rule set without its rules.
  static func thing(_ set: RuleSet) -> ComparedThing {
    let rules = "\(set.rules.count) \(set.rules.count == 1 ? "rule" : "rules")"
    let isInternal = set.default == .internal
    return ComparedThing(
      kind: "rule set", name: set.name, place: set.defaultLocation,
      facts: [
        ComparedFact(
          key: "default", value: .one(set.default.name), rank: isInternal ? 0 : 1, place: set.defaultLocation),
        ComparedFact(key: "with", value: .one(rules), place: set.defaultLocation, isOnlyTold: true),
      ])
  }

  private mutating func compareRules() {
    var after: [String: Int] = [:]
    for (number, rule) in new.rules.enumerated() { after[rule.id] = number }
    let ids = Set(old.rules.map(\.id))
    let gone = old.rules.indices.filter { after[old.rules[$0].id] == nil }
    let came = new.rules.indices.filter { !ids.contains(new.rules[$0].id) }
    let renamed = renamed(gone, came)
    for (number, rule) in old.rules.enumerated() {
      if let other = after[rule.id] {
        compare(number, other)
      } else if let other = renamed[number] {
        rename(rule, new.rules[other])
      } else {
        result.add(gone: facts(old: number).whole(of: old.name))
      }
    }
    let kept = Set(renamed.values)
    for number in came where !kept.contains(number) { result.add(new: facts(new: number).whole(of: new.name)) }
    let pairs = old.rules.enumerated().compactMap { number, rule in
      (after[rule.id] ?? renamed[number]).map { (number, $0) }
    }
    for (number, other) in Self.moved(pairs) { move(number, other) }
  }

  // MARK: One rule

  private mutating func compare(_ number: Int, _ other: Int) {
    let (before, after) = (facts(old: number), facts(new: other))
    result.compare(before.thing(of: new.name, beside: after), after.thing(of: new.name, beside: before))
    for difference in before.matchers(to: after, of: new.name) { result.add(difference) }
  }

  /// The old rule, or the new one, with the direction of its growth: an external rule may take the place of a later one
  /// that is stricter.
  private func facts(old number: Int) -> RuleFacts {
    let rule = old.rules[number]
    return RuleFacts(rule, isShadowing: strictestBehind.old[number] > rule.then.strictness)
  }

  private func facts(new number: Int) -> RuleFacts {
    let rule = new.rules[number]
    return RuleFacts(rule, isShadowing: strictestBehind.new[number] > rule.then.strictness)
  }

  // MARK: Names and places

  /// Rules that went and rules that came that say the same, by number.
  private func renamed(_ gone: [Int], _ came: [Int]) -> [Int: Int] {
    var waiting: [String: [Int]] = [:]
    for number in came.reversed() { waiting[new.rules[number].writtenBody, default: []].append(number) }
    var pairs: [Int: Int] = [:]
    for number in gone { pairs[number] = waiting[old.rules[number].writtenBody]?.popLast() }
    return pairs
  }

  private mutating func rename(_ rule: Rule, _ other: Rule) {
    result.add(
      ConfigurationDifference(
        kind: "rule", name: "\(old.name)/\(rule.id)", key: "id", direction: .sideways,
        before: DifferenceSide(value: rule.id, place: rule.location),
        after: DifferenceSide(value: other.id, place: other.location)))
  }

  private mutating func move(_ number: Int, _ other: Int) {
    let (rule, moved) = (old.rules[number], new.rules[other])
    result.add(
      ConfigurationDifference(
        kind: "rule", name: "\(new.name)/\(moved.id)", key: "position", direction: .sideways,
        before: DifferenceSide(value: "\(number + 1) of \(old.rules.count)", place: rule.location),
        after: DifferenceSide(value: "\(other + 1) of \(new.rules.count)", place: moved.location)))
  }

  /// The fewest of the pairs without which the others stand in one order.
  ///
  ///     a b c d  ->  d a b c      // d
  static func moved(_ pairs: [(old: Int, new: Int)]) -> [(Int, Int)] {
    // The longest ascending row: for each length the pair that ends it with the smallest number.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: pairs.count)
    for index in pairs.indices {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].new < pairs[index].new { low = middle + 1 } else { high = middle }
      }
      previous[index] = low > 0 ? ends[low - 1] : -1
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var stays: Set<Int> = []
    var index = ends.last ?? -1
    while index >= 0 {
      stays.insert(index)
      index = previous[index]
    }
    return pairs.indices.filter { !stays.contains($0) }.map { pairs[$0] }
  }
}
