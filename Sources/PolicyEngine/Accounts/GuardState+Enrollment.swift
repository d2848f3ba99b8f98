internal import GuardModel

/// The schedule of enrolment: attempts, check-ins and what is forgotten (ledger EN-04 to EN-07).
extension GuardState {
  /// Carries out what is due at this time.
  package mutating func tickLife(_ snapshot: Snapshot) {
    while let holder = life.due.pop(at: time) {
      forget(holder, snapshot)
      if isTried(holder, snapshot) { retry(holder, snapshot) }
      if isRunning(holder) { checkIn(holder, snapshot, all: false) }
      settle(holder, snapshot)
    }
  }

  /// The administrator's fetch of the policy succeeded: every account is checked in.
  package mutating func checkInAll(_ snapshot: Snapshot) {
    for holder in life.members.keys {
      checkIn(holder, snapshot, all: true)
      settle(holder, snapshot)
    }
  }

  /// A new instance: its person's sign-ins count for its app, and what waited for it to run is done.
  mutating func beginLife(of id: InstanceID, _ snapshot: Snapshot) {
    guard let holder = instance(id)?.holder else { return }
    takeUpSignIns(of: id, snapshot)
    askForWipes(of: id, snapshot)
    if life.members[holder] != nil {
      checkIn(holder, snapshot, all: false)
      attemptAll(of: holder, snapshot)
    } else {
      refreshStandings(of: id, snapshot)
    }
  }

  /// Another policy is in force: it is an attempt for every account (design, accounts, section 4).
  mutating func adoptLife(_ snapshot: Snapshot) {
    for holder in Array(life.members.keys) { attemptAll(of: holder, snapshot) }
    _ = book.judge(snapshot, at: time)
    for id in liveInstances {
      takeUpSignIns(of: id, snapshot)
      refreshStandings(of: id, snapshot)
    }
    judgeWipes(snapshot)
  }

  /// Accounts that a source names and a protection binds count as registered.
  mutating func takeUpSignIns(of id: InstanceID, _ snapshot: Snapshot) {
    guard let instance = instance(id), let app = instance.app.map({ snapshot[$0].accounts }) else { return }
    for source in app.sources where source != .app {
      for names in life.words[instance.peer.person]?[source]?.accounts ?? [] {
        guard let account = bound(names, in: id, snapshot), life[instance.holder, account] == nil else { continue }
        guard (life.members[instance.holder]?.count ?? 0) < AccountLife.mostMembers else { continue }
        add(account, to: instance.holder, byApp: false)
        _ = attempt(account, of: instance.holder, snapshot)
        settle(instance.holder, snapshot)
      }
    }
  }

  private mutating func bound(_ names: SignedInAccount, in id: InstanceID, _ snapshot: Snapshot) -> AccountID? {
    for name in names.all {
      guard case .account(let account)? = try? identity(name, in: id, snapshot) else { continue }
      if isManaged(account, in: id) { return account }
    }
    return nil
  }

  // MARK: Attempts

  mutating func attemptAll(of holder: AccountHolder, _ snapshot: Snapshot) {
    for account in sortedMembers(of: holder) { _ = attempt(account, of: holder, snapshot) }
    settle(holder, snapshot)
  }

  /// Tries to enrol an account, or looks whether it may stay enrolled.
  mutating func attempt(
    _ account: AccountID, of holder: AccountHolder, _ snapshot: Snapshot
  ) -> EnrollmentResult {
    guard let before = life[holder, account], before.status != .ended else { return .notEnrolled }
    let result = result(of: account, holder, snapshot)
    // Nothing is known of it: it stays what it is, and may not work.
    let isUnchecked = result == .notChecked
    let status = isUnchecked ? before.status : result.isSuccess ? .enrolled : .registered
    let now = time
    change(account, of: holder) { member in
      (member.status, member.result, member.isUnchecked) = (status, result, isUnchecked)
      member.triedAt = now
      if status == .enrolled, before.status != .enrolled { (member.enrolledAt, member.checkedInAt) = (now, now) }
      if status != .enrolled { member.enrolledAt = nil }
    }
    switch (before.status, status) {
    case (.registered, .enrolled): tell(.enrolled, account, of: holder, result: .newPolicies, snapshot)
    case (.enrolled, .registered): tell(.unenrolled, account, of: holder, result: result, snapshot)
    case (.registered, .registered) where before.result != result:
      tell(.notEnrolled, account, of: holder, result: result, snapshot)
    case (.enrolled, .enrolled) where isUnchecked != before.isUnchecked:
      tell(isUnchecked ? .notEnrolled : .checkedIn, account, of: holder, result: result, snapshot)
    default: break
    }
    return status == .enrolled && before.status != .enrolled ? .newPolicies : result
  }

