internal import GuardModel

/// The schedule of enrolment: attempts, check-ins and what is forgotten (ledger EN-04 to EN-07).
extension GuardState {
  /// Carries out what is due at this time.
  package mutating func tickLife(_ snapshot: Snapshot) {
    for holder in life.due.take(until: time) {
      forget(holder, snapshot)
      // A source may have been silent for too long.
      for account in sortedMembers(of: holder) where life[holder, account]?.status == .enrolled {
        _ = attempt(account, of: holder, snapshot)
      }
      if isTried(holder, snapshot) { retry(holder, snapshot) }
      if isRunning(holder) { checkIn(holder, snapshot, all: false) }
      settle(holder, snapshot)
    }
  }

  /// The administrator's fetch of the policy succeeded: every account is checked in.
  package mutating func checkInAll(_ snapshot: Snapshot) {
    for holder in sortedHolders() {
      checkIn(holder, snapshot, all: true)
      settle(holder, snapshot)
    }
  }

  /// A new instance: its person's sign-ins count for its app, and what waited for it to run is done.
  mutating func beginLife(of id: InstanceID, _ snapshot: Snapshot) {
    guard let holder = instance(id)?.holder else { return }
    forget(holder, snapshot)
    takeUpSignIns(of: id, snapshot)
    askForWipes(of: id, snapshot)
    if life.members[holder] != nil {
      checkIn(holder, snapshot, all: false)
      attemptAll(of: holder, snapshot)
    } else {
      settle(holder, snapshot)
    }
  }

  /// Another policy is in force: it is an attempt for every account (design, accounts, section 4).
  mutating func adoptLife(_ snapshot: Snapshot) {
    if snapshot.hasConditions || book.isUsed {
      _ = book.judge(snapshot, at: time)
      noteConditionChanges()
    }
    attemptAll(snapshot)
    for id in liveInstances {
      takeUpSignIns(of: id, snapshot)
      refreshStandings(of: id, snapshot)
    }
    judgeWipes(snapshot)
    orderAgain(snapshot)
  }

  /// Accounts that a source names and a protection binds count as registered.
  mutating func takeUpSignIns(of id: InstanceID, _ snapshot: Snapshot) {
    guard let instance = instance(id), let app = instance.app.map({ snapshot[$0].accounts }) else { return }
    var hasNew = false
    for source in app.sources where source != .app {
      for names in life.words[instance.peer.person]?[source]?.accounts ?? [] {
        guard let account = bound(names, in: id, snapshot), life[instance.holder, account] == nil,
          makeRoom(in: instance.holder, for: account, snapshot)
        else { continue }
        add(account, to: instance.holder, byApp: false)
        tell(.registered, account, of: instance.holder, by: source)
        hasNew = true
      }
    }
    if hasNew { attemptAll(of: instance.holder, snapshot) }
  }

  private mutating func bound(_ names: SignedInAccount, in id: InstanceID, _ snapshot: Snapshot) -> AccountID? {
    for name in names.all {
      guard case .account(let account)? = try? identity(name, in: id, snapshot) else { continue }
      if isManaged(account, in: id) { return account }
    }
    return nil
  }

  // MARK: Attempts

  mutating func attemptAll(_ snapshot: Snapshot) {
    for holder in sortedHolders() { attemptAll(of: holder, snapshot) }
  }

  /// Those that are enrolled come first: one that may not stay makes room for another (ledger MI-28).
  mutating func attemptAll(of holder: AccountHolder, _ snapshot: Snapshot) {
    let members = sortedMembers(of: holder)
    let enrolled = members.filter { life[holder, $0]?.status == .enrolled }
    for account in enrolled + members.filter({ !enrolled.contains($0) }) { _ = attempt(account, of: holder, snapshot) }
    settle(holder, snapshot)
  }

