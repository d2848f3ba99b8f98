package import GuardModel

/// Administrators see the accounts of all persons and apps, and end an app's access. No app has to run for it.
extension Guard {
  /// The accounts that apps have or had, and those that running apps show; by person, app and name.
  ///
  ///     engine.accounts(person: 1000).map(\.account)    // ["work@contoso.com"]
  ///
  /// - Parameters:
  ///   - app: nil for all apps.
  ///   - person: nil for all persons.
  ///   - account: one name of an account, in any case; nil for all.
  package func accounts(
    app: String? = nil, person: UInt32? = nil, account: String? = nil
  ) -> [ListedAccount] {
    var wanted: AccountID?
    if let account {
      wanted = state.accounts.number(ofKnown: AccountName.withoutTenant(account))
      guard wanted != nil else { return [] }
    }
    return state.holdings(app: app, person: person).flatMap { holding in
      state.accounts(in: holding).filter { wanted == nil || $0 == wanted }
        .map { state.listed($0, in: holding, snapshot) }
    }.sorted { ($0.person, $0.app, $0.account) < ($1.person, $1.app, $1.account) }
  }

  /// The number of accounts in each state, of those that `accounts` lists.
  package var accountCounts: [AccountLifeState: Int] {
    var counts: [AccountLifeState: Int] = [:]
    for holding in state.holdings() {
      for account in state.accounts(in: holding) {
        counts[state.lifeState(of: account, holding, snapshot), default: 0] += 1
      }
    }
    return counts
  }

  /// The latest words of the sources that speak of persons, without private accounts.
  package func signIns(of person: UInt32? = nil) -> [ListedSignIn] {
    state.life.words.filter { person == nil || $0.key == person }.flatMap { entry in
      entry.value.map { source, word in
        ListedSignIn(
          person: entry.key, source: source,
          accounts: word.accounts.compactMap(\.all.first).filter { !snapshot.isPrivate($0) }.sorted(),
          time: word.time, until: word.time + snapshot.enrollment.signInHolds)
      }
    }.sorted { ($0.person, $0.source.rawValue) < ($1.person, $1.source.rawValue) }
  }

  /// Ends an app's access to an account of a person, as `Deregister` of the app itself does, also while the app does not
  /// run. The account is suspended until the app registers it again; a source's word alone does not bring it back.
  package mutating func endAccess(
    of app: String, to account: String, person: UInt32, at time: UInt64
  ) throws(AccountRefusal) -> AccountAnswer {
    note(time)
    return try state.endAccess(of: app, to: account, person: person, snapshot)
  }
}

/// An app of a person, with its running instances: found once for all its accounts.
struct Holding {
  let holder: AccountHolder
  var instances: [InstanceID] = []
  /// The protections that bind every account of the person, by the groups of the instances.
  var groupProtections = ProtectionSet()

  init(_ holder: AccountHolder) { self.holder = holder }
}

extension GuardState {
  /// The apps of persons that have accounts or run.
  func holdings(app: String? = nil, person: UInt32? = nil) -> [Holding] {
    func isWanted(_ holder: AccountHolder) -> Bool {
      (person == nil || holder.person == person) && (app == nil || name(of: holder.app) == app)
    }
    var found: [AccountHolder: Holding] = [:]
    let holders = person.map { life.holders(of: $0) } ?? Array(life.members.keys)
    for holder in holders where isWanted(holder) { found[holder] = Holding(holder) }
    for id in person.map({ instances(ofPerson: $0) }) ?? liveInstances {
      guard let instance = instance(id), isWanted(instance.holder) else { continue }
      found[instance.holder, default: Holding(instance.holder)].add(id, instance)
    }
    return Array(found.values)
  }

  private func holding(of holder: AccountHolder) -> Holding {
    var found = Holding(holder)
    for id in instances(of: holder) {
      if let instance = instance(id) { found.add(id, instance) }
    }
    return found
  }

  /// The accounts that the app has or had or looked at, and the managed ones that its instances show.
  func accounts(in holding: Holding) -> Set<AccountID> {
    var found = Set((life.members[holding.holder] ?? [:]).keys)
    found.formUnion(remediations.queues[holding.holder]?.map(\.account) ?? [])
    for id in holding.instances { found.formUnion(shownAccounts(of: id).keys.filter { isManaged($0, in: id) }) }
    return found
  }

  /// A protection binds the account, or may bind it: the groups of a person are known only while the app runs.
  private func isBound(_ account: AccountID, _ holding: Holding, _ snapshot: Snapshot) -> Bool {
    if !accounts[account].protections.union(holding.groupProtections).isEmpty { return true }
    guard holding.instances.isEmpty, life[holding.holder, account] != nil else { return false }
    return snapshot.protections.contains { !$0.groups.isEmpty }
  }

  /// Whether the organisation lets the account work in the app; nil for an app that left the policy.
  func standing(of account: AccountID, _ holding: Holding, _ snapshot: Snapshot) -> AccountState? {
    guard let app = snapshot.app(named: name(of: holding.holder.app)) else { return nil }
    let stated = accounts[account].state
    guard stated == .active else { return stated }
    let state = memberState(
      of: account, life[holding.holder, account], isBound: isBound(account, holding, snapshot), snapshot[app].accounts,
      snapshot)
    return state == .active ? conditionState(of: account, holding, snapshot) : state
  }

