internal import GuardModel
internal import URLRules

/// The accounts that instances name and that only a pattern or a group takes: programs can invent such names.
///
/// The attack: a program names one account after the other. Therefore an instance's names count like its registrations,
/// a person names at most `accountsPerUser` of them, and a name goes once the last instance that named it has ended.
///
/// INVARIANT: code that keeps the number of an account for longer than its instance lives has to have it pinned. Clips
/// do; so the names of an instance that copied stay, and count to its person for good.
extension GuardState {
  /// Throws when one more name is too many for the instance's user. The policy's own accounts always have room, and so
  /// do accounts that the instance named before.
  func checkRoom(forName name: String, in instance: Instance, _ snapshot: Snapshot) throws(Refusal) {
    if let known = accounts.number(ofKnown: name) {
      guard !accounts[known].isPinned, !instance.names.contains(known) else { return }
    } else if snapshot.accounts.entry(named: AccountName.fold(name)) != nil {
      return
    }
    guard users[instance.user].namedAccounts < limits.accountsPerUser else {
      throw .limitReached(.accounts, maximum: limits.accountsPerUser)
    }
  }

  /// Notes that the instance names an account, for as long as it lives.
  mutating func note(_ account: AccountID, in id: InstanceID) {
    guard !accounts[account].isPinned, isLive(id), let user = instances[Int(id.index)]?.user else { return }
    guard instances[Int(id.index)]?.names.insert(account).inserted ?? false else { return }
    instances[Int(id.index)]?.nameBytes += Self.byteCount(ofName: accounts.displayName(account))
    accounts.use(account)
    users[user].namedAccounts += 1
    hasNewNames = true
  }

  /// As `identity(_:in:_:)` for an account that has a number: nil when its user named too many.
  mutating func noted(_ account: AccountID, in id: InstanceID) -> AccountID? {
    guard !accounts[account].isPinned, isLive(id), let instance = instances[Int(id.index)] else { return account }
    guard !instance.names.contains(account) else { return account }
    guard users[instance.user].namedAccounts < limits.accountsPerUser else { return nil }
    note(account, in: id)
    return account
  }

  /// The instance copies something, or reports a selection: a clip may name any of its accounts.
  mutating func noteClip(in id: InstanceID) {
    if isLive(id) { instances[Int(id.index)]?.mayOwnClips = true }
  }

  /// Releases the names of an ending instance; returns how many bytes of them stay, since a clip may name them.
  mutating func releaseNames(of instance: Instance) -> Int {
    var kept = 0
    for account in instance.names {
      if instance.mayOwnClips, !accounts[account].isPinned {
        accounts.pin(account)
        kept += Self.byteCount(ofName: accounts.displayName(account))
      } else {
        users[instance.user].namedAccounts -= 1
        accounts.release(account)
      }
    }
    return kept
  }

  /// Bytes that naming these accounts would add to an instance.
  package func growth(byNaming names: [String], in id: InstanceID, _ snapshot: Snapshot) -> Int {
    guard let instance = instance(id) else { return 0 }
    return names.reduce(0) { bytes, name in
      if let known = accounts.number(ofKnown: name) {
        if accounts[known].isPinned || instance.names.contains(known) { return bytes }
      } else if name.isEmpty || name.utf8.count > limits.nameBytes
        || snapshot.accounts.entry(named: AccountName.fold(name)) != nil
      {
        return bytes
      }
      return bytes + Self.byteCount(ofName: name)
    }
  }

  /// The memory of an account: its entry, two tables and three spellings.
  private static func byteCount(ofName name: String) -> Int { 384 + 4 * name.utf8.count }
}
