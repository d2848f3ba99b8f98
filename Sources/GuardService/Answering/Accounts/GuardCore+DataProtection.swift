internal import AccountKeys
internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import PolicyEngine

/// News of `dataProtection`: how the files of an account have to be encrypted, and under which key (ledger FE-02, SD-06).
///
/// Each is the whole present state of one account, and a subscriber gets that of all its accounts first: an app that was
/// away compares it with the state of its files, and has missed nothing. The destruction of keys is no news of this topic,
/// since every app that had the account hears `wipe`.
extension GuardCore {
  /// What every subscriber to the topic was told, or knows by the policy; taken before that changes.
  var dataProtections: [ObjectIdentifier: [AccountID: DataProtection]] {
    var found: [ObjectIdentifier: [AccountID: DataProtection]] = [:]
    for (name, connection) in serving.subscribers where connection.hears(.dataProtection) {
      found[name] = connection.session.map { state.dataProtections(of: $0.instance, snapshot) }
    }
    return found
  }

  /// Tells a new subscriber of all accounts of its app.
  func tellOfDataProtection(to session: Session, on connection: Connection) {
    guard connection.hears(.dataProtection) else { return }
    let found = state.dataProtections(of: session.instance, snapshot).values.sorted { $0.account < $1.account }
    serving.charge(found.count)
    tell(found, of: session.peer.person, on: connection)
  }

  /// Another policy is in force: tells of the accounts whose files have to be encrypted in another way.
  func tellOfDataProtections(_ before: [ObjectIdentifier: [AccountID: DataProtection]]) {
    for (name, old) in before {
      guard let connection = serving.subscribers[name], let session = connection.session else { continue }
      let changed = state.otherProtections(of: session.instance, than: old, snapshot)
      tell(changed, of: session.peer.person, on: connection)
    }
  }

  /// An account has a new key: tells the programs of its person that have the account.
  func tellOfNewKey(_ id: KeyID, of owners: [KeyOwner]) {
    guard let owner = owners.first else { return }
    for session in sessions.of(owner.uid) {
      let found = state.dataProtections(of: session.instance, snapshot).values
      for protection in found where protection.owner(owner.uid) == owner {
        tell(news(of: protection, key: id), toSubscribersOf: session)
      }
    }
  }

  /// Asks for the newest keys first. The keys answer in the order in which they were asked, and rotations are among that:
  /// no older state is told behind a newer one.
  private func tell(_ protections: [DataProtection], of person: UInt32, on connection: Connection) {
    guard !protections.isEmpty else { return }
    guard let ring = keys.ring else { return tell(protections, of: person, [:], on: connection) }
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    ring.newest(of: protections.compactMap { $0.owner(person) }, for: loop).assumeIsolated().whenSuccess { keys in
      let (core, connection) = bound.value
      core.tell(protections, of: person, keys, on: connection)
      core.submit()
    }
  }

  /// All of them come at once, and none of them is left out for that.
  private func tell(
    _ protections: [DataProtection], of person: UInt32, _ keys: [KeyOwner: KeyID], on connection: Connection
  ) {
    guard serving.isOpen(connection) else { return }
    for protection in protections {
      let key = protection.owner(person).flatMap { keys[$0] }
      tell(news(of: protection, key: key), to: connection, beside: protections.count)
    }
  }

  private func news(of protection: DataProtection, key: KeyID?) -> NewsReply {
    var news = NewsReply(.dataProtection, snapshot.generation)
    (news.account, news.encryption, news.keyID) = (protection.account, protection.encryption, key?.hex)
    return news
  }
}

extension DataProtection {
  /// Whose keys new data of the account gets; nil for an account without any.
  fileprivate func owner(_ person: UInt32) -> KeyOwner? {
    names.first.map { KeyOwner(uid: person, account: AccountTag(foldedName: $0)) }
  }
}

extension Connection {
  fileprivate func hears(_ topic: Topic) -> Bool { subscription?.topics.contains(topic) ?? false }
}
