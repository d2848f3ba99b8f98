internal import GuardModel

/// The presence of a person at the machine, as the machine reports it. Times are milliseconds.
package enum Presence: Sendable, Hashable {
  /// No session, or none that tells.
  case unknown
  case present
  /// All of the person's sessions have been idle for so long.
  case idle(UInt64)
  /// The person's sessions are locked.
  case locked
}

/// The persons who unlocked their accounts, and the time that this holds (ledger CD-04, FC-05).
///
///     state.unlocks.unlock(1000, at: time)
///     state.unlocks.isLocked(1000, after: 1_800_000, at: time)    // false, until the person was away for half an hour
///
/// An unlock begins with an answer to the daemon's own question. It ends when the person's sessions are locked, and when
/// the person was away for `recheckAfter`; coming back afterwards does not renew it. Where the machine does not report
/// presences, the time counts from the answer. No unlock outlives the daemon.
package struct Unlocks: Sendable {
  private struct Holding: Sendable {
    let unlockedAt: UInt64
    /// The time since which the person is away; nil while present.
    var awaySince: UInt64?
    /// The longest absence that is over.
    var longestAway: UInt64 = 0

    func away(at time: UInt64) -> UInt64 {
      max(longestAway, awaySince.map { time > $0 ? time - $0 : 0 } ?? 0)
    }
  }

  /// Asks no person and locks nothing: for tools that tell a policy's answers to a person who unlocked.
  package var isIgnored = false
  private var holdings: [UInt32: Holding] = [:]
  /// Before this time no unlock ends by itself.
  private(set) var due = UInt64.max
  /// The values of `recheckAfter` in the policy in force; each once.
  private var limits: [UInt64] = []

  package init() {}

  /// The persons who unlocked: their presence matters.
  package var persons: Set<UInt32> { Set(holdings.keys) }

  /// Whether some unlock may end by itself now.
  package func isDue(at time: UInt64) -> Bool { due <= time }

  func isLocked(_ person: UInt32, after limit: UInt64, at time: UInt64) -> Bool {
    guard !isIgnored else { return false }
    guard let holding = holdings[person] else { return true }
    return holding.away(at: time) >= limit
  }

  /// The person answered.
  mutating func unlock(_ person: UInt32, at time: UInt64) {
    holdings[person] = Holding(unlockedAt: time, awaySince: time)
    note(person, at: time)
  }

  /// Takes the presence of a person; true when accounts may have been locked.
  mutating func setPresence(_ presence: Presence, of person: UInt32, at time: UInt64) -> Bool {
    guard var holding = holdings[person] else { return false }
    switch presence {
    case .locked:
      holdings[person] = nil
      return true
    case .unknown: holding.awaySince = holding.awaySince ?? time
    case .present:
      holding.longestAway = holding.away(at: time)
      holding.awaySince = nil
    case .idle(let duration):
      // Absences before the answer do not count.
      holding.awaySince = max(holding.unlockedAt, time > duration ? time - duration : 0)
    }
    holdings[person] = holding
    note(person, at: time)
    return holding.away(at: time) >= limits.first ?? .max
  }

  /// Forgets the persons whose accounts are all locked again. Returns the persons of whom accounts were locked since the
  /// time before.
  mutating func expire(at time: UInt64) -> Set<UInt32> {
    guard due <= time else { return [] }
    due = .max
    var locked: Set<UInt32> = []
    for (person, holding) in holdings {
      if let first = limits.first, holding.away(at: time) >= first { locked.insert(person) }
      if let last = limits.last, holding.away(at: time) >= last { holdings[person] = nil }
      note(person, at: time)
    }
    return locked
  }

  /// Takes over the times of a policy.
  mutating func adopt(_ protections: [Protection], at time: UInt64) {
    limits = Set(protections.filter(\.asksPerson).map(\.recheckAfter)).sorted()
    if limits.isEmpty { holdings = [:] }
    due = .max
    for person in holdings.keys { note(person, at: time) }
  }

  private mutating func note(_ person: UInt32, at time: UInt64) {
    guard let holding = holdings[person], let since = holding.awaySince else { return }
    guard let next = limits.first(where: { $0 > holding.away(at: time) }) ?? limits.last else { return }
    due = min(due, max(since + next, time + 1))
  }
}

extension Protection {
  /// Whether the daemon asks the person before an account may work. A protection that only monitors does not ask.
  var asksPerson: Bool { unlock == .polkit && !isMonitored }
}

extension GuardState {
  /// Whether a person has to unlock an account first, by the protections that bind it.
  func isLocked(_ person: UInt32, _ binding: ProtectionSet, _ snapshot: Snapshot) -> Bool {
    guard snapshot.hasUnlocks else { return false }
    return snapshot.protections.indices.contains { index in
      binding.contains(ProtectionIndex(index)) && snapshot.protections[index].asksPerson
        && unlocks.isLocked(person, after: snapshot.protections[index].recheckAfter, at: time)
    }
  }

  /// The accounts that an instance shows and that its person has to unlock first, by name.
  package func lockedAccounts(of id: InstanceID) -> [String] {
    shownAccounts(of: id).filter { $0.value == .locked }.map { accounts.displayName($0.key) }.sorted()
  }

  fileprivate mutating func refreshStandings(ofPersons persons: Set<UInt32>, _ snapshot: Snapshot) {
    for person in persons {
      for id in instances(ofPerson: person) { refreshStandings(of: id, snapshot) }
    }
  }

  /// Locks the accounts that are due, and returns the persons whose accounts may be among them.
  mutating func expireUnlocks(_ snapshot: Snapshot) -> Set<UInt32> {
    let locked = unlocks.expire(at: time)
    refreshStandings(ofPersons: locked, snapshot)
    return locked
  }
}

extension Guard {
  /// Takes a person's answer to the daemon's own question: the accounts that wait for it may work.
  package mutating func unlock(_ person: UInt32, at time: UInt64) {
    note(time)
    state.unlocks.unlock(person, at: state.time)
    state.refreshStandings(ofPersons: [person], snapshot)
  }

  /// Takes the presence of a person; true when accounts may have been locked.
  package mutating func setPresence(_ presence: Presence, of person: UInt32, at time: UInt64) -> Bool {
    note(time)
    guard state.unlocks.setPresence(presence, of: person, at: state.time) else { return false }
    state.refreshStandings(ofPersons: [person], snapshot)
    return true
  }

  /// Locks the accounts of persons who were away for too long, and returns the persons.
  package mutating func expireUnlocks(at time: UInt64) -> Set<UInt32> {
    note(time)
    return state.unlocks.due <= state.time ? state.expireUnlocks(snapshot) : []
  }
}
