internal import GuardModel

/// Conditions and unlocking in plain words: one fact, one word, one grace.
extension AccountModel {
  package struct Condition: Sendable {
    package enum Action: Sendable { case warn, block, wipe }

    /// A truth about the machine that has to hold; `appVersion` is the program's own word, which has to be at least 2.
    package var check: String
    package var action: Action
    package var grace: UInt64

    package init(_ check: String, _ action: Action, grace: UInt64) {
      (self.check, self.action, self.grace) = (check, action, grace)
    }

    package static let ofProgram = "appVersion"
  }

  /// What conditions lead to; later ones are stricter.
  package enum Verdict: Int, Sendable, Comparable {
    case fine, warn, notChecked, block, wipe

    package static func < (left: Verdict, right: Verdict) -> Bool { left.rawValue < right.rawValue }

    var state: AccountState {
      switch self {
      case .fine, .warn: .active
      case .notChecked: .notChecked
      case .block, .wipe: .nonCompliant
      }
    }
  }

  package struct Conditions: Sendable {
    /// What is remembered of one check.
    struct Memory: Sendable {
      var failingSince: UInt64?
      var unknownSince: UInt64?
      var wordUntil: UInt64?
    }

    var memory: [String: Memory] = [:]
    /// The words about the machine, and until when each holds.
    package var facts: [String: (holds: Bool, until: UInt64?)] = [:]
    package var hasFacts = false
    package var verdict = Verdict.fine
    /// The condition that decides; nil when none does.
    var deciding: Int?
    var wasJudged = false
    /// When a verdict changes by itself.
    var due = UInt64.max

    static let week = 7 * 24 * AccountModel.hour
    static let notCheckedAfter = 24 * AccountModel.hour

    /// Judges all anew; true when something else decides.
    mutating func judge(_ policy: Policy, at time: UInt64) -> Bool {
      due = .max
      let before = (wasJudged, verdict, deciding)
      (wasJudged, verdict, deciding) = (true, .fine, nil)
      for (place, condition) in policy.conditions.enumerated() where condition.check != Condition.ofProgram {
        let found = judge(condition, at: time)
        if found > verdict { (verdict, deciding) = (found, place) }
      }
      memory = memory.filter { check, _ in policy.conditions.contains { $0.check == check } }
      if policy.conditions.isEmpty { (facts, hasFacts) = ([:], false) }
      return before != (wasJudged, verdict, deciding)
    }

    private mutating func judge(_ condition: Condition, at time: UInt64) -> Verdict {
      var memory = memory[condition.check] ?? Memory()
      defer { self.memory[condition.check] = memory }
      if let since = memory.failingSince, since > time { memory.failingSince = time }
      let word = facts[condition.check].flatMap { $0.until ?? .max > time ? $0 : nil }
      if let until = word?.until { due = min(due, until) }
      guard let word else {
        if memory.failingSince != nil {
          return failing(condition, since: memory.failingSince ?? 0, wordHolds(memory, at: time), at: time)
        }
        return unknown(condition, &memory, at: time)
      }
      guard !word.holds else {
        memory = Memory(wordUntil: word.until)
        return .fine
      }
      memory = Memory(failingSince: memory.failingSince ?? time, wordUntil: word.until)
      return failing(condition, since: memory.failingSince ?? 0, true, at: time)
    }

    /// It failed, and no good word came. Only a word that holds destroys.
    private mutating func failing(
      _ condition: Condition, since: UInt64, _ wordHolds: Bool, at time: UInt64
    ) -> Verdict {
      if condition.action == .warn { return .warn }
      if time < since + condition.grace {
        due = min(due, since + condition.grace)
        return .warn
      }
      return condition.action == .wipe && wordHolds ? .wipe : .block
    }

    /// Unknown is not non-compliant: a day is free, counted from the end of the last word.
    private mutating func unknown(_ condition: Condition, _ memory: inout Memory, at time: UInt64) -> Verdict {
      if wordHolds(memory, at: time) { return .fine }
      let since = min(memory.unknownSince ?? memory.wordUntil ?? facts[condition.check]?.until ?? time, time)
      if hasFacts { memory = Memory(unknownSince: since) }
      if condition.action == .warn { return .fine }
      if time >= since + Self.notCheckedAfter { return .notChecked }
      due = min(due, since + Self.notCheckedAfter)
      return .fine
    }

    /// The last word holds, although nobody says it any more; no word holds longer than a week.
    private mutating func wordHolds(_ memory: Memory, at time: UInt64) -> Bool {
      guard let until = memory.wordUntil, until > time, until - time <= Self.week else { return false }
      due = min(due, until)
      return true
    }
  }

  /// These are all facts from now on.
  package mutating func setFacts(_ facts: [String: (holds: Bool, until: UInt64?)]) {
    let isFirst = !conditions.hasFacts
    (conditions.facts, conditions.hasFacts) = (facts, true)
    judgeConditions()
    if isFirst { judgeWipes() }
  }

  mutating func judgeConditions() {
    if conditions.judge(policy, at: time), conditions.hasFacts { judgeWipes() }
  }

  /// The word of a program destroys nothing.
  func verdict(ofVersion version: Int?) -> Verdict {
    let asked = policy.conditions.filter { $0.check == Condition.ofProgram }
    guard version ?? 0 < 2 else { return .fine }
    return asked.map { $0.action == .warn ? .warn : version == nil ? .notChecked : .block }.max() ?? .fine
  }

  // MARK: Unlocking

  /// A person who unlocked, and for how long nobody was there since.
  struct Unlocked {
    let since: UInt64
    var awaySince: UInt64?
    var longest: UInt64 = 0

    func away(at time: UInt64) -> UInt64 { max(longest, awaySince.map { time > $0 ? time - $0 : 0 } ?? 0) }
  }

  package static let recheckAfter: UInt64 = 30 * 60_000

  func isLocked(_ person: UInt32) -> Bool { (unlocks[person]?.away(at: time) ?? .max) >= Self.recheckAfter }

  package mutating func unlock(_ person: UInt32) { unlocks[person] = Unlocked(since: time, awaySince: time) }

  package enum Presence: Sendable { case unknown, present, locked, idle(UInt64) }

  package mutating func setPresence(_ presence: Presence, of person: UInt32) {
    guard var unlocked = unlocks[person] else { return }
    switch presence {
    case .locked:
      unlocks[person] = nil
      return
    case .present: (unlocked.longest, unlocked.awaySince) = (unlocked.away(at: time), nil)
    case .unknown: unlocked.awaySince = unlocked.awaySince ?? time
    case .idle(let span): unlocked.awaySince = max(unlocked.since, time - span)
    }
    unlocks[person] = unlocked
  }

  mutating func expireUnlocks() {
    for person in unlocks.keys where isLocked(person) { unlocks[person] = nil }
  }
}
