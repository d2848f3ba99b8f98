internal import GuardModel

/// A fact about the machine, and until when it is known.
package struct Fact: Sendable, Hashable {
  package var value: FactValue
  /// Milliseconds since 1970; nil for a fact that the daemon reads again and again.
  package var until: UInt64?

  package init(_ value: FactValue, until: UInt64? = nil) {
    self.value = value
    self.until = until
  }
}

/// What the conditions of one protection lead to; later cases are stricter.
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

/// A condition that changed, for the log.
package struct ConditionEvent: Sendable, Hashable {
  /// What it does now, in the words of the log.
  package enum Standing: String, Sendable, Hashable, CaseIterable {
    case holds
    /// It fails, and only warns so far, or always.
    case warns
    case blocks
    case wipes
    /// Nothing is known of it; accounts go on for the time of grace.
    case unknown
    /// Nothing is known of it, and the grace is over.
    case notChecked
  }

  package var protection: String
  package var check: String
  package var standing: Standing
  /// The fact; nil when it is not known.
  package var value: String?
}

/// The conditions of all protections, their facts, and since when they fail.
///
/// Unknown is not non-compliant: while a fact is known its word holds, and then nothing is blocked before a grace is over.
/// A failing condition holds until a good word comes; neither a restart nor a boot begins its grace anew.
package struct ConditionBook: Sendable {
  package internal(set) var facts: [String: Fact] = [:]
  /// Milliseconds since 1970, by `LaunchCondition.key`.
  var failingSince: [String: UInt64] = [:]
  var unknownSince: [String: UInt64] = [:]
  var standings: [String: ConditionEvent.Standing] = [:]
  var verdicts: [ConditionVerdict] = []
  /// When the next standing changes by itself.
  var due = UInt64.max
  var events: [ConditionEvent] = []
  /// Keys whose times changed since the state was kept.
  var changed: Set<String> = []
  /// The kept times are lost: a failing condition gets no second grace.
  var isGraceless = false
  /// Facts were read at least once; before that nothing is judged.
  var hasFacts = false

  package init() {}

  /// The events since the last call.
  package mutating func takeEvents() -> [ConditionEvent] {
    guard !events.isEmpty else { return [] }
    defer { events = [] }
    return events
  }

  /// Judges every condition anew; true when a verdict changed.
  mutating func judge(_ snapshot: Snapshot, at time: UInt64) -> Bool {
    guard hasFacts else { return false }
    due = .max
    var keys: Set<String> = []
    let before = verdicts
    verdicts = snapshot.protections.map { judge($0, &keys, at: time) }
    forget(allBut: keys)
    return verdicts != before
  }

  /// The verdict of a protection's conditions. One that is only monitored judges, and restricts nothing.
  private mutating func judge(
    _ protection: Protection, _ keys: inout Set<String>, at time: UInt64
  ) -> ConditionVerdict {
    var verdict = ConditionVerdict.fine
    for condition in protection.conditions where OwnFact(rawValue: condition.check)?.isOfProgram != true {
      let key = condition.key(in: protection.name)
      keys.insert(key)
      let standing = standing(of: condition, key, facts[condition.check], protection.notCheckedAfter, at: time)
      note(standing, of: condition, key, in: protection.name)
      verdict = max(verdict, standing.verdict)
    }
    return protection.isMonitored ? .fine : verdict
  }

  /// The standing of one condition, whose times are noted.
  mutating func standing(
    of condition: LaunchCondition, _ key: String, _ fact: Fact?, _ notCheckedAfter: UInt64, at time: UInt64
  ) -> ConditionEvent.Standing {
    let known = fact.flatMap { fact in fact.until.map { $0 > time } ?? true ? fact : nil }
    if let until = known?.until { due = min(due, until) }
    guard let holds = known.flatMap({ condition.holds(for: $0.value) }) else {
      // The last word was bad, and no good one came.
      if let since = failingSince[key] { return failing(condition, since, at: time) }
      let since = unknownSince[key] ?? min(fact?.until ?? time, time)
      set(\.unknownSince, since, key)
      guard time < since + notCheckedAfter else { return .notChecked }
      due = min(due, since + notCheckedAfter)
      return .unknown
    }
    set(\.unknownSince, nil, key)
    guard !holds else {
      set(\.failingSince, nil, key)
      return .holds
    }
    let since = failingSince[key] ?? (isGraceless ? 0 : time)
    set(\.failingSince, since, key)
    return failing(condition, since, at: time)
  }

  private mutating func failing(
    _ condition: LaunchCondition, _ since: UInt64, at time: UInt64
  ) -> ConditionEvent.Standing {
    guard condition.action != .warn else { return .warns }
    guard time >= since + condition.grace else {
      due = min(due, since + condition.grace)
      return .warns
    }
    return condition.action == .wipe ? .wipes : .blocks
  }

  private mutating func note(
    _ standing: ConditionEvent.Standing, of condition: LaunchCondition, _ key: String, in protection: String
  ) {
    guard standings[key] != standing else { return }
    // A condition that holds from the start needs no record.
    if standings[key] != nil || standing != .holds {
      events.append(
        ConditionEvent(
          protection: protection, check: condition.check, standing: standing, value: facts[condition.check]?.value.text)
      )
    }
    standings[key] = standing
  }

  private mutating func set(
    _ times: WritableKeyPath<ConditionBook, [String: UInt64]>, _ time: UInt64?, _ key: String
  ) {
    guard self[keyPath: times][key] != time else { return }
    self[keyPath: times][key] = time
    changed.insert(key)
  }

  /// Conditions that left the policy are forgotten.
  private mutating func forget(allBut keys: Set<String>) {
    for key in Set(failingSince.keys).union(unknownSince.keys) where !keys.contains(key) && !isOfProgram(key) {
      set(\.failingSince, nil, key)
      set(\.unknownSince, nil, key)
      standings[key] = nil
    }
  }

  private func isOfProgram(_ key: String) -> Bool {
    let parts = key.split(separator: "\n", omittingEmptySubsequences: false)
    return parts.count > 1 && OwnFact(rawValue: String(parts[1]))?.isOfProgram ?? false
  }

  func verdict(of protections: ProtectionSet) -> ConditionVerdict {
    var found = ConditionVerdict.fine
    for index in verdicts.indices where protections.contains(ProtectionIndex(index)) {
      found = max(found, verdicts[index])
    }
    return found
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

extension GuardState {
  /// The facts as they are now: all of them, in place of the earlier ones.
  package mutating func setFacts(_ facts: [String: Fact], _ snapshot: Snapshot) {
    book.facts = facts
    book.hasFacts = true
    judgeConditions(snapshot)
  }

  mutating func setVersions(_ version: String?, _ client: String?, of id: InstanceID, _ snapshot: Snapshot) {
    guard version != nil || client != nil else { return }
    instances[id.place]?.version = version
    instances[id.place]?.clientVersion = client
    refreshStandings(of: id, snapshot)
  }

  /// Judges the conditions, and what they let accounts do.
  mutating func judgeConditions(_ snapshot: Snapshot) {
    if book.judge(snapshot, at: time) {
      refreshStandings(snapshot)
      judgeWipes(snapshot)
    }
    if !book.changed.isEmpty { if keepsPages { hasChanges = true } else { book.changed = [] } }
  }

  /// The standing of an account by the conditions of the protections that bind it in an instance: those of the machine,
  /// and those of the versions that its program told.
  func conditionState(of account: AccountID, in instance: Instance, _ snapshot: Snapshot) -> AccountState {
    conditionState(under: instance.protections(of: account, accounts), in: instance, snapshot)
  }

  func conditionState(under binding: ProtectionSet, in instance: Instance, _ snapshot: Snapshot) -> AccountState {
    var verdict = book.verdict(of: binding)
    for index in snapshot.protections.indices where binding.contains(ProtectionIndex(index)) {
      verdict = max(verdict, instance.verdict(of: snapshot.protections[index]))
    }
    return verdict.state
  }
}

extension Instance {
  /// What the versions of its program lead to. They are the program's own word, so there is no grace to keep: a version
  /// does not change while it runs, and an untold one is refused by a condition that asks for it.
  func verdict(of protection: Protection) -> ConditionVerdict {
    guard !protection.isMonitored else { return .fine }
    return protection.conditions.reduce(.fine) { verdict, condition in
      guard let own = OwnFact(rawValue: condition.check), own.isOfProgram else { return verdict }
      let told = own == .appVersion ? version : clientVersion
      guard let told, condition.holds(for: .text(told)) == true else {
        return max(verdict, condition.action == .warn ? .warn : condition.action == .block ? .block : .wipe)
      }
      return verdict
    }
  }
}
