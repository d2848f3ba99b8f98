package import GuardModel

/// Registration and enrolment: the calls of apps, and the words of sources (design, accounts, sections 2 to 4).
extension GuardState {
  // MARK: Calls

  /// An app says that somebody signed in (ledger EN-02, EN-03).
  mutating func register(_ name: String?, in id: InstanceID, _ snapshot: Snapshot) throws(Refusal) -> AccountAnswer {
    guard let name, !name.isEmpty else { return AccountAnswer(account: "", state: .unknown, result: .noAccount) }
    let (holder, known) = try account(name, in: id, snapshot)
    guard let account = known else {
      return AccountAnswer(account: name, state: .unmanaged, result: .noPolicy)
    }
    guard isManaged(account, in: id) else {
      let isTaken = takes(account, in: id, snapshot)
      return AccountAnswer(
        account: accounts.displayName(account), state: isTaken ? .unmanaged : .notAllowed,
        result: isTaken ? .notTargeted : .blocked, reason: isTaken ? nil : .accountNotAllowed)
    }
    if let wipe = wipeBook.lock(on: holder, account) {
      // A wipe that only locks, or has begun, is not left by registering again.
      return answer(account, in: id, result: wipe.phase == .locked ? .blocked : .wipeReceived, snapshot)
    }
    if let member = life[holder, account], member.isByApp, member.status != .ended {
      tell(.registeredAgain, account, of: holder, result: .alreadyEnrolled, snapshot)
      return answer(account, in: id, result: .alreadyEnrolled, snapshot)
    }
    try makeRoom(in: holder, for: account, snapshot)
    add(account, to: holder, byApp: true)
    tell(.registered, account, of: holder, snapshot)
    let result = attempt(account, of: holder, snapshot)
    settle(holder, snapshot)
    return answer(account, in: id, result: result, snapshot)
  }