  /// Tries to enrol an account, or looks whether it may stay enrolled.
  mutating func attempt(
    _ account: AccountID, of holder: AccountHolder, _ snapshot: Snapshot
  ) -> EnrollmentResult {
    guard let before = life[holder, account], before.status != .ended else { return .notEnrolled }
    let now = time
    guard knowsProtections(of: account, holder, snapshot) else {
      change(account, of: holder) { if $0.status == .registered { $0.triedAt = now } }
      return before.result
    }
    let result = result(of: account, holder, snapshot)
    // Nothing is known of it: it stays what it is, and may not work.
    let isUnchecked = result == .notChecked
    let status = isUnchecked ? before.status : result.isSuccess ? .enrolled : .registered
    // An enrolled account that nothing is known of is checked in once something is known again.
    let isNew = status == .enrolled && !isUnchecked && (before.status != .enrolled || before.isUnchecked)
    change(account, of: holder) { member in
      (member.status, member.result, member.isUnchecked) = (status, result, isUnchecked)
      if status != .enrolled || before.status != .enrolled { member.triedAt = now }
      if status == .enrolled, before.status != .enrolled { member.enrolledAt = now }
      if isNew { (member.checkedInAt, member.policy) = (now, snapshot.generation.digest) }
    }
    tell(of: account, holder, before, result)
    return status == .enrolled && before.status != .enrolled ? .newPolicies : result
  }

  /// Tells what an attempt changed.
  private mutating func tell(
    of account: AccountID, _ holder: AccountHolder, _ before: Membership, _ result: EnrollmentResult
  ) {
    guard let member = life[holder, account] else { return }
    switch (before.status, member.status) {
    case (.registered, .enrolled): tell(.enrolled, account, of: holder, result: .newPolicies)
    case (.enrolled, .registered): tell(.unenrolled, account, of: holder, result: result)
    case (.registered, .registered) where before.result != result:
      tell(.notEnrolled, account, of: holder, result: result)
    case (.enrolled, .enrolled) where member.isUnchecked != before.isUnchecked:
      tell(member.isUnchecked ? .notEnrolled : .checkedIn, account, of: holder, result: result)
    default: break
    }
  }

  /// A group binds accounts only while a program of the person runs, whose groups are known. Until then nothing is
  /// known of an account that nothing else binds, and it stays what it is.
  private func knowsProtections(of account: AccountID, _ holder: AccountHolder, _ snapshot: Snapshot) -> Bool {
    !accounts[account].protections.isEmpty || isRunning(holder)
      || !snapshot.protections.contains { !$0.groups.isEmpty } || snapshot.app(named: name(of: holder.app)) == nil
  }

  /// Whether an account may be enrolled now; `unchanged` when it may.
  private func result(of account: AccountID, _ holder: AccountHolder, _ snapshot: Snapshot) -> EnrollmentResult {
    guard let index = snapshot.app(named: name(of: holder.app)) else { return .notTargeted }
    let app = snapshot[index]
    guard takes(account, app.accounts) else { return .blocked }
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
    accounts[account].protections.union(groupProtections(of: holder))
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
    let names = accounts.names(of: account)
    var found = SignIn.no
    for source in app.sources where source != .app {
      guard let word = life.words[holder.person]?[source], word.names(names) else { continue }
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
      guard let after = life[holder, account], after.status == .enrolled, !after.isUnchecked, !member.isUnchecked
      else { continue }
      let (now, digest) = (time, snapshot.generation.digest)
      change(account, of: holder) { ($0.checkedInAt, $0.policy) = (now, digest) }
      let isNew = member.policy.map { $0 != digest } ?? false
      tell(.checkedIn, account, of: holder, result: isNew ? .newPolicies : result)
    }
  }

  /// Forgets registrations that were not checked in for too long. No data is touched.
  private mutating func forget(_ holder: AccountHolder, _ snapshot: Snapshot) {
    for account in sortedMembers(of: holder) {
      guard let member = life[holder, account], member.status != .ended,
        max(member.checkedInAt, member.registeredAt) + snapshot.enrollment.forgetAfter <= time
      else { continue }
      forget(account, of: holder)
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
    return next == .max ? nil : next
  }

  /// In an order that does not change between runs.
  func sortedHolders() -> [AccountHolder] {
    life.members.keys.sorted { ($0.person, name(of: $0.app)) < ($1.person, name(of: $1.app)) }
  }

  /// The same of one person.
  func sortedHolders(of person: UInt32) -> [AccountHolder] {
    life.holders(of: person).sorted { name(of: $0.app) < name(of: $1.app) }
  }

  /// In an order that does not change between runs.
  func sortedMembers(of holder: AccountHolder) -> [AccountID] {
    (life.members[holder] ?? [:]).sorted {
      ($0.value.registeredAt, accounts[$0.key].sortName) < ($1.value.registeredAt, accounts[$1.key].sortName)
    }.map(\.key)
  }
}

extension SignInWord {
  /// It says that an account with one of these names, folded, is signed in.
  func names(_ folded: [String]) -> Bool {
    accounts.contains { $0.all.contains { folded.contains(AccountName.fold($0)) } }
  }
}
