internal import AccountKeys
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// The event loop's side of the copies that an organisation has of its keys.
struct EscrowState {
  /// The public key that the policy names.
  var recipient: EscrowPublicKey?
  /// The public key to which a key is sealed that shall come to this machine; nil before the keys are open.
  var importKey: EscrowPublicKey?
  /// Why copies are missing; nil when none are, and while they are being made.
  var failure: String?
  /// Milliseconds of the machine's running time, before which nothing that failed is tried again.
  var retryAt: UInt64 = 0
}

/// Escrow: a copy of each account key, sealed to the organisation's public key, lies in the state directory for an
/// administrator to take along (design, accounts, section 8). The daemon never has the private key.
///
/// A key without its copy seals nothing: `DataKey` to write is refused until the copy is on the disk. What was sealed before
/// is read meanwhile.
extension GuardCore {
  /// Follows the policy: another public key gets copies of all keys.
  func settleEscrow() {
    let stated = policy.loaded?.escrow.flatMap { EscrowPublicKey(text: $0) }
    guard stated != keys.escrow.recipient else { return }
    keys.escrow.recipient = stated
    keepCopies()
  }

  /// Makes the copies that are missing, some at a time.
  func keepCopies() {
    guard let ring = keys.ring else { return }
    keys.escrow.retryAt = SystemClock.uptime + KeyState.pause
    let bound = NIOLoopBound(self, eventLoop: loop)
    ring.keepCopies(for: keys.escrow.recipient, for: loop).assumeIsolated().whenSuccess { result in
      let core = bound.value
      core.recordCopies()
      switch result {
      case .success(let missing):
        core.tell(escrowFailure: nil)
        if missing > 0 { core.keepCopies() }
      // The keys are not open: that is told elsewhere, and copies are made once they are.
      case .failure(.closed): core.keys.escrow.failure = nil
      case .failure(let failure): core.tell(escrowFailure: failure.words)
      }
      core.submit()
    }
  }

  private func tell(escrowFailure failure: String?) {
    defer { keys.escrow.failure = failure }
    if let failure, failure != keys.escrow.failure {
      logger.critical("keys have no copy for the organisation, and seal nothing", metadata: ["cause": "\(failure)"])
    } else if failure == nil, keys.escrow.failure != nil {
      logger.notice("all keys have their copy for the organisation")
    }
  }

  /// Puts the copies that were made on record. No full share of a user hides one.
  func recordCopies() {
    let copied = keys.ring?.takeCopied() ?? []
    for known in copied {
      var entry = DataKeyEntry(.copied, person: known.owner.uid)
      entry.account = keys.book.holders[known.owner]?.names.first
      (entry.keyID, entry.generation) = (known.id.hex, snapshot.generation)
      journal.record { $0.encode(entry, at: $1, into: &$2) }
    }
    // The others can be made again: the cause has passed.
    if !copied.isEmpty, keys.escrow.failure != nil { keepCopies() }
  }

  /// The numbers of keys and copies.
  var escrowReply: EscrowReply {
    let known = keys.ring?.known ?? KeyCensus()
    var reply = EscrowReply(keys: known.keyCount)
    reply.publicKey = keys.escrow.recipient?.text
    reply.copied = keys.escrow.recipient.map { known.copied(for: $0) } ?? 0
    reply.importKey = keys.escrow.importKey?.text
    reply.machine = MachineID.text.isEmpty ? nil : EscrowCopy.machine(MachineID.text).hex
    return reply
  }

  // MARK: Back

  /// An administrator brings a key back, out of a copy that the holder of the private key sealed to this machine.
  func recoverKey(_ order: RecoverKeyOrder, on connection: Connection, isOneway: Bool) throws(AdminError) {
    try check(cause: order.cause)
    guard let copy = EscrowCopy(hex: order.copy) else { throw .refused(.badCopy) }
    let found = try keyOwners(of: order.account, order.uid)
    let owner = KeyOwner(uid: order.uid, account: copy.owner.account)
    guard found.owners.contains(owner) else {
      throw .accountRefused(.badCopy, "the copy is of another account's key")
    }
    guard let ring = keys.ring, keys.failure == nil else { throw .keysUnusable(keys.failure) }
    connection.isBusy = true
    let newest = ring.newestKey(of: owner)
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    ring.recover(copy, for: order.uid, for: loop).assumeIsolated().whenSuccess { result in
      let (core, connection) = bound.value
      connection.isBusy = false
      core.recordCopies()
      do throws(AdminError) {
        let isNew = try core.didRecover(copy.id, result)
        core.note(copy.id, of: owner, found.names, isNew: isNew, order, connection)
        if let key = ring.newestKey(of: owner), key != newest { core.tellOfNewKey(key, of: found.owners) }
        let reply = RecoverKeyReply(account: found.account, keyID: copy.id.hex, isNew: isNew)
        if !isOneway, core.serving.isOpen(connection) { core.answerKey(reply, on: connection) }
      } catch {
        if core.serving.isOpen(connection) { core.refuse(error, isOneway: isOneway, on: connection) }
      }
      core.submit()
      connection.resume()
    }
  }

  private func didRecover(_ id: KeyID, _ result: Result<Bool, KeyRing.Failure>) throws(AdminError) -> Bool {
    do throws(KeyRing.Failure) { return try result.get() } catch {
      switch error {
      case .keys(.destroyed): throw .refused(.keyDestroyed)
      case .keys(.copyUnusable(_, let reason)): throw .accountRefused(.badCopy, reason)
      default: throw .keysUnusable(error.words)
      }
    }
  }

  /// The header of sealed data names its account by an id: the book has the name from here on.
  private func note(
    _ id: KeyID, of owner: KeyOwner, _ names: [String], isNew: Bool, _ order: RecoverKeyOrder, _ connection: Connection
  ) {
    _ = keys.book.note(names, of: owner, most: KeyRing.mostAccounts)
    keepKeyBook()
    guard isNew else { return }
    record(.recovered, id, of: names.first ?? order.account, (order.uid, order.cause), connection)
    logger.notice("an administrator brought a key back", metadata: connection.metadata(["key": "\(id.hex)"]))
  }
}
