package import GuardModel

/// The steps of accounts' life: calls, words of sources, time, reloads, programs and restarts.
extension AccountModel {
  // MARK: Calls

  /// The words of an answer: `enrolled newPolicies`, or of a refusal.
  package mutating func register(_ name: String?, _ number: Int) -> String {
    guard let name, !name.isEmpty else { return "unknown noAccount" }
    guard let holder = programs[number]?.holder, policy.apps[holder.app] != nil else { return "noApp" }
    let account = account(name)
    guard knows(account, holder) || isPrivate(account) else { return "unknownAccount" }
    if knows(account, holder) { note(account, number) }
    guard knows(account, holder), isManaged(account, holder) else {
      guard allows(account, holder) else { return "notAllowed blocked" }
      return knows(account, holder) ? "unmanaged notTargeted" : "unmanaged noPolicy"
    }
    // Nobody leaves a wipe by registering again.
    if let wipe = lock(account, holder) {
      return "\(wipe.lifeState.rawValue) \(wipe.phase == .locked ? "blocked" : "wipeReceived")"
    }
    if let known = members[holder]?[account], known.isByApp, known.status != .ended {
      tell("registeredAgain", account, holder, .alreadyEnrolled)
      return "\(lifeState(account, number).rawValue) alreadyEnrolled"
    }
    add(account, holder, byApp: true)
    tell("registered", account, holder)
    let result = attempt(account, holder)
    return "\(lifeState(account, number).rawValue) \(result.rawValue)"
  }

  package mutating func deregister(_ name: String, _ fate: DataFate, _ number: Int) -> String {
    guard let holder = programs[number]?.holder, policy.apps[holder.app] != nil else { return "noApp" }
    let account = account(name)
    guard knows(account, holder) || isPrivate(account) else { return "unknownAccount" }
    if knows(account, holder) { note(account, number) }
    guard knows(account, holder), isManaged(account, holder) else { return "unmanaged noPolicy" }
    let known = members[holder]?[account]
    guard known?.status != .ended, known != nil || isFree(holder) else {
      return "\(lifeState(account, number).rawValue) notEnrolled"
    }
    endAccess(account, holder)
    // An account that was only registered has no data.
    if fate == .remove, known?.status == .enrolled || isFree(holder) { removeData(account, holder) }
    return "\(lifeState(account, number).rawValue) unenrolled"
  }

  func endedMember(_ known: Member?) -> Member {
    var member = known ?? Member(registeredAt: time, checkedInAt: time, triedAt: time)
    (member.status, member.result, member.isByApp, member.isUnchecked) = (.ended, .unenrolled, false, false)
    return member
  }

  mutating func endAccess(_ account: String, _ holder: Holder) {
    members[holder, default: [:]][account] = endedMember(members[holder]?[account])
    tell("deregistered", account, holder, .unenrolled)
  }

  package mutating func maySignIn(_ name: String, _ number: Int) -> String {
    guard let holder = programs[number]?.holder, policy.apps[holder.app] != nil else { return "noApp" }
    let account = account(name)
    if knows(account, holder) { note(account, number) }
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
    return "\(lifeState(account, number).rawValue) \(reason?.rawValue ?? "allowed")"
  }

  // MARK: Names

  /// A program names an account: its name stays as long as the program runs.
  package mutating func note(_ account: String, _ number: Int) {
    guard let holder = programs[number]?.holder, isMet(account) || knows(account, holder) else { return }
    guard !policy.entries.contains(where: { $0.names[0] == account }), !pinned.contains(account) else { return }
    programs[number]?.named.insert(account)
  }

  /// Something here has the name of the account.
  func isMet(_ account: String) -> Bool {
    pinned.contains(account) || leaving.contains(account) || programs.values.contains { $0.named.contains(account) }
      || members.values.contains { $0[account] != nil } || wipes.open.contains { $0.account == account }
  }

  private mutating func add(_ account: String, _ holder: Holder, byApp: Bool) {
    if let known = members[holder]?[account], known.status != .ended {
      members[holder]?[account]?.isByApp = known.isByApp || byApp
    } else {
      var member = Member(registeredAt: time, checkedInAt: time, triedAt: time)
      (member.isByApp, member.enrolledAt) = (byApp, members[holder]?[account]?.enrolledAt)
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
    for number in running where programs[number]?.holder.person == person { takeUp(number) }
    for holder in members.keys.sorted() where holder.person == person { attemptAll(holder) }
  }

  private func covers(_ names: [String], _ person: UInt32) -> Bool {
    names.contains { !isPrivate($0) } || isInGroup(person) && programs.values.contains { $0.holder.person == person }
  }

  /// Accounts that a source names and a protection binds count as registered.
  private mutating func takeUp(_ number: Int) {
    guard let holder = programs[number]?.holder else { return }
    var hasNew = false
    for source in AccountSource.allCases where policy.apps[holder.app]?.sources.contains(source) == true {
      for names in words[holder.person]?[source]?.names ?? [] {
        guard let account = bound(names, number), members[holder]?[account] == nil else { continue }
        add(account, holder, byApp: false)
        tell("registered", account, holder, nil, source)
        hasNew = true
      }
    }
    if hasNew { attemptAll(holder) }
  }

  private mutating func bound(_ names: [String], _ number: Int) -> String? {
    guard let holder = programs[number]?.holder else { return nil }
    for name in names.map({ account($0) }) {
      note(name, number)
      if isManaged(name, holder) { return name }
    }
    return nil
  }

  // MARK: Programs, time, reloads

  package mutating func start(_ holder: Holder, version: Int?, as number: Int) {
    programs[number] = Program(holder: holder, version: version)
    forget(holder)
    takeUp(number)
    askForWipes(holder)
    checkIn(holder, all: false)
    attemptAll(holder)
  }

  package mutating func end(_ number: Int) { programs[number] = nil }

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
      if isRunning(holder) { checkIn(holder, all: false) }
    }
    if conditions.due <= time { judgeConditions() }
    expireUnlocks()
  }

  /// The policy was fetched and checked.
  package mutating func checkInAll() {
    (wipes.offline, wipes.isChanged) = (0, true)
    judgeWipes()
    for holder in members.keys.sorted() { checkIn(holder, all: true) }
  }

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
      remove(account, holder)
      tell("forgotten", account, holder, .notEnrolled)
    }
  }

  mutating func remove(_ account: String, _ holder: Holder) {
    guard members[holder]?.removeValue(forKey: account) != nil else { return }
    if members[holder]?.isEmpty == true { members[holder] = nil }
    leaving.insert(account)
  }

  package mutating func reload(_ policy: Policy) {
    self.policy = policy
    if !policy.asksPerson { unlocks = [:] }
    _ = conditions.judge(policy, at: time)
    for holder in members.keys.sorted() { attemptAll(holder) }
    for number in running { takeUp(number) }
    judgeWipes()
    orderAgain()
  }
}