  /// While the app does not run, only the machine's conditions and its person's unlocking are known.
  private func conditionState(of account: AccountID, _ holding: Holding, _ snapshot: Snapshot) -> AccountState {
    let binding = accounts[account].protections.union(holding.groupProtections)
    let running = holding.instances.compactMap { instance($0) }
      .map { $0.standings.conditionState(of: $0.protections(of: account, accounts)) }
    let state = running.isEmpty ? book.verdict(of: binding).state : running.first { $0 != .active } ?? .active
    return state == .active && isLocked(holding.holder.person, binding, snapshot) ? .locked : state
  }

  fileprivate func lifeState(of account: AccountID, _ holding: Holding, _ snapshot: Snapshot) -> AccountLifeState {
    if let locked = wipeBook.lock(on: holding.holder, account)?.lifeState { return locked }
    guard let standing = standing(of: account, holding, snapshot) else { return .unknown }
    return AccountLifeState(
      standing, life[holding.holder, account], isBound: isBound(account, holding, snapshot))
  }

  fileprivate func listed(_ account: AccountID, in holding: Holding, _ snapshot: Snapshot) -> ListedAccount {
    let holder = holding.holder
    var listed = ListedAccount(
      person: holder.person, app: name(of: holder.app), account: accounts.displayName(account),
      state: lifeState(of: account, holding, snapshot), isManaged: isBound(account, holding, snapshot))
    let binding = accounts[account].protections.union(holding.groupProtections)
    listed.protection = snapshot.first(of: binding) { _ in true }.map { snapshot[$0].name }
    listed.encryption = snapshot.fileEncryption(of: binding)
    listed.reason = standing(of: account, holding, snapshot)?.blockReason
    listed.instances = holding.instances.count
    addFacts(of: account, life[holder, account], holder, to: &listed, snapshot)
    return listed
  }

  /// Adds to an account of a list what the app's list and the administrator's both say: its sources, its registration and
  /// the latest look at it.
  func addFacts(
    of account: AccountID, _ member: Membership?, _ holder: AccountHolder, to listed: inout ListedAccount,
    _ snapshot: Snapshot
  ) {
    listed.sources = sources(of: account, holder, snapshot)
    if let look = remediations.latest(account, of: holder) {
      (listed.remediation, listed.compliance) = (look.isOpen ? look.request : nil, look.status)
    }
    guard let member else { return }
    (listed.result, listed.registeredAt) = (member.result, member.registeredAt)
    if member.status == .enrolled { listed.enrolledAt = member.enrolledAt }
    listed.triedAt = member.triedAt
    if member.status == .enrolled { listed.checkedInAt = member.checkedInAt }
    if member.status != .ended {
      listed.forgottenAt = max(member.checkedInAt, member.registeredAt) + snapshot.enrollment.forgetAfter
    }
    if member.status == .registered, isTried(holder, snapshot) {
      listed.retryAt = member.triedAt + snapshot.enrollment.retry
    }
  }

  fileprivate mutating func endAccess(
    of app: String, to name: String, person: UInt32, _ snapshot: Snapshot
  ) throws(AccountRefusal) -> AccountAnswer {
    guard snapshot.app(named: app) != nil || life.members.keys.contains(where: { self.name(of: $0.app) == app }) else {
      throw .unknownApp
    }
    let holder = AccountHolder(person: person, app: number(ofApp: app))
    let account = try account(named: name, in: holding(of: holder), snapshot)
    guard life[holder, account]?.status != .ended else { throw .ended }
    if life[holder, account] == nil {
      guard makeRoom(in: holder, for: account, snapshot) else { throw .tooMany }
      add(account, to: holder, byApp: false)
    }
    change(account, of: holder) { member in
      (member.status, member.result) = (.ended, .unenrolled)
      (member.isByApp, member.isUnchecked) = (false, false)
    }
    tell(.deregistered, account, of: holder, result: .unenrolled)
    settle(holder, snapshot)
    let holding = holding(of: holder)
    return AccountAnswer(
      account: accounts.displayName(account), state: lifeState(of: account, holding, snapshot), result: .unenrolled,
      reason: standing(of: account, holding, snapshot)?.blockReason)
  }

  /// An account that the app of this person has or shows, or that the policy names. A name that only a pattern takes may
  /// be a typing error.
  private mutating func account(
    named name: String, in holding: Holding, _ snapshot: Snapshot
  ) throws(AccountRefusal) -> AccountID {
    let name = AccountName.withoutTenant(name)
    if let known = accounts.number(ofKnown: name), accounts(in: holding).contains(known) { return known }
    guard let entry = snapshot.accounts.entry(named: AccountName.fold(name)) else { throw .unknownAccount }
    guard !snapshot.protections(of: snapshot.accounts.entries[entry]).isEmpty else { throw .unmanaged }
    return accounts.number(of: name, snapshot)
  }
}

extension Holding {
  mutating func add(_ id: InstanceID, _ instance: Instance) {
    instances.append(id)
    groupProtections = groupProtections.union(instance.groupProtections)
  }
}
