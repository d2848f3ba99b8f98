package import GuardModel

/// What an app is told of the protection of an account's files (ledger FE-01, FE-02, SD-06).
package struct DataProtection: Sendable, Hashable {
  /// As the policy spells it.
  package var account: String
  package var encryption: FileEncryption
  /// All its names in lower case, that of its present keys first; empty for an account that no protection binds: it has
  /// none.
  package var names: [String]
}

extension GuardState {
  /// How an instance has to encrypt the files of each of its accounts: of those that its app has or had, and of those
  /// that it shows. Nothing here changes.
  ///
  ///     state.dataProtections(of: id, snapshot).values.map(\.encryption)    // [.envelope, .none]
  ///
  /// An account that no protection binds any longer is among them: its app may decrypt, and has to hear it.
  package func dataProtections(of id: InstanceID, _ snapshot: Snapshot) -> [AccountID: DataProtection] {
    guard let instance = instance(id), instance.app != nil else { return [:] }
    let members = life.members[instance.holder] ?? [:]
    let known = Set(members.keys).union(shownAccounts(of: id).keys)
    return Dictionary(uniqueKeysWithValues: known.map { ($0, dataProtection(of: $0, instance, snapshot)) })
  }

  /// The accounts of an instance whose files have to be encrypted in another way than before, by name (FE-02).
  ///
  /// - Parameter before: by an earlier call. Accounts that are new since are not among them: that they came is news itself.
  package func otherProtections(
    of id: InstanceID, than before: [AccountID: DataProtection], _ snapshot: Snapshot
  ) -> [DataProtection] {
    let now = dataProtections(of: id, snapshot)
    return before.compactMap { account, old in
      guard let instance = instance(id) else { return nil }
      // The policy that bound it may have been all that named it.
      let new = now[account] ?? dataProtection(of: account, instance, snapshot)
      return old.encryption == new.encryption ? nil : new
    }.sorted { $0.account < $1.account }
  }

  private func dataProtection(
    of account: AccountID, _ instance: Instance, _ snapshot: Snapshot
  ) -> DataProtection {
    let binding = instance.protections(of: account, accounts)
    return DataProtection(
      account: accounts.displayName(account), encryption: snapshot.fileEncryption(of: binding),
      names: binding.isEmpty ? [] : keyNames(of: account))
  }

  /// The names of an account for its keys: its id is made of the first, whichever name a program says.
  func keyNames(of account: AccountID) -> [String] {
    let first = accounts[account].sortName
    return [first] + accounts.names(of: account).filter { $0 != first }
  }
}
