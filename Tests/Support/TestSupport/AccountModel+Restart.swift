internal import GuardModel

/// The daemon ends and starts again, in plain words: what was kept is there, the rest is not.
extension AccountModel {
  /// What lies on the disk.
  struct Kept {
    var members: [Holder: [String: Member]] = [:]
    var words: [UInt32: [AccountSource: Word]] = [:]
    var memory: [String: Conditions.Memory] = [:]
    var wipes: [Wipe] = []
    var offline: UInt64 = 0
    var sinceDestruction = AccountModel.hour
  }

  /// The state is written down.
  package mutating func keep() {
    (kept.members, kept.words, kept.memory, leaving) = (members, words, conditions.memory, [])
    guard wipes.isChanged else { return }
    (kept.wipes, kept.offline, kept.sinceDestruction) = (wipes.open, wipes.offline, wipes.sinceDestruction)
    wipes.isChanged = false
  }

  /// Somebody copies the state away.
  package mutating func archive() { archived = kept }

  /// Somebody puts the copy back.
  package mutating func recallArchive() { kept = archived }

  /// The daemon is killed, and the next one has what was kept: programs are gone, results are not kept, private names
  /// neither.
  ///
  /// - Parameter isDoubted: the file may be a backup: each wipe begins anew.
  package mutating func restart(_ policy: Policy, epoch: UInt64, isDoubted: Bool) {
    self.policy = policy
    (programs, unlocks, leaving, wipes) = ([:], [:], [], Wipes())
    (members, words, conditions) = (kept.members, kept.words, Conditions())
    wipes.epoch = epoch
    restoreMembers()
    (kept.members, kept.words) = (members, words)
    conditions.memory = kept.memory
    restoreWipes(isDoubted: isDoubted)
    judgeConditions()
    for holder in members.keys.sorted() { attemptAll(holder) }
  }

  /// No time is later than now; a word of a clock that was ahead is an old one.
  private mutating func restoreMembers() {
    for (person, sources) in words {
      for (source, word) in sources {
        words[person]?[source]?.names = word.covered
        if word.time > time { words[person]?[source]?.time = 1 }
      }
    }
    for (holder, accounts) in members {
      for (account, var member) in accounts {
        member.result = member.status == .enrolled ? .unchanged : member.status == .ended ? .unenrolled : .notEnrolled
        (member.isUnchecked, member.policy) = (false, nil)
        (member.registeredAt, member.checkedInAt) = (min(member.registeredAt, time), min(member.checkedInAt, time))
        (member.triedAt, member.enrolledAt) = (min(member.triedAt, time), member.enrolledAt.map { min($0, time) })
        members[holder]?[account] = member
      }
    }
  }

  private mutating func restoreWipes(isDoubted: Bool) {
    (wipes.isUnjudged, wipes.isChanged) = (true, true)
    (wipes.offline, wipes.sinceDestruction) = isDoubted ? (0, 0) : (kept.offline, kept.sinceDestruction)
    for var wipe in kept.wipes {
      if isDoubted, wipe.phase != .locked {
        (wipe.phase, wipe.parts, wipe.ran) = (.pending, wipe.parts.mapValues { _ in Part() }, 0)
        wipe.delay = max(wipe.delay, 72 * Self.hour)
      }
      wipes.open.append(wipe)
    }
    pinned = Set(wipes.open.map(\.account))
    for wipe in wipes.open {
      for (app, part) in wipe.parts where part.order > 0 && part.step != .done && part.step != .cleaned {
        wipes.effects.append("files \(wipe.person) \(app) \(wipe.account) \(wipe.id)-\(part.order)")
      }
    }
  }
}
