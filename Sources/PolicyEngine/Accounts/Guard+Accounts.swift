package import GuardModel

/// The life of accounts (design, accounts, sections 1 to 4).
extension Guard {
  /// Carries out a call about an account of the caller's app and person. It does everything or throws and changes
  /// nothing.
  package mutating func perform(
    _ call: AccountCall, for caller: Caller, at time: UInt64
  ) throws(Refusal) -> AccountAnswer {
    note(time)
    let id = caller.instance
    switch call {
    case .register(let account): return try state.register(account, in: id, snapshot)
    case .deregister(let account, let data): return try state.deregister(account, data, in: id, snapshot)
    case .complete(let request, let result):
      if let answer = try state.completeRestart(request, result, in: id) { return answer }
      return try state.completeWipe(request, result, in: id, snapshot)
    case .maySignIn(let account): return try state.maySignIn(account, in: id, snapshot)
    case .remediate(let account, let silent): return try state.remediate(account, silent: silent, in: id, snapshot)
    }
  }

  /// A source says who is signed in: these accounts, and no others.
  package mutating func signedIn(
    _ accounts: [SignedInAccount], by source: AccountSource, person: UInt32, at time: UInt64
  ) throws(Refusal) {
    note(time)
    try state.signedIn(accounts, by: source, person: person, snapshot)
  }

  /// Carries out the work that is due at this time: attempts, check-ins, and the forgetting of accounts.
  ///
  /// - Returns: whether anything was due. If nothing was, it costs one comparison.
  @discardableResult
  package mutating func tick(at time: UInt64) -> Bool {
    note(time)
    guard isDue(at: time) else { return false }
    state.tickLife(snapshot)
    if state.book.due <= state.time { state.judgeConditions(snapshot) }
    return true
  }

  /// The persons of whose accounts something is due; nil when conditions are, which are about all persons.
  package func personsDue(at time: UInt64) -> Set<UInt32>? {
    let time = max(time, state.time)
    return state.book.due <= time ? nil : state.life.personsDue(at: time)
  }

  /// Whether `setFacts` with these facts would change a condition. It judges a copy: no account is looked at.
  package func changesConditions(_ facts: [String: Fact], at time: UInt64) -> Bool {
    var trial = state.book
    (trial.facts, trial.hasFacts) = (facts, true)
    return trial.judge(snapshot, at: max(time, state.time)) || !trial.takeEvents().isEmpty
  }

  /// The facts about the machine as they are now.
  package mutating func setFacts(_ facts: [String: Fact], at time: UInt64) {
    note(time)
    state.setFacts(facts, snapshot)
  }

  /// Notes the versions that a program told when it attached first; later words are ignored.
  package mutating func setVersions(_ version: String?, client: String?, of id: InstanceID) {
    guard let instance = state.instance(id), instance.version == nil, instance.clientVersion == nil else { return }
    // One that is longer than any name is no version.
    func short(_ text: String?) -> String? { text.flatMap { $0.utf8.count <= state.limits.nameBytes ? $0 : nil } }
    state.setVersions(short(version), short(client), of: id, snapshot)
  }

  /// Notes of which configuration a program's static rules were exported, and asks it to start anew where that is needed.
  ///
  ///     engine.setRules("9f2c…", of: instance, at: now)    // another digest than the one in force: it is asked
  ///
  /// - Parameter digest: as `webviewguard export` writes it; nil for a program without such rules. A text that is no
  ///   digest is that of no policy in force.
  package mutating func setRules(_ digest: String?, of id: InstanceID, at time: UInt64) {
    note(time)
    // One that is longer than any digest is none.
    state.setRules(digest.map { $0.utf8.count <= 64 ? $0 : "" }, of: id, snapshot)
  }

  /// Carries out what time brought about for programs that were asked to start anew.
  package mutating func expireRestarts(at time: UInt64) -> Bool {
    note(time)
    return state.expireRestarts()
  }

  /// Bytes that a call would add, where it names an account that its program has not named before.
  package func growth(by call: AccountCall, of caller: Caller) -> Int {
    let name: String? =
      switch call {
      case .register(let name): name
      case .deregister(let name, _), .maySignIn(let name), .remediate(let name, _): name
      case .complete: nil
      }
    guard let name, state.knowsAccount(name, snapshot) else { return 0 }
    return state.growth(byNaming: [name], in: caller.instance, snapshot)
  }

  /// Whether `tick` has something to do.
  package func isDue(at time: UInt64) -> Bool {
    min(state.life.due.next, state.book.due) <= max(time, state.time)
  }

  /// Looks at every account that `restore` brought back: another policy may be in force than when it was kept.
  package mutating func takeUpAccounts(at time: UInt64) {
    note(time)
    state.attemptAll(snapshot)
  }

  /// The policy in force was fetched and checked: every account is checked in.
  package mutating func checkIn(at time: UInt64) {
    note(time)
    // Kept at once: a daemon that is killed now must not take the machine for one that was never checked in.
    (state.wipeBook.offline, state.wipeBook.isChanged) = (0, true)
    if state.keepsPages { state.hasChanges = true }
    state.isCheckedInSinceBoot = true
    state.judgeWipes(snapshot)
    state.checkInAll(snapshot)
  }

  /// The accounts of the caller's app and person, by name.
  package func accounts(for caller: Caller) -> [ListedAccount] { state.listed(in: caller.instance, snapshot) }

  /// The accounts that the caller's app takes, nil for all, and those that it shows and has to sign out.
  package func allowedAccounts(for caller: Caller) -> (accounts: [String]?, mustSignOut: [String]) {
    guard let instance = state.instance(caller.instance), let app = instance.app else { return ([], []) }
    let shown = state.shownAccounts(of: caller.instance).filter { $0.value == .notAllowed }.keys
    let members = state.listed(in: caller.instance, snapshot).filter { $0.state == .notAllowed }.map(\.account)
    return (
      snapshot[app].accounts.allowed, Set(shown.map { state.accounts.displayName($0) } + members).sorted()
    )
  }
}
