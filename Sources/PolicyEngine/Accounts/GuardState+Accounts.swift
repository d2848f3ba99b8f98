package import GuardModel

/// Registration and enrolment: the calls of apps, and the words of sources (design, accounts, sections 2 to 4).
extension GuardState {
  // MARK: Calls

  /// An app says that somebody signed in (ledger EN-02, EN-03).
  mutating func register(_ name: String?, in id: InstanceID, _ snapshot: Snapshot) throws(Refusal) -> AccountAnswer {
    guard let name, !name.isEmpty else { return AccountAnswer(account: "", state: .unknown, result: .noAccount) }
    let (holder, known) = try account(name, in: id, snapshot)
    guard let account = known, isManaged(account, in: id) else {
      let spelled = known.map { accounts.displayName($0) } ?? name
      guard known.map({ takes($0, in: id, snapshot) }) ?? takes(private: name, in: id, snapshot) else {
        return AccountAnswer(account: spelled, state: .notAllowed, result: .blocked, reason: .accountNotAllowed)
      }
      return AccountAnswer(account: spelled, state: .unmanaged, result: known == nil ? .noPolicy : .notTargeted)
    }
    if let wipe = wipeBook.lock(on: holder, account) {
      // A wipe that only locks, or has begun, is not left by registering again.
      return answer(account, in: id, result: wipe.phase == .locked ? .blocked : .wipeReceived, snapshot)
    }
    if let member = life[holder, account], member.isByApp, member.status != .ended {
      tell(.registeredAgain, account, of: holder, result: .alreadyEnrolled)
      return answer(account, in: id, result: .alreadyEnrolled, snapshot)
    }
    guard makeRoom(in: holder, for: account, snapshot) else {
      throw .limitReached(.accounts, maximum: AccountLife.mostMembers)
    }
    add(account, to: holder, byApp: true)
    tell(.registered, account, of: holder)
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
      return AccountAnswer(
        account: known.map { accounts.displayName($0) } ?? name, state: .unmanaged, result: .noPolicy)
    }
    let member = life[holder, account]
    // Without sources an account counts as enrolled before anybody registers it.
    guard member?.status != .ended, member != nil || isFreeOfSources(holder, snapshot) else {
      return answer(account, in: id, result: .notEnrolled, snapshot)
    }
    guard makeRoom(in: holder, for: account, snapshot), data == .keep || mayAskForWipe(holder) else {
      throw .limitReached(.accounts, maximum: AccountLife.mostMembers)
    }
    if member == nil { add(account, to: holder, byApp: true) }
    change(account, of: holder) { member in
      (member.status, member.result) = (.ended, .unenrolled)
      (member.isByApp, member.isUnchecked) = (false, false)
    }
    tell(.deregistered, account, of: holder, result: .unenrolled)
    if data == .remove, member?.status == .enrolled || isFreeOfSources(holder, snapshot) {
      removeData(of: account, holder, snapshot)
    }
    settle(holder, snapshot)
    return answer(account, in: id, result: .unenrolled, snapshot)
  }

  /// Each wipe is kept and looked at: an app that invents accounts gives up no more of them than it may have.
  private func mayAskForWipe(_ holder: AccountHolder) -> Bool {
    wipeBook.wipes.count { $0.person == holder.person && $0.app == holder.app } < AccountLife.mostMembers
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
    try checkLength(of: name)
    let known = try? account(name, in: id, snapshot).account
    guard known.map({ takes($0, app.accounts) }) ?? takes(private: name, in: id, snapshot) else {
      let spelled = known.map { accounts.displayName($0) } ?? name
      life.events.append(
        AccountEvent(
          act: .signInRefused, person: instance.peer.person, app: instance.appName, account: spelled, state: .notAllowed
        ))
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
    for name in names.flatMap(\.all) { try checkLength(of: name) }
    let names = names.map { SignedInAccount(upn: $0.upn, objectID: $0.objectID.map(AccountName.withoutTenant)) }
    let before = life.words[person]?[source]?.accounts ?? []
    // Which accounts a group binds is known only while a program of the person runs.
    let hasGroups = snapshot.protections.contains { !$0.groups.isEmpty }
    life.words[person, default: [:]][source] = SignInWord(
      accounts: names, time: time, covered: names.filter { hasGroups || covers($0, of: person, snapshot) })
    if keepsPages {
      life.changedWords.insert(SignInPlace(person: person, source: source))
      hasChanges = true
    }
    tellOfSignIns(before, names, source, person, snapshot)
    for id in instances(ofPerson: person) { takeUpSignIns(of: id, snapshot) }
    for holder in sortedHolders(of: person) { attemptAll(of: holder, snapshot) }
  }

  /// An account that the policy covers: the rest of a word is private, and nobody keeps it.
  private func covers(_ names: SignedInAccount, of person: UInt32, _ snapshot: Snapshot) -> Bool {
    names.all.contains { !snapshot.isPrivate($0) }
      || instances(ofPerson: person).contains { instances[$0.place]?.groupProtections.isEmpty == false }
  }

  /// All accounts of a person's app, by name.
  package func listed(in id: InstanceID, _ snapshot: Snapshot) -> [ListedAccount] {
    guard let instance = instance(id) else { return [] }
    let members = life.members[instance.holder] ?? [:]
    return Set(members.keys).union(shownAccounts(of: id).keys)
      .union(remediations.queues[instance.holder]?.map(\.account) ?? [])
      .filter { members[$0] != nil || !instance.protections(of: $0, accounts).isEmpty }
      .map { listed($0, members[$0], in: id, instance, snapshot) }
      .sorted { $0.account < $1.account }
  }

  /// The account that the person's own sign-in names: by the user database first (ledger EN-12).
  ///
  /// Nil when the source names none that the policy covers, or several, or has been silent for too long.
  package func deviceAccount(of person: UInt32, _ snapshot: Snapshot) -> String? {
    for source in [AccountSource.user, .broker] {
      guard let word = life.words[person]?[source], word.covered.count == 1,
        word.time + snapshot.enrollment.signInHolds > time
      else { continue }
      return word.covered[0].all.first
    }
    return nil
  }

  // MARK: Parts

  /// The account that an app names, known to the policy; nil for a private one. Throws for a name that the policy does
  /// not know, in a domain that it covers.
  mutating func account(
    _ name: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> (holder: AccountHolder, account: AccountID?) {
    try checkLength(of: name)
    guard let instance = instance(id), instance.app != nil else { throw .noApp }
    let name = AccountName.withoutTenant(name)
    // A name that only another person made known is not known here.
    let isKnown =
      !instance.groupProtections.isEmpty || knowsAccount(name, snapshot)
      || accounts.number(ofKnown: name).map { life[instance.holder, $0] != nil || accounts[$0].isKnown } ?? false
    guard isKnown, !name.isEmpty else {
      if snapshot.isPrivate(name) { return (instance.holder, nil) }
      throw .unknownAccount(name)
    }
    guard case .account(let account) = try identity(name, in: id, snapshot) else { throw .unknownAccount(name) }
    return (instance.holder, account)
  }

  private func checkLength(of name: String) throws(Refusal) {
    guard name.utf8.count <= limits.nameBytes else {
      throw .limitReached(.nameBytes, maximum: limits.nameBytes)
    }
  }

  func isManaged(_ account: AccountID, in id: InstanceID) -> Bool {
    instance(id).map { !$0.protections(of: account, accounts).isEmpty } ?? false
  }

  private func takes(_ account: AccountID, in id: InstanceID, _ snapshot: Snapshot) -> Bool {
    takes(account, instance(id)?.app.map { snapshot[$0].accounts } ?? AppAccounts())
  }

  /// Whether the app takes an account that the policy does not know.
  private func takes(private name: String, in id: InstanceID, _ snapshot: Snapshot) -> Bool {
    let app = instance(id)?.app.map { snapshot[$0].accounts } ?? AppAccounts()
    return app.takes([AccountName.withoutTenant(name)])
  }

  func isFreeOfSources(_ holder: AccountHolder, _ snapshot: Snapshot) -> Bool {
    snapshot.app(named: name(of: holder.app)).map { snapshot[$0].accounts.sources.isEmpty } ?? true
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
    listed.encryption = snapshot.fileEncryption(of: binding)
    addFacts(of: account, member, instance.holder, to: &listed, snapshot)
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
    _ before: [SignedInAccount], _ now: [SignedInAccount], _ source: AccountSource, _ person: UInt32,
    _ snapshot: Snapshot
  ) {
    // An account that one of its names still names is the same.
    let (left, came) = (Set(before.flatMap(\.foldedNames)), Set(now.flatMap(\.foldedNames)))
    let acts: [(AccountEvent.Act, [SignedInAccount])] = [
      (.signedIn, now.filter { left.isDisjoint(with: $0.foldedNames) }),
      (.signedOut, before.filter { came.isDisjoint(with: $0.foldedNames) }),
    ]
    for (act, names) in acts {
      // A private account is nobody else's business.
      for names in names where covers(names, of: person, snapshot) {
        life.events.append(AccountEvent(act: act, person: person, account: names.all[0], source: source))
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

extension SignedInAccount {
  /// To compare with: in lower case.
  fileprivate var foldedNames: [String] { all.map(AccountName.fold) }
}
