internal import GuardModel

/// The standings of an instance's accounts, ready for decisions: a look-up allocates nothing.
struct AccountStandings: Sendable, Hashable {
  /// False: the accounts' own states say all.
  var count = false
  /// The standing of accounts without an entry: those that a protection binds, and the others.
  var ofManaged = AccountState.active
  var ofOthers = AccountState.active
  var known = KnownStandings()
  /// The finding for the conditions of each protection; empty without conditions.
  var conditions: [ConditionFinding] = []

  /// The standing of an account that these protections bind, by their conditions: the strictest of them.
  func conditionState(of binding: ProtectionSet) -> AccountState {
    var verdict = ConditionVerdict.fine
    guard !conditions.isEmpty else { return verdict.state }
    binding.forEach { index in
      guard Int(index.place) < conditions.count else { return }
      verdict = max(verdict, conditions[Int(index.place)].verdict)
    }
    return verdict.state
  }

  /// The standing of an account without an entry.
  func unnamed(_ binding: ProtectionSet) -> AccountState {
    guard !binding.isEmpty else { return ofOthers }
    return ofManaged == .active ? conditionState(of: binding) : ofManaged
  }
}

/// The standings of the accounts that an instance named, in the order of their numbers: a decision looks twice, and
/// hashing would cost it a twentieth more.
struct KnownStandings: Sendable, Hashable {
  private(set) var accounts: [AccountID] = []
  private var states: [AccountState] = []

  @inline(__always)
  subscript(account: AccountID) -> AccountState? {
    let place = place(of: account)
    return place < accounts.count && accounts[place] == account ? states[place] : nil
  }

  mutating func set(_ account: AccountID, to state: AccountState) {
    let place = place(of: account)
    if place < accounts.count, accounts[place] == account {
      states[place] = state
    } else {
      accounts.insert(account, at: place)
      states.insert(state, at: place)
    }
  }

