internal import GuardModel

/// A fact about the machine, and the time until which it is known.
package struct Fact: Sendable, Hashable {
  package var value: FactValue
  /// Other words about the fact at the same time: a condition must hold for every word.
  package var others: [FactValue] = []
  /// Milliseconds since 1970; nil for a fact that the daemon reads again and again.
  package var until: UInt64?

  package init(_ value: FactValue, until: UInt64? = nil) {
    self.value = value
    self.until = until
  }

  /// For people and records.
  package var text: String { ([value] + others).map(\.text).joined(separator: ", ") }

  /// Whether a condition holds; nil when nothing is known. One bad word is enough.
  func fulfils(_ condition: LaunchCondition) -> Bool? {
    let words = ([value] + others).map(condition.holds)
    if words.contains(false) { return false }
    return words.contains(nil) ? nil : true
  }

  /// The longest time for which a word of others may hold, in milliseconds (design, accounts, section 5).
  package static let longestWord: UInt64 = 7 * 86_400_000
}

/// The result of the conditions of one protection; later cases are stricter.
enum ConditionVerdict: UInt8, Sendable, Hashable, Comparable {
  case fine
  case warn
  /// Nothing is known, and the grace is over.
  case notChecked
  case block
  case wipe

  static func < (left: ConditionVerdict, right: ConditionVerdict) -> Bool { left.rawValue < right.rawValue }

  /// The standing of an account that is bound by the protection. A wipe locks at once (design, accounts, section 6).
  var state: AccountState {
    switch self {
    case .fine, .warn: .active
    case .notChecked: .notChecked
    case .block, .wipe: .nonCompliant
    }
  }
}

/// A verdict, and the condition that gave it: the strictest, and of equal ones the first by `LaunchCondition.rank`, then
/// by the policy's order (ledger CD-02).
struct ConditionFinding: Sendable, Hashable {
  var verdict = ConditionVerdict.fine
  /// Its place among the conditions of its protection; nil when all are fine.
  var condition: Int?
  private var rank = Int.max

  mutating func add(_ other: ConditionVerdict, of condition: LaunchCondition, at place: Int) {
    guard other != .fine, (other, -condition.rank) > (verdict, -rank) else { return }
    (verdict, rank, self.condition) = (other, condition.rank, place)
  }

  mutating func add(_ other: ConditionFinding) {
    guard other.verdict != .fine, (other.verdict, -other.rank) > (verdict, -rank) else { return }
    self = other
  }
}

/// A condition that changed, for the log.
package struct ConditionEvent: Sendable, Hashable {
  /// Its effect now, in the words of the log.
  package enum Standing: String, Sendable, Hashable, CaseIterable {
    case holds
    /// It fails, and only warns: during its grace, or always.
    case warns
    case blocks
    case wipes
    /// Its fact is not known; accounts go on for the time of grace.
    case unknown
    /// Its fact is not known, and the grace is over.
    case notChecked
  }

  package var protection: String
  package var check: String
  package var standing: Standing
  /// The fact; nil when it is not known.
  package var value: String?
}

/// The times of one condition, in milliseconds since 1970.
struct ConditionTimes: Sendable, Hashable {
  var failingSince: UInt64?
  var unknownSince: UInt64?
  /// The end of its last word, good or bad.
  var wordUntil: UInt64?

  var isEmpty: Bool { self == ConditionTimes() }
}

