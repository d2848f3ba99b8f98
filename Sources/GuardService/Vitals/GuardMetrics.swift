package import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// What the event loop counts on its way: increments only, no allocation, no hashing of text.
struct GuardMetrics {
  /// One number for each outcome and reason, by their places in the list of cases.
  private var decisions = [UInt64](repeating: 0, count: Outcome.allCases.count * Reason.allCases.count)
  /// Of all these, how many repeated an earlier decision.
  private(set) var repeated: UInt64 = 0
  /// What would have been answered where the policy only monitors, by outcome.
  private(set) var advised = [UInt64](repeating: 0, count: Outcome.allCases.count)
  private var hits = RuleHits(of: Snapshot())
  /// Of the policy before the one in force: what was counted after the last look is not lost with a reload.
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
  var refusedConnections: UInt64 = 0
  var loads: UInt64 = 0
  var failedLoads: UInt64 = 0
  var logFailures: UInt64 = 0
  var stateFailures: UInt64 = 0
  var lag = LogLag()

  /// Counts an answered event.
  mutating func count(_ decision: Decision, isRepeated: Bool) {
    decisions[Self.place(of: decision.outcome, decision.reason)] &+= 1
    if isRepeated { repeated &+= 1 }
    if let advice = decision.advice { advised[Int(advice.outcome.rawValue)] &+= 1 }
    if let ruleSet = decision.ruleSet { hits.count(ruleSet: ruleSet, rule: decision.rule) }
  }

  /// Microseconds that a decision took.
  mutating func count(deciding microseconds: UInt64) { deciding.observe(microseconds) }

  private static func place(of outcome: Outcome, _ reason: Reason) -> Int {
    Int(outcome.rawValue) * Reason.allCases.count + reason.ordinal
  }

  /// How many decisions had this outcome for this reason.
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

  /// What is answered from now on is no decision of the call that was under way.
  mutating func endCall() { asked = 0 }

  /// The call under way asks for a decision.
  mutating func ask(at time: UInt64) { asked = asked == 0 ? time : asked }

  /// So much work was done between two looks at the sockets; `isShort` while several users ask.
  mutating func note(roundOf work: Int, isShort: Bool) {
    mostWork.inAll = max(mostWork.inAll, work)
    if isShort { mostWork.ofSeveral = max(mostWork.ofSeveral, work) }
  }

  /// So many replies wait now.
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