  /// The place of the account, or the one where it would be.
  private func place(of account: AccountID) -> Int {
    var (low, high) = (0, accounts.count)
    while low < high {
      let middle = (low + high) / 2
      if accounts[middle].index < account.index { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Instance {
  /// Whether the organisation lets the account work in this instance.
  @inline(__always)
  func state(of account: AccountID, _ accounts: AccountTable) -> AccountState {
    let stated = accounts[account].state
    guard standings.count, stated == .active else { return stated }
    return standings.known[account] ?? standings.unnamed(protections(of: account, accounts))
  }

  var holder: AccountHolder { AccountHolder(person: peer.person, app: appNumber) }
}

/// Standings are made anew whenever an account's life, the policy or an instance's names change.
extension GuardState {
  /// An account's standing in an instance, by name: for callers that only want to know.
  func lifeStanding(
    of name: String, in id: InstanceID, _ binding: ProtectionSet, stated: AccountState, _ snapshot: Snapshot
  ) -> AccountState {
    guard let instance = instance(id), instance.standings.count, stated == .active else { return stated }
    guard let app = instance.app.map({ snapshot[$0].accounts }) else { return instance.standings.ofManaged }
    guard let known = accounts.number(ofKnown: name) else {
      guard app.takes(snapshot.names(ofAccount: name)) else { return .notAllowed }
      guard !binding.isEmpty else { return .active }
      guard app.sources.isEmpty else { return .policyRequired }
      let state = checkedInState(snapshot)
      return state == .active ? instance.standings.conditionState(of: binding) : state
    }
    return standing(of: known, life[instance.holder, known], in: instance, app, snapshot)
  }

  /// Makes the standings of an instance anew.
  mutating func refreshStandings(of id: InstanceID, _ snapshot: Snapshot) {
    guard let instance = instance(id), let app = instance.app.map({ snapshot[$0] }) else { return }
    let members = life.members[instance.holder] ?? [:]
    var standings = AccountStandings()
    standings.count =
      !app.accounts.isFree || members.values.contains { $0.status == .ended } || snapshot.hasConditions
      || !instance.wiped.isEmpty || wipeBook.wipes.contains { $0.person == instance.peer.person }
      || snapshot.hasUnlocks || isOffline(snapshot)
    if standings.count {
      standings.conditions = conditionFindings(in: instance, snapshot)
      var judged = instance
      judged.standings.conditions = standings.conditions
      // Accounts that the instance did not name get the strictest standing until it does.
      let isOpen = app.accounts.allowed == nil
      let ofCounted = app.accounts.sources.isEmpty ? checkedInState(snapshot) : .policyRequired
      standings.ofManaged = isOpen ? ofCounted : .notAllowed
      standings.ofOthers = isOpen ? .active : .notAllowed
      let locked = wipeBook.wipes.filter { $0.person == instance.peer.person }.map(\.account)
      for account in judgedAccounts(of: id, instance, members).union(locked).union(instance.wiped) {
        standings.known.set(account, to: standing(of: account, members[account], in: judged, app.accounts, snapshot))
      }
    }
    guard standings != instance.standings else { return }
    // A program that shows an account may be one more that a wipe reaches.
    wipeBook.isStale = true
    instances[id.place]?.standings = standings
    instances[id.place]?.rankMixedWindows(accounts)
  }

  /// The accounts that an instance may ask about. One that it named once stays, unless its number may be another's by now.
  private func judgedAccounts(
    of id: InstanceID, _ instance: Instance, _ members: [AccountID: Membership]
  ) -> Set<AccountID> {
    var judged = instance.names.union(members.keys).union(shownAccounts(of: id).keys)
    judged.formUnion(instance.standings.known.accounts.filter { accounts[$0].isPinned })
    if let refused = instance.refused { judged.insert(refused) }
    // A look that an earlier daemon owes is at an account that no program has named yet.
    judged.formUnion((remediations.queues[instance.holder] ?? []).map(\.account))
    return judged
  }

  /// Notes the standing of an account that the instance names for the first time.
  @inline(__always)
  mutating func noteStanding(of account: AccountID, in id: InstanceID, _ snapshot: Snapshot) {
    guard isLive(id), instances[id.place]?.standings.count ?? false else { return }
    addStanding(of: account, in: id, snapshot)
  }

  private mutating func addStanding(of account: AccountID, in id: InstanceID, _ snapshot: Snapshot) {
    guard let instance = instance(id), instance.standings.known[account] == nil,
      let app = instance.app.map({ snapshot[$0].accounts })
    else { return }
    let standing = standing(of: account, life[instance.holder, account], in: instance, app, snapshot)
    instances[id.place]?.standings.known.set(account, to: standing)
    wipeBook.isStale = true
  }

  /// The account's standing by its life, whatever the policy states.
  private func standing(
    of account: AccountID, _ member: Membership?, in instance: Instance, _ app: AppAccounts, _ snapshot: Snapshot
  ) -> AccountState {
    if let wipe = wipeBook.lock(on: instance.holder, account) { return wipe.phase == .asking ? .wiped : .blocked }
    if instance.wiped.contains(account), member?.status != .enrolled { return .wiped }
    let binding = instance.protections(of: account, accounts)
    let state = memberState(of: account, member, isBound: !binding.isEmpty, app, snapshot)
    guard state == .active else { return state }
    let condition = instance.standings.conditionState(of: binding)
    // A person is not asked to unlock an account that may not work anyway.
    return condition == .active && isLocked(instance.peer.person, binding, snapshot) ? .locked : condition
  }

  /// The same without conditions; `isBound` when a protection binds the account.
  func memberState(
    of account: AccountID, _ member: Membership?, isBound: Bool, _ app: AppAccounts, _ snapshot: Snapshot
  ) -> AccountState {
    guard takes(account, app) else { return .notAllowed }
    guard isBound else { return .active }
    let enrolled = checkedInState(snapshot)
    let registered = app.sources.isEmpty ? enrolled : .policyRequired
    switch member?.status {
    case nil: return registered
    case .ended: return .policyRequired
    case .registered: return member?.isUnchecked == true ? .notChecked : registered
    case .enrolled: return member?.isUnchecked == true ? .notChecked : enrolled
    }
  }

  /// The standing of managed accounts with nothing against them but that the machine was not checked in for too long. Then
  /// all of them are locked, also where nothing is removed: their number keeps wipes from beginning (ledger WP-05).
  private func checkedInState(_ snapshot: Snapshot) -> AccountState { isOffline(snapshot) ? .blocked : .active }

  /// Whether the app takes an account. Names are looked up only for apps that ask for them.
  func takes(_ account: AccountID, _ app: AppAccounts) -> Bool {
    app.allowed == nil || app.takes(accounts.names(of: account))
  }

  /// Makes the standings of all instances of a holder anew.
  mutating func refreshStandings(of holder: AccountHolder, _ snapshot: Snapshot) {
    for id in instances(of: holder) { refreshStandings(of: id, snapshot) }
  }

  /// Makes all standings anew: another policy is in force.
  mutating func refreshStandings(_ snapshot: Snapshot) {
    for id in liveInstances { refreshStandings(of: id, snapshot) }
  }

  /// The ids of all living instances.
  var liveInstances: [InstanceID] {
    instances.indices.compactMap { index in
      instances[index].map { InstanceID(index: Int32(index), serial: $0.serial) }
    }
  }
}
