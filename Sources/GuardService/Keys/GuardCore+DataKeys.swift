internal import AccountKeys
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import Secrets

/// Answers `DataKey`: the key of one object, for a program of an account that may work (ledger SD; design, accounts, section
/// 8).
///
/// The person is the connection's, never a parameter. The engine says whether the account may work, as it does for decisions;
/// it is asked before the key is fetched. A key that the key thread fetched does not leave before the engine is asked once
/// more, since a wipe may have locked the account meanwhile.
extension GuardCore {
  func dataKey(_ call: DataKeyCall, on connection: Connection, isOneway: Bool) throws {
    let wish = try KeyWish(call)
    _ = try attached(connection)
    try checkRoomForKeys(connection)
    let found = try claimed(wish, by: connection)
    guard let ring = keys.ring, keys.failure == nil else { throw refusal(.closed, wish, found.claim, connection) }
    // Nobody would get the key.
    guard !isOneway else { return }
    let question = KeyRing.Question(keyID: wish.keyID, object: wish.object, owners: found.owners)
    switch ring.keyInMemory(question) {
    case .success(let issued): return issue(issued, wish, found.claim, on: connection)
    case .failure(let failure): throw refusal(failure, wish, found.claim, connection)
    case nil: break
    }
    connection.isBusy = true
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    ring.key(question, for: loop).assumeIsolated().whenSuccess { result in
      let (core, connection) = bound.value
      connection.isBusy = false
      core.recordCopies()
      core.answer(wish, result, on: connection)
      core.submit()
      connection.resume()
    }
  }

  /// An answer that cannot be recorded must not leave, as with decisions that allow something.
  func checkRoomForKeys(_ connection: Connection) throws(Refusal) {
    guard !journal.refusesToAllow else { throw .logUnavailable }
    guard !journal.isShareFull(at: connection.logPlace) else {
      journal.countRefused(at: connection.logPlace)
      throw journal.shareIsFull
    }
  }

  private func answer(_ wish: KeyWish, _ result: Result<KeyRing.Answer, KeyRing.Failure>, on connection: Connection) {
    guard serving.isOpen(connection) else { return }
    do {
      try checkRoomForKeys(connection)
      let claim = try claimed(wish, by: connection).claim
      switch result {
      case .success(let issued): issue(issued, wish, claim, on: connection)
      case .failure(let failure): throw refusal(failure, wish, claim, connection)
      }
    } catch let error as any CallError {
      refuse(error, isOneway: false, on: connection)
    } catch {
      refuse(Refusal.keysUnavailable, isOneway: false, on: connection)
    }
  }

  private func issue(_ issued: KeyRing.Answer, _ wish: KeyWish, _ claim: KeyClaim, on connection: Connection) {
    guard let session = connection.session else { return refuse(Refusal.notAttached, isOneway: false, on: connection) }
    keys.book.note(claim.names, of: issued.owner, by: session.app)
    keepKeyBook()
    let id = journal.nextDecision()
    var entry = self.entry(.issued, wish, connection)
    (entry.id, entry.account, entry.keyID) = (id.text, claim.account, issued.key.id.hex)
    record(entry, connection)
    writer.reset()
    writer.answer(
      DataKeyReply(
        key: issued.key.bytes.hex, keyID: issued.key.id.hex, accountID: issued.owner.account.value.hex))
    hold(on: connection, record: journal.newest, allowing: Withdrawable(id))
  }

  // MARK: Whose key

  /// The account of a call, when it may work, and its ids.
  private func claimed(_ wish: KeyWish, by connection: Connection) throws -> (claim: KeyClaim, owners: [KeyOwner]) {
    let session = try attached(connection)
    let time = journal.now()
    journal.state.note(time: time)
    let person = connection.peer.person
    do {
      let header = wish.tag.map { KeyOwner(uid: person, account: $0) }
      let names = header.map { namesKnown(of: $0, in: session) } ?? [wish.account]
      let claim = try self.claim(of: names, wish, session, connection, at: time)
      let owners = header.map { [$0] } ?? self.owners(of: person, named: claim.names)
      // What a wipe destroys is no longer given, also where the destruction has to wait.
      if owners.contains(where: { keys.book.owed[$0] != nil }) {
        throw Refusal.keyWithheld(account: claim.account, reason: .accountWiped)
      }
      return (claim, owners)
    } catch let refusal as Refusal {
      noteWithheld(refusal, wish, connection)
      throw refusal
    }
  }

  /// All ids that the account has or had, the present one first.
  ///
  /// - Parameter names: all its names in lower case; its present keys are those of the first.
  func owners(of person: UInt32, named names: [String]) -> [KeyOwner] {
    let present = names.map { KeyOwner(uid: person, account: AccountTag(foldedName: $0)) }
    return present + keys.book.owners(of: person, named: names).subtracting(present)
  }

