package import GuardModel

/// Wipes under way, as another daemon has to know them: a wipe that was begun ends, and no wipe comes sooner.
package struct KeptWipes: Sendable, Hashable {
  package var wipes: [KeptWipe] = []
  /// Accounts of programs that went on after their wipe.
  package var wiped: [KeptWiped] = []
  /// Milliseconds of running time since the last check-in, and since the last destruction.
  package var offline: UInt64 = 0
  package var sinceDestruction: UInt64 = 0
  /// When this was so, in milliseconds since 1970.
  package var time: UInt64 = 0

  package init() {}
}

/// An account that was wiped while a program ran, by the program's serial.
package struct KeptWiped: Sendable, Hashable {
  package var instance: UInt64
  /// All names of the account, in lower case.
  package var names: [String]

  package init(instance: UInt64, names: [String]) { (self.instance, self.names) = (instance, names) }
}

package struct KeptWipe: Sendable, Hashable {
  package var id: String
  package var person: UInt32
  package var app: String?
  /// All its names, in lower case.
  package var names: [String]
  package var cause: WipeCause
  package var reason: String?
  package var phase: WipePhase
  package var beganAt: UInt64
  package var ran: UInt64
  package var delay: UInt64
  package var neededApprovals: Int
  package var approvals: [UInt32]
  package var parts: [Part]

  package init(
    id: String, person: UInt32, app: String?, names: [String], cause: WipeCause, reason: String?, phase: WipePhase,
    beganAt: UInt64, ran: UInt64, delay: UInt64, neededApprovals: Int, approvals: [UInt32], parts: [Part]
  ) {
    self.id = id
    self.person = person
    self.app = app
    self.names = names
    self.cause = cause
    self.reason = reason
    self.phase = phase
    self.beganAt = beganAt
    self.ran = ran
    self.delay = delay
    self.neededApprovals = neededApprovals
    self.approvals = approvals
    self.parts = parts
  }

  package struct Part: Sendable, Hashable {
    package var app: String
    package var step: WipeStep
    package var deadline: UInt64
    package var order: UInt64
    package var isGivenUp: Bool
    package var removed: UInt64
    package var kept: UInt64

    package init(
      app: String, step: WipeStep, deadline: UInt64, order: UInt64, isGivenUp: Bool, removed: UInt64, kept: UInt64
    ) {
      self.app = app
      self.step = step
      self.deadline = deadline
      self.order = order
      self.isGivenUp = isGivenUp
      self.removed = removed
      self.kept = kept
    }
  }
}

extension KeptWipe {
  /// Its apps, as if nobody had been asked yet.
  fileprivate var freshParts: [Part] {
    parts.map { Part(app: $0.app, step: .notAsked, deadline: 0, order: 0, isGivenUp: false, removed: 0, kept: 0) }
  }
}

extension GuardState {
  var keptWipes: KeptWipes {
    var kept = KeptWipes()
    (kept.offline, kept.sinceDestruction, kept.time) = (wipeBook.offline, wipeBook.sinceDestruction, time)
    kept.wipes = wipeBook.wipes.map { wipe in
      KeptWipe(
        id: wipe.id, person: wipe.person, app: wipe.app.map { name(of: $0) }, names: accounts.names(of: wipe.account),
        cause: wipe.cause, reason: wipe.reason, phase: wipe.phase, beganAt: wipe.beganAt, ran: wipe.ran,
        delay: wipe.delay, neededApprovals: wipe.neededApprovals, approvals: wipe.approvals,
        parts: wipe.parts.map { app, part in
          KeptWipe.Part(
            app: name(of: app), step: part.step, deadline: part.deadline, order: part.order,
            isGivenUp: part.isGivenUp, removed: part.removed, kept: part.kept)
        }.sorted { $0.app < $1.app })
    }
    var wiped = wipeBook.returning
    // Once a minute: nothing is allocated for programs without such accounts.
    for case let instance? in instances where !instance.wiped.isEmpty { wiped[instance.serial] = instance.wiped }
    kept.wiped = wiped.sorted { $0.key < $1.key }.flatMap { serial, accounts in
      accounts.map { KeptWiped(instance: serial, names: self.accounts.names(of: $0)) }
    }
    return kept
  }

