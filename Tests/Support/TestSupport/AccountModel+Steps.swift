package import GuardModel

/// The steps of accounts' life: calls, words of sources, time, reloads, programs and restarts.
extension AccountModel {
  // MARK: Calls

  /// The words of an answer: `enrolled newPolicies`, or of a refusal.
  package mutating func register(_ name: String?, _ holder: Holder) -> String {
    guard let name, !name.isEmpty else { return "unknown noAccount" }
    guard policy.apps[holder.app] != nil else { return "noApp" }
    let account = account(name)
    guard knows(account, holder) || isPrivate(account) else { return "unknownAccount" }
    guard knows(account, holder), isManaged(account, holder) else {
      guard allows(account, holder) else { return "notAllowed blocked" }
      return knows(account, holder) ? "unmanaged notTargeted" : "unmanaged noPolicy"
    }
    if let known = members[holder]?[account], known.isByApp, known.status != .ended {
      tell("registeredAgain", account, holder, .alreadyEnrolled)
      return "\(lifeState(account, holder).rawValue) alreadyEnrolled"
    }
    add(account, holder, byApp: true)
    tell("registered", account, holder)
    let result = attempt(account, holder)
    return "\(lifeState(account, holder).rawValue) \(result.rawValue)"
  }

  package mutating func deregister(_ name: String, _ holder: Holder) -> String {
    guard let app = policy.apps[holder.app] else { return "noApp" }
    let account = account(name)
    guard knows(account, holder) || isPrivate(account) else { return "unknownAccount" }
    guard knows(account, holder), isManaged(account, holder) else { return "unmanaged noPolicy" }
    let known = members[holder]?[account]
    guard known?.status != .ended, known != nil || app.sources.isEmpty else {
      return "\(lifeState(account, holder).rawValue) notEnrolled"
    }
    var member = known ?? Member(registeredAt: time, checkedInAt: time, triedAt: time)
    (member.status, member.enrolledAt, member.result) = (.ended, nil, .unenrolled)
    (member.isByApp, member.isUnchecked) = (false, false)
    members[holder, default: [:]][account] = member
    tell("deregistered", account, holder, .unenrolled)
    return "\(lifeState(account, holder).rawValue) unenrolled"
  }

  package mutating func maySignIn(_ name: String, _ holder: Holder) -> String {
    guard policy.apps[holder.app] != nil else { return "noApp" }
    let account = account(name)
    guard allows(account, holder) else {
      tell("signInRefused", account, holder)
      return "notAllowed accountNotAllowed"
    }
    guard knows(account, holder) || isPrivate(account) else { return "unknownAccount" }
    guard knows(account, holder), isManaged(account, holder) else { return "unmanaged allowed" }
    let reason: Reason? =
      switch state(of: account) {
      case .blocked: .accountBlocked
      case .nonCompliant: .accountNotCompliant
      case .wiped: .accountWiped
      default: nil
      }
    return "\(lifeState(account, holder).rawValue) \(reason?.rawValue ?? "allowed")"
  }

  private mutating func add(_ account: String, _ holder: Holder, byApp: Bool) {
    if let known = members[holder]?[account], known.status != .ended {
      members[holder]?[account]?.isByApp = known.isByApp || byApp
    } else {
      var member = Member(registeredAt: time, checkedInAt: time, triedAt: time)
      member.isByApp = byApp
      members[holder, default: [:]][account] = member
    }
  }

  // MARK: Sources

  /// These accounts are signed in, and no others; each by one or more names.
  package mutating func say(_ names: [[String]], _ source: AccountSource, _ person: UInt32) {
    let before = words[person]?[source]?.names ?? []
    let covered = names.filter { !policy.groups.isEmpty || covers($0, person) }
    words[person, default: [:]][source] = Word(names: names, time: time, covered: covered)
    for (act, new, old) in [("signedIn", names, before), ("signedOut", before, names)] {
      for account in new where !old.contains(where: { $0.contains(where: account.contains) }) && covers(account, person)
      {
        acts.append(Act(act, person, nil, account[0], nil, source))
      }
    }
    for holder in running where holder.person == person { takeUp(holder) }
    for holder in members.keys.sorted() where holder.person == person { attemptAll(holder) }
  }