  /// Whether an account may be enrolled now; `unchanged` when it may.
  private func result(of account: AccountID, _ holder: AccountHolder, _ snapshot: Snapshot) -> EnrollmentResult {
    guard let index = snapshot.app(named: name(of: holder.app)) else { return .notTargeted }
    let app = snapshot[index]
    guard app.accounts.takes(accounts.names(of: account)) else { return .blocked }
    guard !protections(of: account, holder).isEmpty else { return .notTargeted }
    guard accounts[account].state == .active || accounts[account].state == .nonCompliant else { return .blocked }
    switch signIn(of: account, holder, app.accounts, snapshot) {
    case .no: return .notSignedIn
    case .unknown: return .notChecked
    case .yes: break
    }
    guard app.managedAccounts == .several || !hasOtherEnrolled(than: account, holder) else { return .singleAccount }
    return .unchanged
  }

  private func hasOtherEnrolled(than account: AccountID, _ holder: AccountHolder) -> Bool {
    life.members[holder]?.contains { $0.key != account && $0.value.status == .enrolled } ?? false
  }

  /// The protections that bind an account for a holder: by its name, and by the groups of the person's running programs.
  private func protections(of account: AccountID, _ holder: AccountHolder) -> ProtectionSet {
    var found = accounts[account].protections
    for case let instance? in instances where instance.holder == holder {
      found = found.union(instance.groupProtections)
    }
    return found
  }

  // MARK: Sources

  private enum SignIn {
    case no
    case yes
    /// Every source that said so has been silent for too long.
    case unknown
  }

  private func signIn(
    of account: AccountID, _ holder: AccountHolder, _ app: AppAccounts, _ snapshot: Snapshot
  ) -> SignIn {
    if app.sources.isEmpty { return .yes }
    if app.sources.contains(.app), life[holder, account]?.isByApp ?? false { return .yes }
    var found = SignIn.no
    for source in app.sources where source != .app {
      guard let word = life.words[holder.person]?[source], word.names(accounts.names(of: account)) else { continue }
      if word.time + snapshot.enrollment.signInHolds > time { return .yes }
      found = .unknown
    }
    return found
  }

  /// The sources that say the account is signed in.
  func sources(of account: AccountID, _ holder: AccountHolder, _ snapshot: Snapshot) -> [AccountSource] {
    let names = accounts.names(of: account)
    return AccountSource.allCases.filter { source in
      if source == .app { return life[holder, account]?.isByApp ?? false }
      return life.words[holder.person]?[source]?.names(names) ?? false
    }
  }

  // MARK: What is due

  /// Accounts of the holder are tried: none is enrolled and some are registered (ledger EN-05).
  func isTried(_ holder: AccountHolder, _ snapshot: Snapshot) -> Bool {
    let members = life.members[holder]?.values
    guard members?.contains(where: { $0.status == .registered }) ?? false else { return false }
    return !(members?.contains { $0.status == .enrolled } ?? false)
  }

  private mutating func retry(_ holder: AccountHolder, _ snapshot: Snapshot) {
    let due = sortedMembers(of: holder).filter { account in
      life[holder, account].map { $0.status == .registered && $0.triedAt + snapshot.enrollment.retry <= time } ?? false
    }
    for account in due where isTried(holder, snapshot) { _ = attempt(account, of: holder, snapshot) }
  }

  /// Checks the holder's enrolled accounts in whose time has come; with `all` each of them.
  private mutating func checkIn(_ holder: AccountHolder, _ snapshot: Snapshot, all: Bool) {
    for account in sortedMembers(of: holder) {
      guard let member = life[holder, account], member.status == .enrolled,
        all || member.checkedInAt + snapshot.enrollment.checkIn <= time
      else { continue }
      let result = attempt(account, of: holder, snapshot)
      guard let after = life[holder, account], after.status == .enrolled, !after.isUnchecked else { continue }
      let now = time
      change(account, of: holder) { $0.checkedInAt = now }
      tell(.checkedIn, account, of: holder, result: result, snapshot)
    }
  }

