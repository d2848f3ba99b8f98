package import GuardModel

/// Directories of accounts: the engine says which may be open, and knows no file (design, accounts, section 8; ledger FE-01).
extension Guard {
  /// How the directory of a person's account is to be kept, while it may be open: the strictest way of those apps in which
  /// the account may work.
  ///
  ///     engine.directoryWay(of: ["work@contoso.com"], person: 1000)    // .gocryptfs
  ///
  /// Nil when the account may work in no app of the person, or the policy has its files encrypted in another way.
  ///
  /// - Parameter names: those of the account, in lower case; the policy may have lost some of them.
  package func directoryWay(of names: [String], person: UInt32) -> FileEncryption? {
    let known = Set(names.compactMap { state.accounts.number(ofKnown: $0) })
    guard !known.isEmpty else { return nil }
    var ways: [FileEncryption] = []
    for holding in state.holdings(person: person) {
      for account in state.accounts(in: holding).intersection(known) where state.mayWork(account, holding, snapshot) {
        ways.append(snapshot.fileEncryption(of: state.accounts[account].protections.union(holding.groupProtections)))
      }
    }
    return ways.max { $1.isStricter(than: $0) }.flatMap { $0.isDirectory ? $0 : nil }
  }

  /// The account of a person that a condition holds for, among those that the person's apps have, had or show.
  package func claim(of person: UInt32, where condition: (KeyClaim) -> Bool) -> KeyClaim? {
    let accounts = state.holdings(person: person).reduce(into: Set()) { $0.formUnion(state.accounts(in: $1)) }
    let claims = accounts.map { KeyClaim(account: state.accounts.displayName($0), names: state.keyNames(of: $0)) }
    return claims.first(where: condition)
  }
}

extension GuardState {
  fileprivate func mayWork(_ account: AccountID, _ holding: Holding, _ snapshot: Snapshot) -> Bool {
    wipeBook.lock(on: holding.holder, account) == nil && standing(of: account, holding, snapshot) == .active
  }
}
