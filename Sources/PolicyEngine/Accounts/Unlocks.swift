internal import GuardModel

/// What the machine says of a person at it. Milliseconds.
package enum Presence: Sendable, Hashable {
  /// Nothing is known: no session, or nobody who tells.
  case unknown
  case present
  /// Nobody touched any of the person's sessions for so long.
  case idle(UInt64)
  /// The person's sessions are locked.
  case locked
}

/// The persons who unlocked, and how long that holds (ledger CD-04, FC-05).
///
///     state.unlocks.unlock(1000, at: time)
///     state.unlocks.isLocked(1000, after: 1_800_000, at: time)    // false, until nobody was there for half an hour
///
/// Holding begins with an answer to the daemon's own question. It ends when the person's sessions are locked, and when
/// nobody was there for `recheckAfter`; being there again afterwards does not bring it back. Where the machine does not say
/// whether somebody is there, the time counts from the answer. Nothing of it outlives the daemon.
package struct Unlocks: Sendable {
  private struct Holding: Sendable {
    let unlockedAt: UInt64
    /// Since when nobody is there; nil while somebody is.
    var awaySince: UInt64?
    /// The longest time for which nobody was there, of those that are over.
    var longestAway: UInt64 = 0

    func away(at time: UInt64) -> UInt64 {
      max(longestAway, awaySince.map { time > $0 ? time - $0 : 0 } ?? 0)
    }
  }

  /// Nobody is asked, and nothing is locked: for tools that say what a policy would answer to a person who unlocked.
  package var isIgnored = false
  private var holdings: [UInt32: Holding] = [:]
  /// Before this time no holding ends by itself.
  private(set) var due = UInt64.max
  /// The times after which the policy in force asks again; each once.
  private var limits: [UInt64] = []

  package init() {}

  /// The persons who unlocked: those whose presence matters.
  package var persons: Set<UInt32> { Set(holdings.keys) }

  /// Whether some holding may end by itself now.
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

  /// What the machine says of the person now; true when something may have been locked.
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
      // Before the answer nobody was away.
      holding.awaySince = max(holding.unlockedAt, time > duration ? time - duration : 0)
    }
    holdings[person] = holding
    note(person, at: time)
    return holding.away(at: time) >= limits.first ?? .max
  }

  /// Forgets the persons for whom everything is locked again. Returns the persons for whom something was locked since the
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
  /// The daemon itself asks the person before an account of it may work. A protection that only monitors asks nobody.
  var asksPerson: Bool { unlock == .polkit && !isMonitored }
}

extension GuardState {
  /// Whether a person has to unlock an account first, by the protections that bind it in an instance.
  func isLocked(_ account: AccountID, in instance: Instance, _ snapshot: Snapshot) -> Bool {
    guard snapshot.hasUnlocks else { return false }
    let binding = instance.protections(of: account, accounts)
    return snapshot.protections.indices.contains { index in
      binding.contains(ProtectionIndex(index)) && snapshot.protections[index].asksPerson
        && unlocks.isLocked(instance.peer.person, after: snapshot.protections[index].recheckAfter, at: time)
    }
  }

  /// The accounts that an instance shows and that its person has to unlock first, by name.
  package func lockedAccounts(of id: InstanceID) -> [String] {
    shownAccounts(of: id).filter { $0.value == .locked }.map { accounts.displayName($0.key) }.sorted()
  }

  fileprivate mutating func refreshStandings(ofPersons persons: Set<UInt32>, _ snapshot: Snapshot) {
    for id in liveInstances where instance(id).map({ persons.contains($0.peer.person) }) ?? false {
      refreshStandings(of: id, snapshot)
    }
  }

  /// Locks what is due, and returns whose accounts that may be.
  mutating func expireUnlocks(_ snapshot: Snapshot) -> Set<UInt32> {
    let locked = unlocks.expire(at: time)
    refreshStandings(ofPersons: locked, snapshot)
    return locked
  }
}

extension Guard {
  /// A person answered the daemon's own question: the accounts that wait for it may work.
  package mutating func unlock(_ person: UInt32, at time: UInt64) {
    note(time)
    state.unlocks.unlock(person, at: state.time)
    state.refreshStandings(ofPersons: [person], snapshot)
  }

  /// What the machine says of a person; true when accounts may have been locked.
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
