package import GuardModel

/// App configuration, as programs ask for it (ledger AC-01, AC-02). Nothing here changes: no account gets a number by being
/// asked about.
extension GuardState {
  /// The configuration of accounts of an instance's app: of those that are named, or of all that are enrolled.
  ///
  /// Only an enrolled account has values. An account that may not work is answered with the point of its life, so that an
  /// app can tell "not yet" from "nothing is configured". An account of the policy's domains that it does not know is an
  /// error, as in every call.
  package func configurations(
    of names: [String]?, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> [AccountConfiguration] {
    guard let instance = instance(id), instance.app != nil else { throw .noApp }
    guard let names else { return enrolledConfigurations(of: instance, in: id, snapshot) }
    guard names.count <= AccountLife.mostMembers else {
      throw .limitReached(.accounts, maximum: AccountLife.mostMembers)
    }
    var found: [AccountConfiguration] = []
    for name in names { found.append(try configuration(of: name, of: instance, in: id, snapshot)) }
    return found
  }

  private func enrolledConfigurations(
    of instance: Instance, in id: InstanceID, _ snapshot: Snapshot
  ) -> [AccountConfiguration] {
    let members = life.members[instance.holder] ?? [:]
    return Set(members.keys).union(shownAccounts(of: id).keys)
      .filter { state(of: $0, in: id, snapshot) == .enrolled }
      .map { account in
        AccountConfiguration(
          account: accounts.displayName(account), state: .enrolled,
          configuration: snapshot.configuration(of: instance, accounts.names(of: account)))
      }
      .sorted { $0.account < $1.account }
  }

  private func configuration(
    of name: String, of instance: Instance, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> AccountConfiguration {
    guard name.utf8.count <= limits.nameBytes else { throw .limitReached(.nameBytes, maximum: limits.nameBytes) }
    let name = AccountName.withoutTenant(name)
    let standing = standing(of: name, in: id, snapshot)
    guard standing.isKnown || snapshot.isPrivate(name) else { throw .unknownAccount(name) }
    let known = accounts.number(ofKnown: name)
    let state =
      known.map { self.state(of: $0, in: id, snapshot) }
      ?? AccountLifeState(standing.state, nil, isBound: standing.isManaged)
    let names = known.map { accounts.names(of: $0) } ?? snapshot.accounts.names(of: name)
    return AccountConfiguration(
      account: standing.name, state: state,
      configuration: state == .enrolled ? snapshot.configuration(of: instance, names) : AppConfiguration())
  }

  /// The accounts of an instance whose configuration is another one than under the policy before (AC-09).
  ///
  /// Accounts that are not enrolled have none; that an account is enrolled now is other news.
  package func accountsWithOtherConfiguration(
    in id: InstanceID, _ before: Snapshot, _ now: Snapshot
  ) -> [String] {
    guard let instance = instance(id), instance.app != nil else { return [] }
    let members = life.members[instance.holder] ?? [:]
    return Set(members.keys).union(shownAccounts(of: id).keys)
      .filter { account in
        let names = accounts.names(of: account)
        let configuration = before.configuration(of: instance, names)
        return state(of: account, in: id, now) == .enrolled
          && !configuration.isSame(as: now.configuration(of: instance, names))
      }
      .map { accounts.displayName($0) }.sorted()
  }
}

extension Snapshot {
  fileprivate func configuration(of instance: Instance, _ names: [String]) -> AppConfiguration {
    appConfig.configuration(of: instance.appName, names: names, groups: Set(instance.peer.groups))
  }
}

extension AccountDirectory {
  /// All names of an account in lower case, also of one that the policy does not name.
  package func names(of name: String) -> [String] {
    let folded = AccountName.fold(name)
    return entry(named: folded).map { entries[$0].foldedNames } ?? [folded]
  }
}
