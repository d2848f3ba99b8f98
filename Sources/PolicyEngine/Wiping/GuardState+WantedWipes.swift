internal import GuardModel

/// An account of a person, in whichever apps.
struct PersonAccount: Hashable {
  let person: UInt32
  let account: AccountID

  init(_ person: UInt32, _ account: AccountID) { (self.person, self.account) = (person, account) }
}

/// An account that the machine itself would wipe.
struct WantedWipe: Hashable {
  let person: UInt32
  let account: AccountID
  let cause: WipeCause

  init(person: UInt32, account: AccountID, cause: WipeCause) {
    (self.person, self.account, self.cause) = (person, account, cause)
  }

  init(_ wipe: Wipe) { self.init(person: wipe.person, account: wipe.account, cause: wipe.cause) }
}

/// Grounds for wipes, looked up once for all persons.
struct WipeGrounds {
  var isOffline: Bool
  /// The conditions of some protection want wipes.
  var hasWipingConditions: Bool
  /// Since when the policy marks accounts as wiped, by exact id.
  var marked: [AccountID: UInt64] = [:]
  /// The accounts that the policy calls non-compliant, where that wipes.
  var nonCompliant: Set<AccountID> = []

  /// No account is wanted.
  var isEmpty: Bool { !isOffline && !hasWipingConditions && marked.isEmpty && nonCompliant.isEmpty }
}

/// The accounts that the policy, a condition or time wants to be wiped, of persons who have them. Exact ids only: a
/// pattern never wipes.
///
/// The trap: this runs on the event loop. With no ground it walks through no account, and otherwise once through all.
extension GuardState {
  /// Each account with one cause, the first by name: in the order of persons and names.
  func wantedWipes(_ grounds: WipeGrounds, _ snapshot: Snapshot) -> [WantedWipe] {
    guard !grounds.isEmpty else { return [] }
    var causes: [PersonAccount: WipeCause] = [:]
    func want(_ account: AccountID, _ cause: WipeCause?, _ person: UInt32) {
      let place = PersonAccount(person, account)
      guard let cause else { return }
      causes[place] = causes[place].map { $0.rawValue < cause.rawValue ? $0 : cause } ?? cause
    }
    for (holder, members) in life.members {
      for (account, member) in members {
        want(account, cause(for: account, member, holder, grounds), holder.person)
      }
    }
    for (place, instance) in instances.enumerated() {
      guard let instance, instance.app.map({ snapshot[$0].accounts.sources.isEmpty }) ?? false else { continue }
      let id = InstanceID(index: Int32(place), serial: instance.serial)
      for account in countedAccounts(of: id, instance) {
        want(account, cause(for: account, nil, instance.holder, grounds), instance.holder.person)
      }
    }
    return causes.map { (key: ($0.person, accounts[$0.account].sortName), place: $0, cause: $1) }
      .sorted { $0.key < $1.key }
      .map { WantedWipe(person: $0.place.person, account: $0.place.account, cause: $0.cause) }
  }

  /// Whether what brought a wipe about is still so. The word of a program, or of a source, is no end of it: the account's
  /// data stays its data, also when nobody has it enrolled any more.
  func holds(_ wipe: Wipe, _ grounds: WipeGrounds) -> Bool {
    func isOfSome(_ body: (AccountHolder) -> Bool) -> Bool {
      wipe.parts.keys.contains { body(AccountHolder(person: wipe.person, app: $0)) }
    }
    switch wipe.cause {
    case .admin, .deregister: return true
    case .offlineGrace: return grounds.isOffline
    case .nonCompliant: return grounds.nonCompliant.contains(wipe.account)
    case .conditionalLaunch:
      return grounds.hasWipingConditions && isOfSome { conditionVerdict(of: wipe.account, $0) == .wipe }
    case .marker:
      guard let since = grounds.marked[wipe.account] else { return false }
      return isOfSome { life[$0, wipe.account]?.enrolledAt.map { $0 <= since } ?? true }
    }
  }

  /// The accounts that count as enrolled in an app that registers nobody: a protection binds them, and the program shows or
  /// showed them.
  private func countedAccounts(of id: InstanceID, _ instance: Instance) -> [AccountID] {
    instance.names.union(shownAccounts(of: id).keys)
      .filter { life[instance.holder, $0] == nil && isManaged($0, in: id) }
  }

  /// The grounds for wipes of all accounts to whom the policy gives a state.
  func wipeGrounds(_ snapshot: Snapshot) -> WipeGrounds { grounds(among: statedAccounts(snapshot), snapshot) }

  /// The grounds for a wipe of one account.
  func wipeGrounds(of account: AccountID, _ snapshot: Snapshot) -> WipeGrounds { grounds(among: [account], snapshot) }

  private func grounds(among stated: some Sequence<AccountID>, _ snapshot: Snapshot) -> WipeGrounds {
    var grounds = WipeGrounds(isOffline: isOffline(snapshot), hasWipingConditions: book.wipes)
    let wipesNonCompliant = snapshot.wipe.causes.contains(.nonCompliant)
    for account in stated {
      if let since = accounts.markedSince(account, snapshot) { grounds.marked[account] = since }
      if wipesNonCompliant, accounts[account].state == .nonCompliant { grounds.nonCompliant.insert(account) }
    }
    return grounds
  }

  /// The accounts to whom the policy gives a state that may wipe, as far as somebody named them.
  private func statedAccounts(_ snapshot: Snapshot) -> Set<AccountID> {
    let entries = snapshot.accounts.entries.lazy.filter { $0.state == .wiped || $0.state == .nonCompliant }
    return Set(entries.flatMap(\.foldedNames).compactMap { accounts.number(ofKnown: $0) })
  }

  /// - Parameter member: nil for an account that counts as enrolled without having been registered. Nobody knows since
  ///   when, so a mark spares it.
  private func cause(
    for account: AccountID, _ member: Membership?, _ holder: AccountHolder, _ grounds: WipeGrounds
  ) -> WipeCause? {
    var found: WipeCause?
    func want(_ cause: WipeCause) { found = found.map { $0.rawValue < cause.rawValue ? $0 : cause } ?? cause }
    // The data of an account stays its data, also when the access has ended.
    if let since = grounds.marked[account], let enrolledAt = member?.enrolledAt, enrolledAt <= since { want(.marker) }
    guard member?.status ?? .enrolled == .enrolled else { return found }
    if grounds.nonCompliant.contains(account) { want(.nonCompliant) }
    if grounds.hasWipingConditions, conditionVerdict(of: account, holder) == .wipe { want(.conditionalLaunch) }
    if grounds.isOffline { want(.offlineGrace) }
    return found
  }

  private func conditionVerdict(of account: AccountID, _ holder: AccountHolder) -> ConditionVerdict {
    book.verdict(of: accounts[account].protections.union(groupProtections(of: holder)))
  }
}