  /// A program that came back shows accounts that were wiped before the restart: it is refused until it ends, as before.
  package mutating func recallWiped(of id: InstanceID, _ snapshot: Snapshot) {
    guard let wiped = wipeBook.returning.removeValue(forKey: id.serial) else { return }
    for account in wiped {
      note(account, in: id)
      accounts.release(account)
    }
    instances[id.place]?.wiped.formUnion(wiped)
    wipeBook.isChanged = true
    refreshStandings(of: id, snapshot)
  }

  /// The file may be old, or of another machine: a delay that did not end begins anew where the shell doubts it.
  mutating func restore(_ kept: KeptWipes, _ snapshot: Snapshot) {
    (wipeBook.offline, wipeBook.sinceDestruction) = (kept.offline, kept.sinceDestruction)
    for entry in kept.wipes {
      let isOne = !snapshot.accounts.tellsApart(entry.names)
      if isOne, let account = accounts.number(ofNames: entry.names, snapshot) {
        restore(entry, of: account)
      } else {
        restoreLocks(entry, snapshot)
      }
    }
    for entry in kept.wiped {
      guard let account = accounts.number(ofNames: entry.names, snapshot),
        wipeBook.returning[entry.instance, default: []].insert(account).inserted
      else { continue }
      accounts.use(account)
    }
  }

  private mutating func restore(_ entry: KeptWipe, of account: AccountID) {
    var wipe = Wipe(
      id: entry.id, person: entry.person, app: entry.app.map { number(ofApp: $0) }, account: account,
      cause: entry.cause, reason: entry.reason, phase: entry.phase, beganAt: entry.beganAt, ran: entry.ran,
      delay: entry.delay, neededApprovals: entry.neededApprovals, approvals: entry.approvals)
    for part in entry.parts {
      var restored = WipePart()
      (restored.step, restored.deadline, restored.order) = (part.step, part.deadline, part.order)
      (restored.isGivenUp, restored.removed, restored.kept) = (part.isGivenUp, part.removed, part.kept)
      wipe.parts[number(ofApp: part.app)] = restored
      // The order may not have left, and a boot takes all orders away.
      if restored.isOrdered { wipeBook.order(app: part.app, restored, of: wipe, accounts.displayName(account)) }
    }
    accounts.use(account)
    wipeBook.wipes.append(wipe)
  }

  /// The names of a wipe are several accounts by now, and nobody knows which was meant: each stays locked, and nothing is
  /// destroyed unless two persons say so. An administrator restores the right one.
  private mutating func restoreLocks(_ entry: KeptWipe, _ snapshot: Snapshot) {
    var entry = entry
    (entry.phase, entry.parts) = (.locked, entry.freshParts)
    (entry.neededApprovals, entry.approvals) = (2, [])
    var seen: Set<AccountID> = []
    for (place, name) in entry.names.enumerated() {
      let account = accounts.number(of: name, snapshot)
      guard seen.insert(account).inserted else { continue }
      var lock = entry
      if place > 0 { lock.id += "-\(place)" }
      restore(lock, of: account)
    }
    wipeBook.isChanged = true
    if keepsPages { hasChanges = true }
  }
}

extension KeptState {
  /// A file that is older than a week, or from the future, may be a backup: the delays of its wipes begin anew.
  package func judged(at time: UInt64) -> KeptState {
    guard let wipes = accounts.wipes, wipes.time + KeptWipes.oldest < time || wipes.time > time + 60_000 else {
      return self
    }
    var copy = self
    copy.accounts.wipes = wipes.begunAnew
    return copy
  }
}

extension KeptWipes {
  /// A file that is older than this may be a backup.
  package static let oldest: UInt64 = 7 * 86_400_000

  /// The same with every delay at its beginning: the file is old, restored, or of another machine.
  package var begunAnew: KeptWipes {
    var copy = self
    (copy.offline, copy.sinceDestruction) = (0, 0)
    // One that had begun goes back, too: what was removed is gone, and what came since is not to follow it.
    for index in copy.wipes.indices where copy.wipes[index].phase != .locked {
      copy.wipes[index].phase = .pending
      copy.wipes[index].parts = copy.wipes[index].freshParts
      copy.wipes[index].ran = 0
      copy.wipes[index].delay = max(copy.wipes[index].delay, WipeSettings().delay)
    }
    return copy
  }
}
