package import GuardModel

/// An account whose data a program may seal and unseal now.
package struct KeyClaim: Sendable, Hashable {
  /// As the policy spells it.
  package var account: String
  /// All its names in lower case. The first is the one that its id is made of: the same whichever name the program said.
  package var names: [String]
}

/// Keys of sealed data: the engine says whose key a program may have, and knows no key (design, accounts, section 8).
extension Guard {
  /// The account of that name, when the caller's app and person may work with it now. It names the account, as any other
  /// call about it does.
  ///
  /// - Throws: `notManaged`, where the organisation has no say; `keyWithheld` with the reason by which a decision would be
  ///   blocked; `unknownAccount`.
  package mutating func keyClaim(of name: String, for caller: Caller, at time: UInt64) throws(Refusal) -> KeyClaim {
    note(time)
    return try state.keyClaim(of: name, in: caller.instance, snapshot)
  }
}

extension Guard {
  /// The account that the policy knows by this name, as it spells it; nil for a name that it does not know. Changes nothing.
  package func account(named name: String) -> String? {
    let name = AccountName.withoutTenant(name)
    if let known = state.accounts.number(ofKnown: name), state.accounts[known].isKnown {
      return state.accounts.displayName(known)
    }
    return snapshot.accounts.entry(named: AccountName.fold(name)).map { snapshot.accounts.entries[$0].displayName }
  }
}

/// Administrators give an account another key (ledger SD-06).
extension Guard {
  /// The account of that name; nil for one that neither the policy nor a program names. Changes nothing.
  ///
  /// - Throws: `underWay` while all apps of the person lose the account by a wipe: its keys are about to go.
  package func keyClaim(ofAccount name: String, person: UInt32) throws(AccountRefusal) -> KeyClaim? {
    let name = AccountName.withoutTenant(name)
    guard let known = state.accounts.number(ofKnown: name) else {
      return snapshot.accounts.entry(named: AccountName.fold(name)).map { entry in
        let entry = snapshot.accounts.entries[entry]
        let first = AccountName.fold(entry.displayName)
        return KeyClaim(account: entry.displayName, names: [first] + entry.foldedNames.filter { $0 != first })
      }
    }
    let isGoing = state.wipeBook.wipes.contains { $0.account == known && $0.person == person && $0.app == nil }
    guard !isGoing else { throw .underWay }
    return KeyClaim(account: state.accounts.displayName(known), names: state.keyNames(of: known))
  }
}

extension GuardState {
  fileprivate mutating func keyClaim(
    of name: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> KeyClaim {
    let (_, known) = try account(name, in: id, snapshot)
    guard let known else { throw .notManaged(name) }
    let display = accounts.displayName(known)
    guard isManaged(known, in: id), let instance = instance(id) else { throw .notManaged(display) }
    if let reason = instance.state(of: known, accounts).blockReason {
      throw .keyWithheld(account: display, reason: reason)
    }
    return KeyClaim(account: display, names: keyNames(of: known))
  }

  /// The names of the accounts that an instance has, had or shows: for one that only its id is known of.
  package func namesKnown(in id: InstanceID) -> [String] {
    guard let instance = instance(id) else { return [] }
    let members = life.members[instance.holder].map { Set($0.keys) } ?? []
    return instance.names.union(members).union(shownAccounts(of: id).keys).flatMap { accounts.names(of: $0) }
  }
}

extension WipeBook {
  /// The accounts whose keys are to be destroyed, among the effects that the shell has not taken yet.
  package var keysToDestroy: [(person: UInt32, account: String)] {
    effects.compactMap { effect in
      if case .destroyKeys(let person, let account) = effect { (person, account) } else { nil }
    }
  }
}