  /// An app ends its access to an account. An account that was only registered is not tried again (ledger DR-01, DR-05).
  mutating func deregister(
    _ name: String, _ data: DataFate, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> AccountAnswer {
    let (holder, known) = try account(name, in: id, snapshot)
    guard let account = known, isManaged(account, in: id) else {
      return AccountAnswer(account: known.map { accounts.displayName($0) } ?? name, state: .unmanaged, result: .noPolicy)
    }
    let member = life[holder, account]
    guard member?.status != .ended else { return answer(account, in: id, result: .notEnrolled, snapshot) }
    if member?.status == .registered, !isFreeOfSources(holder, snapshot) {
      remove(account, from: holder)
    } else {
      if member == nil { try makeRoom(in: holder, for: account, snapshot) }
      if member == nil { add(account, to: holder, byApp: true) }
      change(account, of: holder) { member in
        (member.status, member.enrolledAt, member.result) = (.ended, nil, .unenrolled)
      }
    }
    tell(.deregistered, account, of: holder, result: .unenrolled, snapshot)
    if data == .remove, member?.status == .enrolled || isFreeOfSources(holder, snapshot) {
      removeData(of: account, holder, snapshot)
    }
    settle(holder, snapshot)
    return answer(account, in: id, result: .unenrolled, snapshot)
  }

  /// An app wants its data of the account to be removed: where the policy lets it (ledger DR-03).
  private mutating func removeData(of account: AccountID, _ holder: AccountHolder, _ snapshot: Snapshot) {
    guard snapshot.wipe.destroys(for: .deregister) else {
      var event = AccountEvent(
        act: .wouldWipe, person: holder.person, app: name(of: holder.app), account: accounts.displayName(account),
        state: .suspended)
      event.cause = .deregister
      return life.events.append(event)
    }
    guard wipeBook.lock(on: holder, account) == nil else { return }
    _ = beginWipe(of: account, person: holder.person, app: holder.app, .deregister, snapshot)
  }

  /// May somebody sign in with the account (ledger AA-02)? A refusal is an event (AA-05).
  mutating func maySignIn(_ name: String, in id: InstanceID, _ snapshot: Snapshot) throws(Refusal) -> AccountAnswer {
    guard let instance = instance(id), let app = instance.app.map({ snapshot[$0] }) else { throw .noApp }
    let known = try? account(name, in: id, snapshot).account
    let names = known.map { accounts.names(of: $0) } ?? [AccountName.withoutTenant(name)]
    guard app.accounts.takes(names) else {
      let spelled = known.map { accounts.displayName($0) } ?? name
      life.events.append(
        AccountEvent(
          act: .signInRefused, person: instance.peer.person, app: instance.appName, account: spelled, state: .notAllowed))
      return AccountAnswer(account: spelled, state: .notAllowed, reason: .accountNotAllowed)
    }
    let (_, account) = try account(name, in: id, snapshot)
    guard let account, isManaged(account, in: id) else {
      return AccountAnswer(account: account.map { accounts.displayName($0) } ?? name, state: .unmanaged)
    }
    // Signing in is how an account gets what it still lacks.
    let stated = accounts[account].state
    return AccountAnswer(
      account: accounts.displayName(account), state: state(of: account, in: id, snapshot), reason: stated.blockReason)
  }

  /// A source says who is signed in: these accounts, and no others. The word adds accounts; it lifts no restriction.
  package mutating func signedIn(
    _ names: [SignedInAccount], by source: AccountSource, person: UInt32, _ snapshot: Snapshot
  ) throws(Refusal) {
    guard names.count <= AccountLife.mostSignedIn else {
      throw .limitReached(.accounts, maximum: AccountLife.mostSignedIn)
    }
    for name in names.flatMap(\.all) where name.utf8.count > limits.nameBytes {
      throw .limitReached(.nameBytes, maximum: limits.nameBytes)
    }
    let names = names.map { SignedInAccount(upn: $0.upn, objectID: $0.objectID.map(AccountName.withoutTenant)) }
    let before = life.words[person]?[source]?.accounts ?? []
    life.words[person, default: [:]][source] = SignInWord(accounts: names, time: time)
    if keepsPages {
      life.changedWords.insert(SignInPlace(person: person, source: source))
      hasChanges = true
    }
    tellOfSignIns(before, names, source, person, snapshot)
    for id in liveInstances where instance(id)?.peer.person == person { takeUpSignIns(of: id, snapshot) }
    for holder in life.members.keys where holder.person == person { attemptAll(of: holder, snapshot) }
  }

  /// All accounts of a person's app, by name.
  package func listed(in id: InstanceID, _ snapshot: Snapshot) -> [ListedAccount] {
    guard let instance = instance(id) else { return [] }
    let members = life.members[instance.holder] ?? [:]
    return Set(members.keys).union(shownAccounts(of: id).keys)
      .filter { members[$0] != nil || !instance.protections(of: $0, accounts).isEmpty }
      .map { listed($0, members[$0], in: id, instance, snapshot) }
      .sorted { $0.account < $1.account }
  }

  /// The account that the person's own sign-in names: by the user database first (ledger EN-12).
  package func deviceAccount(of person: UInt32) -> String? {
    for source in [AccountSource.user, .broker] {
      guard let word = life.words[person]?[source], word.accounts.count == 1 else { continue }
      return word.accounts[0].all.first
    }
    return nil
  }

  // MARK: Parts

  /// The account that an app names, known to the policy; nil for a private one. Throws for a name that the policy does
  /// not know, in a domain that it covers.
  private mutating func account(
    _ name: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> (holder: AccountHolder, account: AccountID?) {
    guard name.utf8.count <= limits.nameBytes else {
      throw .limitReached(.nameBytes, maximum: limits.nameBytes)
    }
    guard let instance = instance(id), instance.app != nil else { throw .noApp }
    let name = AccountName.withoutTenant(name)
    guard case .account(let account)? = try? identity(name, in: id, snapshot) else {
      if snapshot.isPrivate(name) { return (instance.holder, nil) }
      _ = try identity(name, in: id, snapshot)
      throw .unknownAccount(name)
    }
    return (instance.holder, account)
  }

  func isManaged(_ account: AccountID, in id: InstanceID) -> Bool {
    instance(id).map { !$0.protections(of: account, accounts).isEmpty } ?? false
  }

  private func takes(_ account: AccountID, in id: InstanceID, _ snapshot: Snapshot) -> Bool {
    let app = instance(id)?.app.map { snapshot[$0].accounts } ?? AppAccounts()
    return app.takes(accounts.names(of: account))
  }

  private func isFreeOfSources(_ holder: AccountHolder, _ snapshot: Snapshot) -> Bool {
    snapshot.app(named: name(of: holder.app)).map { snapshot[$0].accounts.sources.isEmpty } ?? true
  }

  /// Throws when the app has too many accounts. One whose access has ended makes room where that changes nothing.
  mutating func makeRoom(
    in holder: AccountHolder, for account: AccountID, _ snapshot: Snapshot
  ) throws(Refusal) {
    let members = life.members[holder] ?? [:]
    guard members[account] == nil, members.count >= AccountLife.mostMembers else { return }
    let ended = members.filter { $0.value.status == .ended }.min { $0.value.triedAt < $1.value.triedAt }
    guard let ended, !isFreeOfSources(holder, snapshot) else {
      throw .limitReached(.accounts, maximum: AccountLife.mostMembers)
    }
    remove(ended.key, from: holder)
  }

  private func answer(
    _ account: AccountID, in id: InstanceID, result: EnrollmentResult, _ snapshot: Snapshot
  ) -> AccountAnswer {
    AccountAnswer(
      account: accounts.displayName(account), state: state(of: account, in: id, snapshot), result: result,
      reason: instance(id)?.state(of: account, accounts).blockReason)
  }

  private func listed(
    _ account: AccountID, _ member: Membership?, in id: InstanceID, _ instance: Instance, _ snapshot: Snapshot
  ) -> ListedAccount {
    let binding = instance.protections(of: account, accounts)
    var listed = ListedAccount(
      person: instance.peer.person, app: instance.appName, account: accounts.displayName(account),
      state: state(of: account, in: id, snapshot), isManaged: !binding.isEmpty)
    listed.protection = snapshot.first(of: binding) { _ in true }.map { snapshot[$0].name }
    listed.sources = sources(of: account, instance.holder, snapshot)
    if let member { describe(member, instance.holder, in: &listed, snapshot) }
    return listed
  }

  /// The point of an account's life, for an instance of the app.
  func state(of account: AccountID, in id: InstanceID, _ snapshot: Snapshot) -> AccountLifeState {
    guard let instance = instance(id) else { return .unknown }
    if let locked = wipeBook.lock(on: instance.holder, account)?.lifeState { return locked }
    return AccountLifeState(
      instance.state(of: account, accounts), life[instance.holder, account],
      isBound: !instance.protections(of: account, accounts).isEmpty)
  }

  private mutating func tellOfSignIns(
    _ before: [SignedInAccount], _ now: [SignedInAccount], _ source: AccountSource, _ person: UInt32, _ snapshot: Snapshot
  ) {
    let acts: [(AccountEvent.Act, [SignedInAccount])] = [
      (.signedIn, now.filter { !before.contains($0) }), (.signedOut, before.filter { !now.contains($0) }),
    ]
    for (act, names) in acts {
      // A private account is nobody else's business.
      for name in names.compactMap(\.all.first) where !snapshot.isPrivate(name) {
        life.events.append(AccountEvent(act: act, person: person, account: name, source: source))
      }
    }
  }
}

extension AccountLifeState {
  /// The point of an account's life by its standing, for an app that has or had it, or not (nil).
  init(_ standing: AccountState, _ member: Membership?, isBound: Bool) {
    switch standing {
    case .active: self = isBound ? .enrolled : .unmanaged
    case .blocked: self = .blocked
    case .nonCompliant: self = .nonCompliant
    case .wiped: self = .wiped
    case .notAllowed: self = .notAllowed
    case .notChecked: self = .notChecked
    case .locked: self = .locked
    case .policyRequired:
      switch member?.status {
      case .ended: self = .suspended
      case .registered: self = .registered
      case .enrolled, nil: self = .policyRequired
      }
    }
  }
}