/// The conditions of all protections, their facts, and the times since which they fail.
///
/// An unknown fact is not a failing one: a known word holds until its end, and a grace follows before accounts are blocked. A
/// failing condition fails until a good word comes; neither a restart nor a boot begins its grace anew.
///
/// The trap: a provider that fell silent after a bad word would destroy data by time alone. So a condition wipes only on
/// a word that holds now; else it blocks.
package struct ConditionBook: Sendable {
  package internal(set) var facts: [String: Fact] = [:]
  /// By `LaunchCondition.key`.
  var times: [String: ConditionTimes] = [:]
  /// The latest word to the log, by key, action and grace: two conditions may differ in those alone.
  private var standings: [String: ConditionEvent.Standing] = [:]
  /// By the place of the protection in the policy.
  private(set) var findings: [ConditionFinding] = []
  /// The time at which the next standing changes by itself.
  private(set) var due = UInt64.max
  private var events: [ConditionEvent] = []
  /// Keys whose times changed since the state was kept.
  var changed: Set<String> = []
  /// Whether the kept times are lost: then a condition that fails at its first word gets no second grace.
  var isGraceless = false
  private var graceless: Set<String> = []
  /// Whether facts were read at least once. Before that only kept words count.
  package var hasFacts = false

  package init() {}

  /// Whether there were conditions, or kept times of some: another policy has to be compared with them.
  var isUsed: Bool { hasFacts || isGraceless || !times.isEmpty || findings.contains { $0 != ConditionFinding() } }

  /// The events since the last call.
  package mutating func takeEvents() -> [ConditionEvent] {
    guard !events.isEmpty else { return [] }
    defer { events = [] }
    return events
  }

  /// Judges every condition anew; true when a verdict changed.
  mutating func judge(_ snapshot: Snapshot, at time: UInt64) -> Bool {
    // Without a policy the conditions of the kept times are not known; without a time none can be compared.
    guard snapshot.hasPolicy, hasFacts || time > 0 else { return false }
    due = .max
    var keys: Set<String> = []
    var words: Set<String> = []
    let before = findings
    inherit(snapshot)
    findings = snapshot.protections.map { judge($0, &keys, &words, at: time) }
    isGraceless = false
    forget(allBut: keys)
    standings = standings.filter { words.contains($0.key) }
    // The facts that are read then judge a later policy with conditions.
    if !snapshot.hasConditions { (facts, hasFacts) = ([:], false) }
    return findings != before
  }

  /// Whether the conditions of some protection want accounts to be wiped.
  var wipes: Bool { findings.contains { $0.verdict == .wipe } }

  /// The verdict of the strictest of some protections, by the facts about the machine.
  func verdict(of protections: ProtectionSet) -> ConditionVerdict {
    var found = ConditionVerdict.fine
    protections.forEach { index in
      if Int(index.place) < findings.count { found = max(found, findings[Int(index.place)].verdict) }
    }
    return found
  }

  /// The finding of a protection's conditions. One that is only monitored judges, and restricts nothing.
  private mutating func judge(
    _ protection: Protection, _ keys: inout Set<String>, _ words: inout Set<String>, at time: UInt64
  ) -> ConditionFinding {
    var finding = ConditionFinding()
    for (place, condition) in protection.conditions.enumerated() where !condition.isOfProgram {
      let key = condition.key(in: protection.name)
      if isGraceless, keys.insert(key).inserted { graceless.insert(key) }
      keys.insert(key)
      let hadFailed = times[key]?.failingSince != nil || times[key]?.unknownSince != nil
      let known = known(condition, at: time)
      let standing = standing(of: condition, key, known, protection.notCheckedAfter, at: time)
      let word = "\(key)\n\(condition.action.name)\n\(condition.grace)"
      words.insert(word)
      note(standing, of: condition, word, value: known?.text, hadFailed: hadFailed, in: protection.name)
      finding.add(standing.verdict, of: condition, at: place)
    }
    return protection.isMonitored ? ConditionFinding() : finding
  }

  /// The fact that holds now.
  private mutating func known(_ condition: LaunchCondition, at time: UInt64) -> Fact? {
    guard let fact = facts[condition.check] else { return nil }
    guard let until = fact.until else { return fact }
    guard until > time else { return nil }
    due = min(due, until)
    return fact
  }

  /// The standing of one condition, whose times are noted.
  private mutating func standing(
    of condition: LaunchCondition, _ key: String, _ known: Fact?, _ notCheckedAfter: UInt64, at time: UInt64
  ) -> ConditionEvent.Standing {
    var times = times[key] ?? ConditionTimes()
    defer { set(times, of: key) }
    // A time from a clock that was ahead would never end.
    times.failingSince = times.failingSince.map { min($0, time) }
    switch known?.fulfils(condition) {
    case true?:
      times = ConditionTimes(wordUntil: known?.until)
      graceless.remove(key)
      return .holds
    case false?:
      times = ConditionTimes(
        failingSince: times.failingSince ?? (graceless.contains(key) ? 0 : time), wordUntil: known?.until)
      return failing(condition, times.failingSince ?? time, isKnown: true, at: time)
    case nil:
      // The last word was bad, and no good one came.
      if let since = times.failingSince {
        return failing(condition, since, isKnown: wordHolds(times, at: time), at: time)
      }
      return unknown(condition, &times, notCheckedAfter, at: time)
    }
  }

  private mutating func unknown(
    _ condition: LaunchCondition, _ times: inout ConditionTimes, _ notCheckedAfter: UInt64, at time: UInt64
  ) -> ConditionEvent.Standing {
    if wordHolds(times, at: time) { return .holds }
    let end = times.wordUntil ?? facts[condition.check]?.until
    let since = min(times.unknownSince ?? end ?? time, time)
    if hasFacts { times = ConditionTimes(unknownSince: since) }
    // A condition that only warns never blocks, whatever is known.
    guard condition.action != .warn else { return .unknown }
    guard time < since + notCheckedAfter else { return .notChecked }
    due = min(due, since + notCheckedAfter)
    return .unknown
  }

  /// Whether the last word holds, although its file is gone. A word from a clock that was ahead does not.
  private mutating func wordHolds(_ times: ConditionTimes, at time: UInt64) -> Bool {
    guard let until = times.wordUntil, until > time, until <= time + Fact.longestWord else { return false }
    due = min(due, until)
    return true
  }

  private mutating func failing(
    _ condition: LaunchCondition, _ since: UInt64, isKnown: Bool, at time: UInt64
  ) -> ConditionEvent.Standing {
    guard condition.action != .warn else { return .warns }
    guard time >= since + condition.grace else {
      due = min(due, since + condition.grace)
      return .warns
    }
    return condition.action == .wipe && isKnown ? .wipes : .blocks
  }

  private mutating func note(
    _ standing: ConditionEvent.Standing, of condition: LaunchCondition, _ word: String, value: String?, hadFailed: Bool,
    in protection: String
  ) {
    // Before the first reading nothing new is known.
    guard hasFacts, standings[word] != standing else { return }
    // A condition that holds from the start needs no record.
    if standings[word] != nil || standing != .holds || hadFailed {
      events.append(
        ConditionEvent(protection: protection, check: condition.check, standing: standing, value: value))
    }
    standings[word] = standing
  }

  private mutating func set(_ new: ConditionTimes, of key: String) {
    guard times[key] ?? ConditionTimes() != new else { return }
    times[key] = new.isEmpty ? nil : new
    changed.insert(key)
  }

  /// Under a new policy the last bad word about a fact holds for conditions that ask for it in other words, or by another
  /// protection's name: a reload frees nobody. Such a condition blocks until a good word comes, and never wipes, since
  /// nobody knows whether the word was bad for it too.
  private mutating func inherit(_ snapshot: Snapshot) {
    guard times.values.contains(where: { $0.failingSince != nil }) else { return }
    let asked = snapshot.protections.flatMap { protection in
      protection.conditions.filter { !$0.isOfProgram }.map { (check: $0.check, key: $0.key(in: protection.name)) }
    }
    let keys = Set(asked.map(\.key))
    var bad: [String: UInt64] = [:]
    for (key, times) in times where !keys.contains(key) {
      guard let since = times.failingSince, let check = LaunchCondition.check(inKey: key) else { continue }
      bad[check] = min(bad[check] ?? since, since)
    }
    for (check, key) in asked where times[key] == nil {
      if let since = bad[check] { set(ConditionTimes(failingSince: since), of: key) }
    }
  }

  /// Conditions that left the policy are forgotten.
  private mutating func forget(allBut keys: Set<String>) {
    for key in times.keys where !keys.contains(key) { set(ConditionTimes(), of: key) }
    graceless.formIntersection(keys)
  }
}

extension ConditionEvent.Standing {
  var verdict: ConditionVerdict {
    switch self {
    case .holds, .unknown: .fine
    case .warns: .warn
    case .notChecked: .notChecked
    case .blocks: .block
    case .wipes: .wipe
    }
  }
}