  /// Forgets registrations that were not checked in for too long. No data is touched.
  private mutating func forget(_ holder: AccountHolder, _ snapshot: Snapshot) {
    for account in sortedMembers(of: holder) {
      guard let member = life[holder, account], member.status != .ended,
        max(member.checkedInAt, member.registeredAt) + snapshot.enrollment.forgetAfter <= time
      else { continue }
      remove(account, from: holder)
      tell(.forgotten, account, of: holder, result: .notEnrolled, snapshot)
    }
  }

  /// After changes of a holder: when something is due next, and what its programs may do.
  mutating func settle(_ holder: AccountHolder, _ snapshot: Snapshot) {
    life.due.set(nextDue(holder, snapshot), of: holder)
    refreshStandings(of: holder, snapshot)
  }

  private func nextDue(_ holder: AccountHolder, _ snapshot: Snapshot) -> UInt64? {
    let times = snapshot.enrollment
    let isTried = isTried(holder, snapshot)
    let isRunning = isRunning(holder)
    let words = life.words[holder.person] ?? [:]
    var next = UInt64.max
    for member in life.members[holder]?.values ?? [:].values where member.status != .ended {
      next = min(next, max(member.checkedInAt, member.registeredAt) + times.forgetAfter)
      if isTried, member.status == .registered { next = min(next, member.triedAt + times.retry) }
      guard member.status == .enrolled, !member.isUnchecked else { continue }
      if isRunning { next = min(next, member.checkedInAt + times.checkIn) }
      for word in words.values where word.time + times.signInHolds > time {
        next = min(next, word.time + times.signInHolds)
      }
    }
    return next == .max ? nil : max(next, time + 1)
  }

  private func isRunning(_ holder: AccountHolder) -> Bool { instances.contains { $0?.holder == holder } }

  /// In an order that does not change between runs.
  private func sortedMembers(of holder: AccountHolder) -> [AccountID] {
    (life.members[holder] ?? [:]).sorted {
      ($0.value.registeredAt, accounts[$0.key].sortName) < ($1.value.registeredAt, accounts[$1.key].sortName)
    }.map(\.key)
  }

  // MARK: Changes

  mutating func add(_ account: AccountID, to holder: AccountHolder, byApp: Bool) {
    if life[holder, account] == nil { accounts.use(account) }
    var member = Membership(registeredAt: time, checkedInAt: time, triedAt: time)
    member.isByApp = byApp || (life[holder, account]?.isByApp ?? false)
    life.members[holder, default: [:]][account] = member
    note(account, of: holder)
  }

  mutating func remove(_ account: AccountID, from holder: AccountHolder) {
    guard life.members[holder]?.removeValue(forKey: account) != nil else { return }
    if life.members[holder]?.isEmpty ?? false { life.members[holder] = nil }
    // Where changes are kept, its name stays until then.
    if keepsPages { note(account, of: holder) } else { accounts.release(account) }
  }

  mutating func change(_ account: AccountID, of holder: AccountHolder, _ body: (inout Membership) -> Void) {
    guard var member = life[holder, account] else { return }
    let before = member
    body(&member)
    guard member != before else { return }
    life.members[holder]?[account] = member
    note(account, of: holder)
  }

  private mutating func note(_ account: AccountID, of holder: AccountHolder) {
    guard keepsPages else { return }
    life.changed.insert(AccountPlace(holder: holder, account: account))
    hasChanges = true
  }

  mutating func tell(
    _ act: AccountEvent.Act, _ account: AccountID, of holder: AccountHolder, result: EnrollmentResult? = nil,
    _ snapshot: Snapshot
  ) {
    let status = life[holder, account].map { member -> AccountLifeState in
      switch member.status {
      case .ended: .suspended
      case .registered: .registered
      case .enrolled: member.isUnchecked ? .notChecked : .enrolled
      }
    }
    life.events.append(
      AccountEvent(
        act: act, person: holder.person, app: name(of: holder.app), account: accounts.displayName(account),
        state: status ?? (act == .deregistered ? .suspended : .unknown), result: result))
  }
}

extension SignInWord {
  /// It says that an account with one of these names, folded, is signed in.
  func names(_ folded: [String]) -> Bool {
    accounts.contains { $0.all.contains { folded.contains(AccountName.fold($0)) } }
  }
}
