package import GuardModel
internal import URLRules

/// The accounts that apps named, under one number for all the names of each.
///
/// Accounts of the policy stay, and so do those that a clip may name. Accounts that only a pattern or a group takes go
/// once the last instance that named them has ended; see `GuardState.note`. Their numbers are then reused.
package struct AccountTable: Sendable {
  struct Account: Sendable {
    /// The name under which it was first met, in lower case.
    var folded: String
    /// Its further names in lower case.
    var otherNames: [String] = []
    /// Sort key: the same whichever of its names was met first.
    var sortName: String
    /// As the policy or the first app spelled it.
    var displayName: String
    /// The protections that bind it by name or pattern.
    var protections: ProtectionSet
    /// The protection among them that its entry states; nil when it states none.
    var stated: ProtectionIndex?
    var state: AccountState
    /// The policy names it, or a pattern takes it.
    var isKnown: Bool
    /// It stays when instances end.
    var isPinned: Bool
    /// Number of instances that named it; not counted for accounts that stay.
    var uses: Int32 = 0

    /// The reason why a protection binds it by name; nil when it does not.
    func source(of protection: ProtectionIndex) -> ProtectionSource? {
      if stated == protection { return .account }
      return protections.contains(protection) ? .pattern : nil
    }

    /// Takes over the stricter parts of `other`.
    mutating func tighten(to other: Account) {
      isKnown = isKnown || other.isKnown
      isPinned = isPinned || other.isPinned
      if state == .active { state = other.state }
      protections = protections.union(other.protections)
      stated = stated ?? other.stated
    }
  }

  private(set) var accounts: [Account] = []
  /// Numbers without an account.
  private var free: [AccountID] = []
  private var numbers: [String: AccountID] = [:]
  /// The names that are ASCII, for events: a look-up of bytes allocates nothing.
  private var plainNumbers = ByteTable<Int32>()

  package init() {}

  subscript(id: AccountID) -> Account { accounts[Int(id.index)] }

  package func displayName(_ id: AccountID) -> String { accounts[Int(id.index)].displayName }

  /// Whether the policy names this account, or a pattern takes it.
  func isKnown(_ name: String, _ snapshot: Snapshot) -> Bool {
    Self.account(folded: AccountName.fold(name), spelled: name, snapshot).isKnown
  }

  /// The policy's description of an account, whether it was named before or not.
  func described(_ name: String, _ snapshot: Snapshot) -> Account {
    number(ofKnown: name).map { self[$0] } ?? Self.account(folded: AccountName.fold(name), spelled: name, snapshot)
  }

  /// The number of an account that was named before; nil for any other.
  func number(ofKnown name: String) -> AccountID? { numbers[AccountName.fold(name)] }

  /// As `number(ofKnown:)`, for a name in ASCII that is folded already.
  func number(ofFolded name: Span<UInt8>) -> AccountID? { plainNumbers.value(for: name).map(AccountID.init(index:)) }

  /// All names of an account in lower case, the one it was first met under before the others.
  func names(of id: AccountID) -> [String] {
    let account = self[id]
    return account.otherNames.isEmpty ? [account.folded] : [account.folded] + account.otherNames.sorted()
  }

  /// The number of the account that had these names; nil when they are several accounts by now. If the policy now
  /// distinguishes them, the strictest of them counts for all, as in `adopt`.
  mutating func number(ofNames names: [String], _ snapshot: Snapshot) -> AccountID? {
    guard let first = names.first else { return nil }
    let id = number(of: first, snapshot)
    // A clip names it.
    pin(id)
    for name in names.dropFirst() {
      if let other = numbers[name] {
        guard other == id else { return nil }
        continue
      }
      record(name, id)
      accounts[Int(id.index)].tighten(to: Self.account(folded: name, spelled: name, snapshot))
    }
    return id
  }

  /// The number of the account with this name, made on first use.
  mutating func number(of name: String, _ snapshot: Snapshot) -> AccountID {
    let folded = AccountName.fold(name)
    if let known = numbers[folded] { return known }
    let entry = snapshot.accounts.entry(named: folded).map { snapshot.accounts.entries[$0] }
    let names = entry?.foldedNames ?? [folded]
    if let other = names.compactMap({ numbers[$0] }).first {
      record(folded, other)
      pin(other)
      return other
    }
    let id = insert(Self.account(folded: folded, spelled: name, snapshot))
    for folded in names { record(folded, id) }
    return id
  }

  private mutating func insert(_ account: Account) -> AccountID {
    guard let id = free.popLast() else {
      accounts.append(account)
      return AccountID(index: Int32(accounts.count - 1))
    }
    accounts[Int(id.index)] = account
    return id
  }

  /// It stays from now on.
  mutating func pin(_ id: AccountID) { accounts[Int(id.index)].isPinned = true }

  /// One more instance names it.
  mutating func use(_ id: AccountID) { accounts[Int(id.index)].uses += 1 }

  /// An instance that named it has ended. The account goes with the last of them.
  mutating func release(_ id: AccountID) {
    accounts[Int(id.index)].uses -= 1
    guard accounts[Int(id.index)].uses <= 0, !accounts[Int(id.index)].isPinned else { return }
    // An account with a second name stays: only entries of the policy give one.
    let folded = accounts[Int(id.index)].folded
    numbers[folded] = nil
    plainNumbers.remove(Array(folded.utf8).span)
    accounts[Int(id.index)] = .gone
    free.append(id)
  }

  /// Number of accounts.
  package var count: Int { accounts.count - free.count }

  private mutating func record(_ folded: String, _ id: AccountID) {
    numbers[folded] = id
    let account = accounts[Int(id.index)]
    if folded != account.folded, !account.otherNames.contains(folded) {
      accounts[Int(id.index)].otherNames.append(folded)
    }
    let bytes = Array(folded.utf8)
    if bytes.allSatisfy({ $0 < 0x80 }) { plainNumbers.set(id.index, for: bytes.span) }
  }

  /// Looks every account up again under a new policy. Names that were one account stay one; if the policy now
  /// distinguishes them, the strictest of them counts for all, so that dropping a name never frees an account.
  mutating func adopt(_ snapshot: Snapshot) {
    let gone = Set(free)
    for index in accounts.indices where !gone.contains(AccountID(index: Int32(index))) {
      let old = accounts[index]
      accounts[index] = Self.account(folded: old.folded, spelled: old.displayName, snapshot)
      accounts[index].isPinned = accounts[index].isPinned || old.isPinned
      accounts[index].otherNames = old.otherNames
      accounts[index].uses = old.uses
    }
    for (name, id) in numbers where name != accounts[Int(id.index)].folded {
      let other = Self.account(folded: name, spelled: name, snapshot)
      accounts[Int(id.index)].tighten(to: other)
    }
  }

  private static func account(folded: String, spelled: String, _ snapshot: Snapshot) -> Account {
    let entry = snapshot.accounts.entry(named: folded).map { snapshot.accounts.entries[$0] }
    let names = entry?.foldedNames ?? [folded]
    var protections = snapshot.protections(taking: names)
    if let stated = entry?.protection { protections.insert(stated) }
    let displayName = entry?.displayName ?? spelled
    return Account(
      folded: folded, sortName: AccountName.fold(displayName), displayName: displayName,
      protections: protections, stated: entry?.protection, state: entry?.state ?? .active,
      isKnown: entry != nil || !protections.isEmpty, isPinned: entry != nil)
  }
}

