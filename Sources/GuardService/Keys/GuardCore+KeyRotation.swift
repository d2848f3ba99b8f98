internal import AccountKeys
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import PolicyEngine

/// An administrator gives an account of a person another key (ledger SD-06): new data gets it, old data stays readable.
///
/// The key is on the disk before anybody hears of it. A daemon that is killed before that has changed nothing, and one
/// that is killed behind it has a new key that nobody was answered with: the next daemon tells it to every subscriber.
extension GuardCore {
  func rotateKey(_ order: RotateKeyOrder, on connection: Connection, isOneway: Bool) throws(AdminError) {
    try check(cause: order.cause)
    let found = try keyOwners(of: order.account, order.uid)
    guard let ring = keys.ring, keys.failure == nil else { throw .keysUnusable(keys.failure) }
    connection.isBusy = true
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    ring.rotate(found.owners, for: loop).assumeIsolated().whenSuccess { result in
      let (core, connection) = bound.value
      connection.isBusy = false
      core.recordCopies()
      do throws(AdminError) {
        let reply = try core.didRotate(found.account, found.owners, result, order, connection)
        if !isOneway, core.serving.isOpen(connection) { core.answerKey(reply, on: connection) }
      } catch {
        if core.serving.isOpen(connection) { core.refuse(error, isOneway: isOneway, on: connection) }
      }
      core.submit()
      connection.resume()
    }
  }

  /// The account under all of its ids, the present one first. Accounts that no program has named since the start are known
  /// by the policy or by the book of keys.
  func keyOwners(
    of account: String, _ person: UInt32
  ) throws(AdminError) -> (account: String, names: [String], owners: [KeyOwner]) {
    let claim: KeyClaim?
    do throws(AccountRefusal) { claim = try engine.keyClaim(ofAccount: account, person: person) } catch {
      throw .refused(error)
    }
    guard let names = claim?.names ?? keptNames(of: account, person) else { throw .refused(.unknownAccount) }
    let owners = owners(of: person, named: names)
    // A new key would be destroyed with the others.
    guard !owners.contains(where: { keys.book.owed[$0] != nil }) else { throw .refused(.underWay) }
    return (claim?.account ?? account, names, owners)
  }

  private func keptNames(of account: String, _ person: UInt32) -> [String]? {
    let name = AccountName.fold(account)
    return keys.book.holders.first { $0.key.uid == person && $0.value.names.contains(name) }?.value.names
  }

  private func didRotate(
    _ account: String, _ owners: [KeyOwner], _ result: Result<KeyID?, KeyRing.Failure>, _ order: RotateKeyOrder,
    _ connection: Connection
  ) throws(AdminError) -> RotateKeyReply {
    let id: KeyID?
    do throws(KeyRing.Failure) { id = try result.get() } catch { throw .keysUnusable(error.words) }
    guard let id else { throw .refused(.noKey) }
    record(.rotated, id, of: account, (order.uid, order.cause), connection)
    logger.notice("an administrator gave an account a new key", metadata: connection.metadata(["key": "\(id.hex)"]))
    tellOfNewKey(id, of: owners)
    return RotateKeyReply(account: account, keyID: id.hex)
  }

  func answerKey(_ reply: some Reply, on connection: Connection) {
    writer.reset()
    writer.answer(reply)
    hold(on: connection, record: journal.newest)
  }

  /// No full share of a user hides an administrator's order.
  func record(
    _ act: DataKeyEntry.Act, _ id: KeyID, of account: String, _ order: (person: UInt32, cause: String),
    _ connection: Connection
  ) {
    var entry = DataKeyEntry(act, person: order.person)
    (entry.account, entry.keyID) = (account, id.hex)
    entry.peer = LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid)
    (entry.user, entry.login, entry.cause) = (connection.userName, connection.loginUser, order.cause)
    entry.generation = snapshot.generation
    journal.record { $0.encode(entry, at: $1, into: &$2) }
  }
}

extension AdminError {
  static func refused(_ refusal: AccountRefusal) -> AdminError {
    .accountRefused(refusal, refusal.explanation)
  }

  /// - Parameter cause: why no key can be used; nil where the daemon keeps nothing, and so has none.
  static func keysUnusable(_ cause: String?) -> AdminError {
    let refusal = AccountRefusal.keysUnusable
    return .accountRefused(refusal, "\(refusal.explanation): \(cause ?? "the daemon keeps no state")")
  }
}
