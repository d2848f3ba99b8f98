package import GuardModel

/// Wipes, as administrators begin and end them (design, accounts, section 6).
extension Guard {
  /// Lets time pass for wipes.
  ///
  /// - Returns: whether something happened.
  package mutating func run(_ running: RunningTime, at time: UInt64) -> Bool {
    pass(running, at: time) && runWipes(running)
  }

  /// Counts running time: the first half of `run`. It costs as many steps as there are wipes, however many accounts.
  ///
  /// - Returns: whether some wipe has something to do. Only then `runWipes` has to be called.
  package mutating func pass(_ running: RunningTime, at time: UInt64) -> Bool {
    guard !state.wipeBook.isIdle || snapshot.wipe.offlineAfter != nil else { return false }
    note(time)
    state.pass(running, snapshot)
    return state.hasDueWipes(running, snapshot)
  }

  /// Carries out what is due for wipes, after `pass`.
  ///
  /// - Returns: whether something happened.
  package mutating func runWipes(_ running: RunningTime) -> Bool { state.runWipes(running, snapshot) }

  /// An administrator says how many accounts the policy in force is to wipe: exactly as many begin, or none.
  package mutating func allowWipes(_ number: Int, at time: UInt64) {
    note(time)
    state.judgeWipes(snapshot, allowing: number)
  }

  /// The apps that a wipe would reach, and the names of the account: for a preview. Changes nothing.
  package func wipeReach(
    of account: String, person: UInt32, app: String?
  ) throws(AccountRefusal) -> (account: String, names: [String], apps: [String]) {
    guard let id = state.accounts.number(ofKnown: AccountName.withoutTenant(account)) else { throw .unknownAccount }
    let apps = state.apps(of: id, person: person).map { state.name(of: $0) }.filter { app == nil || app == $0 }.sorted()
    guard !apps.isEmpty else { throw .unknownAccount }
    return (state.accounts.displayName(id), state.accounts.names(of: id), apps)
  }

  /// An administrator wipes an account of a person.
  ///
  /// - Parameter approver: the administrator's login user, who agrees by this; nil when none is known.
  package mutating func wipe(
    _ account: String, person: UInt32, app: String?, reason: String, now: Bool, approver: UInt32?, at time: UInt64
  ) throws(AccountRefusal) -> ListedWipe {
    note(time)
    _ = try wipeReach(of: account, person: person, app: app)
    guard let id = state.accounts.number(ofKnown: AccountName.withoutTenant(account)) else { throw .unknownAccount }
    let number = app.map { state.number(ofApp: $0) }
    let known = state.wipeBook.wipes.firstIndex { $0.person == person && $0.account == id && $0.app == number }
    guard known.map({ state.mayBeOrdered(state.wipeBook.wipes[$0], snapshot) }) ?? true else { throw .underWay }
    guard state.wipeBook.hasRoom(for: .admin, of: person) else { throw .wipePending }
    if let known {
      state.takeUp(known, reason: reason, now: now, approver: approver, snapshot)
      return state.listed(state.wipeBook.wipes[known], snapshot)
    }
    let wipe = state.beginWipe(
      of: id, person: person, app: number, .admin, reason: reason, now: now, approver: approver, snapshot)
    state.lockGivenNames(snapshot)
    return state.listed(state.wipeBook.wipes.first { $0.id == wipe.id } ?? wipe, snapshot)
  }

  /// Another administrator agrees.
  package mutating func approveWipe(_ request: String, by login: UInt32) throws(AccountRefusal) -> ListedWipe {
    guard let index = state.wipeBook.wipes.firstIndex(where: { $0.id == request }) else { throw .noWipe }
    guard state.wipeBook.wipes[index].phase != .asking else { throw .tooLate }
    guard !state.wipeBook.wipes[index].approvals.contains(login) else { throw .sameApprover }
    state.wipeBook.wipes[index].approvals.append(login)
    state.note(state.wipeBook.wipes[index], .wipeApproved, snapshot)
    return state.listed(state.wipeBook.wipes[index], snapshot)
  }

  /// An administrator takes a wipe back, before anything was destroyed. The account is enrolled again at its next
  /// attempt.
  package mutating func restore(
    _ account: String, person: UInt32, reason: String, at time: UInt64
  ) throws(AccountRefusal) {
    note(time)
    guard let id = state.accounts.number(ofKnown: AccountName.withoutTenant(account)) else { throw .unknownAccount }
    let found = state.wipeBook.wipes.filter { $0.person == person && $0.account == id }
    guard !found.isEmpty else { throw .noWipe }
    let open = found.filter { $0.phase != .asking }
    guard !open.isEmpty else { throw .tooLate }
    for wipe in open { state.end(wipe, .wipeRestored, note: reason, snapshot) }
  }

  /// All names of an account, in lower case; nil for a name that nobody has used.
  package func names(ofAccount name: String) -> [String]? {
    state.accounts.number(ofKnown: AccountName.withoutTenant(name)).map { state.accounts.names(of: $0) }
  }

  /// All wipes, the oldest first.
  package var wipes: [ListedWipe] { state.wipeBook.wipes.map { state.listed($0, snapshot) } }
}

extension GuardState {
  /// The apps of a person that have the account, had it, or showed it.
  func apps(of account: AccountID, person: UInt32) -> Set<AppNumber> {
    var found = Set(life.holders(of: person).filter { life[$0, account] != nil }.map(\.app))
    for id in instances(ofPerson: person) {
      guard let instance = instance(id), instance.names.contains(account) || shows(account, instance) else { continue }
      found.insert(instance.appNumber)
    }
    return found
  }

  func listed(_ wipe: Wipe, _ snapshot: Snapshot) -> ListedWipe {
    ListedWipe(
      id: wipe.id, person: wipe.person, app: wipe.app.map { name(of: $0) },
      account: accounts.displayName(wipe.account), cause: wipe.cause, phase: wipe.phase, beganAt: wipe.beganAt,
      remaining: wipe.phase == .pending ? wipe.delay - min(wipe.ran, wipe.delay) : nil, approvals: wipe.approvals.count,
      neededApprovals: wipe.needed(snapshot.wipe.approvals),
      apps: wipe.parts.map { ListedWipe.Part(app: name(of: $0.key), step: $0.value.step) }.sorted { $0.app < $1.app })
  }
}