extension AccountTable.Account {
  /// In the place of one that is gone. No caller asks for it; a call that did would be stopped.
  fileprivate static let gone = AccountTable.Account(
    folded: "", sortName: "", displayName: "", protections: ProtectionSet(), stated: nil, state: .blocked,
    isKnown: false, isPinned: false)
}

/// The policy's view of an account, for callers that only want to know (ledger MI-23, EN-10).
package struct AccountStanding: Sendable, Hashable {
  /// As the policy spells it; as the caller did, if the policy does not know it.
  package var name: String
  /// The policy names it, or a pattern or a group takes it.
  package var isKnown: Bool
  package var isManaged: Bool
  package var state: AccountState
}

/// Questions about identities that change nothing: no account gets a number by being asked about.
extension GuardState {
  /// The policy's view of an account in an instance; an ended instance has no bound account.
  package func standing(of account: String, in id: InstanceID, _ snapshot: Snapshot) -> AccountStanding {
    let entry = accounts.described(account, snapshot)
    let group = instance(id)?.groupProtections ?? ProtectionSet()
    let isManaged = !entry.protections.union(group).isEmpty
    return AccountStanding(
      name: entry.displayName, isKnown: entry.isKnown || !group.isEmpty, isManaged: isManaged,
      state: lifeStanding(of: account, in: id, entry.protections.union(group), stated: entry.state, snapshot))
  }

  /// The protections that bind an account in an instance, by name, in the policy's order.
  package func protections(binding account: String, in id: InstanceID, _ snapshot: Snapshot) -> [String] {
    let group = instance(id)?.groupProtections ?? ProtectionSet()
    let bound = accounts.described(account, snapshot).protections.union(group)
    return snapshot.protections.indices.filter { bound.contains(ProtectionIndex($0)) }.map {
      snapshot.protections[$0].name
    }
  }

  /// The viewers of an instance, up to a maximum, each with its class and its current resolution.
  package func viewers(
    of id: InstanceID, atMost count: Int, _ snapshot: Snapshot
  ) -> [(name: String, className: String?, resolved: ResolvedViewer)] {
    guard let instance = instance(id) else { return [] }
    return instance.viewers.indices(atMost: count).map { index in
      let policies = instance.app.map { snapshot.viewerPolicies(of: $0) }
      let resolved = policies.map { instance.resolve(index, in: $0) } ?? ResolvedViewer()
      let viewer = instance.viewers[index]
      return (String(decoding: viewer.name, as: UTF8.self), viewer.className, resolved)
    }
  }

  /// Whether some account could be managed in the instance.
  package func mayManage(_ id: InstanceID, _ snapshot: Snapshot) -> Bool {
    guard let instance = instance(id), instance.app != nil else { return false }
    let starting = snapshot.startingAccounts
    return !instance.groupProtections.isEmpty || starting.hasPattern || !starting.bound.isEmpty
  }

  /// The windows of an instance that have identities of their own, by name, each with all its identities.
  package func windows(of id: InstanceID) -> [(name: String, identities: [Identity])] {
    guard let instance = instance(id) else { return [] }
    var found: [(name: String, identities: [Identity])] = []
    instance.windows.forEach { name, identity in
      let all = instance.mixedWindows.value(for: name.span) ?? [identity]
      found.append((String(decoding: name, as: UTF8.self), all))
    }
    return found.sorted { $0.name < $1.name }
  }
}
