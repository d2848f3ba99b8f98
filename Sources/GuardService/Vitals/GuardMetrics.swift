package import GuardModel
internal import GuardProtocol
package import PolicyEngine
internal import URLRules

/// Counters of the event loop: increments only, no allocation, no hashing of text.
struct GuardMetrics {
  /// One number for each outcome and reason, by their places in the list of cases.
  private var decisions = [UInt64](repeating: 0, count: Outcome.allCases.count * reasonCount)
  /// Repeated decisions among all these.
  private(set) var repeated: UInt64 = 0
  /// Outcomes that an enforcing policy would have given where it only monitors.
  private(set) var advised = [UInt64](repeating: 0, count: Outcome.allCases.count)
  private var hits = RuleHits(of: Snapshot())
  /// Hits of the policy before the one in force: counts after the last look are not lost with a reload.
  private var earlierHits = RuleHitRows()

  /// From the question to the decision.
  private(set) var deciding = LatencyHistogram()
  /// From the question to the moment its answer leaves.
  var answering = LatencyHistogram()
  /// When the call under way asked for its first decision, by the clock of `SystemClock.monotonicMicroseconds`; 0 for one that
  /// asked for none.
  private(set) var asked: UInt64 = 0
  /// Most replies that waited at one time.
  private(set) var mostHeld = 0

  /// Most work that was done between two looks at the sockets, and the same while several users asked; in questions.
  private(set) var mostWork = (inAll: 0, ofSeveral: 0)

  private(set) var refusals: [(error: String, count: UInt64)] = []
  var unreadableMessages: UInt64 = 0

  /// Counts an answered event.
  mutating func count(_ decision: Decision, isRepeated: Bool) {
    decisions[Self.place(of: decision.outcome, decision.reason)] &+= 1
    if isRepeated { repeated &+= 1 }
    if let advice = decision.advice { advised[Int(advice.outcome.rawValue)] &+= 1 }
    if let ruleSet = decision.ruleSet { hits.count(ruleSet: ruleSet, rule: decision.rule) }
  }

  /// Microseconds that a decision took.
  mutating func count(deciding microseconds: UInt64) { deciding.observe(microseconds) }

  private static let reasonCount = Reason.allCases.count

  private static func place(of outcome: Outcome, _ reason: Reason) -> Int {
    Int(outcome.rawValue) * reasonCount + reason.ordinal
  }

  /// Number of decisions with this outcome for this reason.
  subscript(outcome: Outcome, reason: Reason) -> UInt64 { decisions[Self.place(of: outcome, reason)] }

  /// The same by outcome alone.
  var counters: DecisionCounters {
    DecisionCounters(repeated: repeated) { outcome in Reason.allCases.reduce(0) { $0 + self[outcome, $1] } }
  }

  /// A call was answered with an error. The names are words of the program, and few.
  mutating func count(refusal error: String) {
    let known = refusals.firstIndex { $0.error == error }
    if let known { refusals[known].count &+= 1 } else { refusals.append((error, 1)) }
  }

  /// Later answers are no decisions of the call that was under way.
  mutating func endCall() { asked = 0 }

  /// The call under way asks for a decision.
  mutating func ask(at time: UInt64) { asked = asked == 0 ? time : asked }

  /// Notes the work done between two looks at the sockets; `isShort` while several users ask.
  mutating func note(roundOf work: Int, isShort: Bool) {
    mostWork.inAll = max(mostWork.inAll, work)
    if isShort { mostWork.ofSeveral = max(mostWork.ofSeveral, work) }
  }

  /// Notes the number of replies that wait now.
  mutating func note(held: Int) { mostHeld = max(mostHeld, held) }

  /// Another policy is in force.
  mutating func adopt(_ snapshot: Snapshot, after old: Snapshot) {
    earlierHits = old.hasPolicy ? hits.rows(in: old) : RuleHitRows()
    hits = RuleHits(of: snapshot)
  }

  /// The hits of the policy in force, and of the one before it.
  func ruleHits(in snapshot: Snapshot) -> RuleHitRows {
    var rows = hits.rows(in: snapshot)
    rows.rules += earlierHits.rules
    rows.defaults += earlierHits.defaults
    return rows
  }
}

extension Reason {
  /// The place among `allCases`. Reasons are words, whose comparison and hash would read the text; in memory each is one
  /// byte, numbered in the order of their declaration, and a test holds that to be so.
  package var ordinal: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}

/// How often each rule of one policy decided, and how often no rule did.
///
/// The first 500 rules that decide get a number each; the hits of further ones are summed for their rule set. The text
/// thus stays short however many rules there are, and no number ever runs backwards. A rule that was not hit costs two
/// bytes.
package struct RuleHits {
  /// Maximum rules that are told apart.
  package static let maximumTold = 500

  package let generation: UInt64
  /// For each rule 0 when it was not hit, else 1 + its place in `told`; `overflow` for the many.
  private var slots: [UInt16]
  /// Where each rule set's rules begin in `slots`.
  private let starts: [Int]
  private var told: [(rule: RuleNumber, ruleSet: RuleSetIndex, count: UInt64)] = []
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

  /// Counts the decider: a rule by its number in its rule set, nil for the default. Allocates nothing.
  package mutating func count(ruleSet: RuleSetIndex, rule: RuleNumber?) {
    let set = Int(ruleSet.place)
    guard starts.indices.contains(set) else { return }
    guard let rule else {
      defaults[set] &+= 1
      return
    }
    let place = starts[set] + Int(rule.place)
    guard slots.indices.contains(place) else { return }
    if slots[place] == 0 { slots[place] = slot(for: rule, of: ruleSet) }
    if slots[place] == Self.overflow {
      others[set] &+= 1
    } else {
      told[Int(slots[place]) - 1].count &+= 1
    }
  }

  private mutating func slot(for rule: RuleNumber, of ruleSet: RuleSetIndex) -> UInt16 {
    guard told.count < Self.maximumTold else { return Self.overflow }
    told.append((rule, ruleSet, 0))
    return UInt16(told.count)
  }

  /// The counts with their names, as they are in the policy that was counted.
  package func rows(in snapshot: Snapshot) -> RuleHitRows {
    guard snapshot.ruleSets.count == starts.count else { return RuleHitRows() }
    var rows = RuleHitRows()
    let generation = String(generation)
    for entry in told {
      let ruleSet = snapshot[entry.ruleSet]
      let rule = ruleSet[entry.rule]
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

/// Hits with the names of the rules: kept of the policy before, whose snapshot is gone.
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