  /// The names of the account with this id: by the book of keys; else by the accounts that the program has or shows.
  func namesKnown(of owner: KeyOwner, in session: Session) -> [String] {
    if let known = keys.book.holders[owner] { return known.names }
    let names = state.namesKnown(in: session.instance)
    serving.charge(names.count / 16)
    return names.filter { AccountTag(foldedName: $0) == owner.account }
  }

  /// Several names are those of one account, of which the policy may have lost some: each that a protection binds has to be
  /// one that may work, and all of them one account, so that a name which became another's makes nothing readable.
  private func claim(
    of names: [String], _ wish: KeyWish, _ session: Session, _ connection: Connection, at time: UInt64
  ) throws -> KeyClaim {
    let caller = try caller(connection)
    defer { if state.hasNewNames { settle(session) } }
    var claims: [KeyClaim] = []
    var lost = Refusal.unknownAccount(String(wish.account.prefix(64)))
    for name in names {
      try serving.checkMemory(engine.growth(by: .maySignIn(name), of: caller), of: session.memory)
      do throws(Refusal) { claims.append(try engine.keyClaim(of: name, for: caller, at: time)) } catch {
        guard error.code == .unknownAccount || error.code == .notManaged else { throw error }
        lost = error
      }
    }
    guard let first = claims.first else { throw lost }
    guard Self.isOne(claims.map(\.account)) else { throw Refusal.unknownAccount(first.account) }
    return first
  }

  /// Whether the accounts that the names of an id belong to are one. Else a name of it became another account's, and nobody
  /// can say whose the id is.
  static func isOne(_ accounts: [String]) -> Bool { accounts.allSatisfy { $0 == accounts.first } }

  // MARK: Refusals

  /// The refusal for a key that the ring does not give.
  private func refusal(
    _ failure: KeyRing.Failure, _ wish: KeyWish, _ claim: KeyClaim, _ connection: Connection
  ) -> Refusal {
    let refusal = failure.refusal
    // Once for each cause: a program may go on asking.
    if refusal == .keysUnavailable, failure.words != keys.toldCause {
      keys.toldCause = failure.words
      logger.error("a key was not given", metadata: ["uid": "\(connection.peer.person)", "cause": "\(failure.words)"])
    }
    var entry = self.entry(.refused, wish, connection)
    (entry.account, entry.refusal) = (claim.account, refusal.code)
    record(entry, connection)
    return refusal
  }

  private func noteWithheld(_ refusal: Refusal, _ wish: KeyWish, _ connection: Connection) {
    guard case .keyWithheld(let account, let reason) = refusal else { return }
    var entry = self.entry(.withheld, wish, connection)
    (entry.account, entry.reason) = (account, reason)
    record(entry, connection)
    if reason == .locked, let session = connection.session { askToUnlock(account, for: session, connection) }
  }

  private func entry(_ act: DataKeyEntry.Act, _ wish: KeyWish, _ connection: Connection) -> DataKeyEntry {
    var entry = DataKeyEntry(act, person: connection.peer.person)
    (entry.app, entry.instance) = (connection.session?.app, connection.session?.logName)
    (entry.use, entry.object, entry.keyID) = (wish.use, wish.object.shortHex, wish.keyID?.hex)
    entry.peer = LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid)
    entry.generation = snapshot.generation
    return entry
  }

  private func record(_ entry: DataKeyEntry, _ connection: Connection) {
    journal.record(by: connection.peer.person) { $0.encode(entry, at: $1, into: &$2) }
  }
}

/// A call `DataKey` with its ids read.
struct KeyWish: Sendable {
  let account: String
  let use: DataKeyUse
  let object: SealedObjectID
  let keyID: KeyID?
  /// To read by a header: the account's id, in place of its name.
  let tag: AccountTag?

  init(_ call: DataKeyCall) throws(ServiceError) {
    guard let object = SealedObjectID(hex: call.object) else { throw .invalidParameter("object") }
    (account, use, self.object) = (call.account, call.use, object)
    switch call.use {
    case .write:
      guard call.keyID == nil else { throw .invalidParameter("keyId") }
      (keyID, tag) = (nil, nil)
    case .read:
      guard let id = call.keyID.flatMap({ KeyID(hex: $0) }) else { throw .invalidParameter("keyId") }
      (keyID, tag) = (id, SixteenBytes(hex: call.account).map(AccountTag.init))
    }
  }
}

extension KeyRing.Failure {
  var refusal: Refusal {
    switch self {
    case .keys(.unknownKey(let id)): .unknownKey(id.hex)
    case .keys(.destroyed(let id)): .keyDestroyed(id.hex)
    case .tooManyAccounts: .limitReached(.accounts, maximum: KeyRing.mostAccounts)
    case .keys, .closed: .keysUnavailable
    }
  }
}
