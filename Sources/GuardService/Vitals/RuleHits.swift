internal import GuardModel
package import PolicyEngine
internal import URLRules

/// How often each rule of one policy decided, and how often no rule did.
///
/// The first 500 rules that decide get a number each; what further ones decide is summed for their rule set. So the text
/// stays short however many rules there are, and no number ever runs backwards. A rule that was not hit costs two bytes.
package struct RuleHits {
  /// So many rules are told apart.
  package static let maximumTold = 500

  package let generation: UInt64
  /// For each rule 0 when it was not hit, else 1 + its place in `told`; `overflow` for the many.
  private var slots: [UInt16]
  /// Where each rule set's rules begin in `slots`.
  private let starts: [Int]
  private var told: [(rule: Int, ruleSet: Int, count: UInt64)] = []
  private var others: [UInt64]
  private var defaults: [UInt64]

  private static let overflow = UInt16.max

  /// Nothing was hit yet.
  package init(of snapshot: Snapshot) {
    generation = snapshot.generation.number
    var starts: [Int] = []
    var total = 0
    for ruleSet in snapshot.ruleSets {
      starts.append(total)
      total += ruleSet.rules.count
    }
    self.starts = starts
    slots = [UInt16](repeating: 0, count: total)
    others = [UInt64](repeating: 0, count: starts.count)
    defaults = others
    told.reserveCapacity(total > 0 ? Self.maximumTold : 0)
  }

  /// Counts what decided: a rule by its place in its rule set, nil for the default. Allocates nothing.
  package mutating func count(ruleSet: Int32, rule: Int32?) {
    let set = Int(ruleSet)
    guard starts.indices.contains(set) else { return }
    guard let rule else {
      defaults[set] &+= 1
      return
    }
    let place = starts[set] + Int(rule)
    guard slots.indices.contains(place) else { return }
    if slots[place] == 0 { slots[place] = slot(for: Int(rule), of: set) }
    if slots[place] == Self.overflow {
      others[set] &+= 1
    } else {
      told[Int(slots[place]) - 1].count &+= 1
    }
  }

  private mutating func slot(for rule: Int, of set: Int) -> UInt16 {
    guard told.count < Self.maximumTold else { return Self.overflow }
    told.append((rule, set, 0))
    return UInt16(told.count)
  }

  /// The counts with their names, as they are in the policy that was counted.
  package func rows(in snapshot: Snapshot) -> RuleHitRows {
    guard snapshot.ruleSets.count == starts.count else { return RuleHitRows() }
    var rows = RuleHitRows()
    let generation = String(generation)
    for entry in told {
      let ruleSet = snapshot.ruleSets[entry.ruleSet]
      let rule = ruleSet.rules[entry.rule]
      rows.rules.append(
        .init([ruleSet.name, rule.id, rule.verdict.name, generation], entry.count))
    }
    for (index, ruleSet) in snapshot.ruleSets.enumerated() {
      if others[index] > 0 { rows.rules.append(.init([ruleSet.name, "other", "", generation], others[index])) }
      rows.defaults.append(.init([ruleSet.name, ruleSet.default.name, generation], defaults[index]))
    }
    return rows
  }
}

/// Hits with the names of what was hit: kept of the policy before, whose snapshot is gone.
package struct RuleHitRows: Hashable {
  package struct Row: Hashable {
    package let labels: [String]
    package let count: UInt64

    package init(_ labels: [String], _ count: UInt64) {
      self.labels = labels
      self.count = count
    }
  }

  /// Rule set, rule, verdict, generation.
  package var rules: [Row] = []
  /// Rule set, default, generation.
  package var defaults: [Row] = []
}