  private func covers(_ names: [String], _ person: UInt32) -> Bool {
    names.contains { !isPrivate($0) } || isInGroup(person) && running.contains { $0.person == person }
  }

  /// Accounts that a source names and a protection binds count as registered.
  private mutating func takeUp(_ holder: Holder) {
    var hasNew = false
    for source in AccountSource.allCases where policy.apps[holder.app]?.sources.contains(source) == true {
      for names in words[holder.person]?[source]?.names ?? [] {
        guard let account = names.map({ self.account($0) }).first(where: { isManaged($0, holder) }),
          members[holder]?[account] == nil
        else { continue }
        add(account, holder, byApp: false)
        tell("registered", account, holder, nil, source)
        hasNew = true
      }
    }
    if hasNew { attemptAll(holder) }
  }

  // MARK: Programs, time, reloads

  package mutating func start(_ holder: Holder) {
    running.append(holder)
    forget(holder)
    takeUp(holder)
    checkIn(holder, all: false)
    attemptAll(holder)
  }

  package mutating func end(_ holder: Holder) {
    if let index = running.firstIndex(of: holder) { running.remove(at: index) }
  }

  /// Whatever is due at this time is done, for every holder.
  package mutating func tick() {
    for holder in members.keys.sorted() {
      forget(holder)
      for account in sorted(holder) where members[holder]?[account]?.status == .enrolled { attempt(account, holder) }
      for account in sorted(holder) {
        guard let member = members[holder]?[account], member.status == .registered,
          member.triedAt + Self.retry <= time,
          !(members[holder] ?? [:]).values.contains(where: { $0.status == .enrolled })
        else { continue }
        attempt(account, holder)
      }
      if running.contains(holder) { checkIn(holder, all: false) }
    }
  }

  package mutating func checkInAll() { for holder in members.keys.sorted() { checkIn(holder, all: true) } }

  private mutating func checkIn(_ holder: Holder, all: Bool) {
    for account in sorted(holder) {
      guard let before = members[holder]?[account], before.status == .enrolled,
        all || before.checkedInAt + Self.checkIn <= time
      else { continue }
      let result = attempt(account, holder)
      guard let after = members[holder]?[account], after.status == .enrolled, !after.isUnchecked, !before.isUnchecked
      else { continue }
      let isNew = before.policy != nil && before.policy != policy.digest
      members[holder]?[account]?.checkedInAt = time
      members[holder]?[account]?.policy = policy.digest
      tell("checkedIn", account, holder, isNew ? .newPolicies : result)
    }
  }

  /// A registration that was not checked in for too long goes.
  private mutating func forget(_ holder: Holder) {
    for account in sorted(holder) {
      guard let member = members[holder]?[account], member.status != .ended,
        max(member.checkedInAt, member.registeredAt) + Self.forget <= time
      else { continue }
      members[holder]?[account] = nil
      tell("forgotten", account, holder, .notEnrolled)
    }
  }

  package mutating func reload(_ policy: Policy) {
    self.policy = policy
    for holder in members.keys.sorted() { attemptAll(holder) }
    for holder in running { takeUp(holder) }
  }

  /// The daemon is killed and starts again: programs are gone, results are not kept, private names neither.
  package mutating func restart() {
    running = []
    for (person, sources) in words {
      for (source, word) in sources { words[person]?[source]?.names = word.covered }
    }
    for (holder, accounts) in members {
      for (account, var member) in accounts {
        member.result = member.status == .enrolled ? .unchanged : member.status == .ended ? .unenrolled : .notEnrolled
        (member.isUnchecked, member.policy) = (false, nil)
        members[holder]?[account] = member
      }
    }
    for holder in members.keys.sorted() { attemptAll(holder) }
  }
}
