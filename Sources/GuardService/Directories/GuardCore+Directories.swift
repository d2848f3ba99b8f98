internal import AccountKeys
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine
internal import Secrets

/// Directories of accounts: apps ask for them, the engine says whether the account may work, and a program of root's opens
/// and closes them (ledger FE-01; design, accounts, section 8).
///
/// The daemon itself has no rights to mount anything or to touch a file of anybody's. The keeper has them, and neither
/// knows which account may work nor has a key that the daemon did not give it.
extension GuardCore {
  // MARK: Apps

  func openDirectory(_ call: OpenDirectoryCall, for connection: Connection) throws -> OpenDirectoryReply {
    let time = journal.now()
    journal.state.note(time: time)
    let session = try attached(connection)
    let caller = try caller(connection)
    defer { if state.hasNewNames { settle(session) } }
    try serving.checkMemory(engine.growth(by: .maySignIn(call.account), of: caller), of: session.memory)
    let claim = try engine.keyClaim(of: call.account, for: caller, at: time)
    let person = connection.peer.person
    let owners = self.owners(of: person, named: claim.names)
    guard let owner = owners.first, owners.allSatisfy({ keys.book.owed[$0] == nil }) else {
      throw Refusal.keyWithheld(account: claim.account, reason: .accountWiped)
    }
    guard let way = engine.directoryWay(of: claim.names, person: person) else { return OpenDirectoryReply(.none) }
    // A wipe of the app ends its use of the account's keys, as of those for sealed data.
    keys.book.note(claim.names, of: owner, by: session.app)
    keepKeyBook()
    if let wish = directories.wishes[owner], wish.way == way, wish.state != .failed {
      return OpenDirectoryReply(wish.state, path: wish.path)
    }
    return want(DirectoryBook.Wish(claim, formers: owners.dropFirst(), way), owner)
  }

  private func want(_ wish: DirectoryBook.Wish, _ owner: KeyOwner) -> OpenDirectoryReply {
    let before = directories.wishes[owner]
    guard directories.keeper != nil else { return OpenDirectoryReply(.failed, problem: DirectoryBook.noKeeper) }
    guard directories.ways.contains(wish.way) else {
      return OpenDirectoryReply(.failed, problem: "this machine cannot keep directories by \(wish.way.rawValue)")
    }
    // The keeper tries again by itself; it is not asked more often because an app asks more often.
    if let before, before.way == wish.way {
      return OpenDirectoryReply(before.state, path: before.path, problem: before.problem)
    }
    guard directories.add(wish, of: owner) else {
      return OpenDirectoryReply(.failed, problem: "the person has \(DirectoryBook.most) directories open already")
    }
    tellKeeper()
    return OpenDirectoryReply(.opening)
  }

  // MARK: The keeper

  func answer(_ order: DirectoryOrder, _ request: borrowing Request, on connection: Connection) throws {
    // The group of administrators reads and orders; keys of other persons are root's alone.
    guard connection.peer.uid == 0 else { throw ServiceError.permissionDenied }
    switch order {
    case .keep(let call): try keep(call, connection)
    case .key(let call): try directoryKey(call, on: connection, isOneway: request.isOneway)
    case .note(let call):
      let owner = try KeyOwner(call.uid, call.accountID)
      if call.state == .failed, directories.wishes[owner]?.problem != call.problem {
        let cause = call.problem ?? "no cause is told"
        logger.error("an account's directory is not usable", metadata: ["uid": "\(call.uid)", "cause": "\(cause)"])
      }
      directories.note(call.state, of: owner, path: call.path, problem: call.problem)
      reply(EmptyReply(), to: connection, request)
    }
  }

  /// Directories that are open stay so where their accounts may work now.
  private func keep(_ call: KeepDirectoriesCall, _ connection: Connection) throws {
    let open = try call.open.map { (owner: try KeyOwner($0.uid, $0.accountID), path: $0.path) }
    directories.take(keeper: connection, ways: Set(call.ways))
    for directory in open { adopt(directory.owner, path: directory.path) }
    for (owner, wish) in directories.wishes {
      let known = open.first { $0.owner == owner || wish.formers.contains($0.owner) }
      directories.note(known == nil ? .opening : .open, of: owner, path: known?.path, problem: nil)
    }
    settleDirectories()
  }

  private func adopt(_ directory: KeyOwner, path: String) {
    let person = directory.uid
    guard let claim = engine.claim(of: person, where: { self.owners(of: person, named: $0.names).contains(directory) }),
      let way = engine.directoryWay(of: claim.names, person: person)
    else { return }
    let owners = self.owners(of: person, named: claim.names)
    guard let owner = owners.first, directories.wishes[owner] == nil else { return }
    var wish = DirectoryBook.Wish(claim, formers: owners.dropFirst(), way)
    (wish.state, wish.path) = (.open, path)
    _ = directories.add(wish, of: owner)
  }

  /// Gives up directories whose account may not work any longer, or whose person is gone. Called after every change to
  /// accounts, and every second.
  ///
  /// - Parameter persons: those whose accounts may have changed; nil for all.
  func settleDirectories(of persons: Set<UInt32>? = nil) {
    let now = SystemClock.uptime
    for (owner, wish) in directories.wishes where persons?.contains(owner.uid) ?? true {
      let isUnused = directories.isUnused(owner, hasPrograms: !sessions.of(owner.uid).isEmpty, at: now)
      let isOwed = ([owner] + wish.formers).contains { keys.book.owed[$0] != nil }
      guard isUnused || isOwed || engine.directoryWay(of: wish.names, person: owner.uid) != wish.way else { continue }
      directories.remove(owner)
    }
    tellKeeper()
  }

  private func tellKeeper() {
    // A keeper that does not read gets the whole list once it does.
    guard let keeper = directories.keeper, keeper.channel.isWritable, directories.takeStale() else { return }
    let wanted = directories.wishes.map { owner, wish in
      KeepDirectoriesReply.Directory(
        uid: owner.uid, accountID: owner.account.value.hex, formerIDs: wish.formers.map(\.account.value.hex),
        way: wish.way)
    }
    writer.reset()
    writer.answer(
      KeepDirectoriesReply(wanted.sorted { ($0.uid, $0.accountID) < ($1.uid, $1.accountID) }), continues: true)
    hold(on: keeper, record: 0)
  }

  // MARK: Keys

  /// The keeper gets the key of a directory that has to be open, and of no other one.
  private func directoryKey(_ call: DirectoryKeyCall, on connection: Connection, isOneway: Bool) throws {
    let owner = try KeyOwner(call.uid, call.accountID)
    guard let object = SealedObjectID(hex: call.object) else { throw ServiceError.invalidParameter("object") }
    let keyID = try call.keyID.map { text throws(ServiceError) in
      guard let id = KeyID(hex: text) else { throw .invalidParameter("keyId") }
      return id
    }
    settleDirectories()
    guard let wish = directories.wishes[owner] else { throw Refusal.unknownAccount(call.accountID) }
    guard !journal.refusesToAllow else { throw Refusal.logUnavailable }
    guard let ring = keys.ring, keys.failure == nil else { throw Refusal.keysUnavailable }
    guard !isOneway else { return }
    connection.isBusy = true
    let question = KeyRing.Question(keyID: keyID, object: object, use: .directory, owners: [owner] + wish.formers)
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    ring.key(question, for: loop).assumeIsolated().whenSuccess { result in
      let (core, connection) = bound.value
      connection.isBusy = false
      core.recordCopies()
      core.hand(result, of: wish, owner, object, to: connection)
      core.submit()
      connection.resume()
    }
  }

  private func hand(
    _ result: Result<KeyRing.Answer, KeyRing.Failure>, of wish: DirectoryBook.Wish, _ owner: KeyOwner,
    _ object: SealedObjectID, to connection: Connection
  ) {
    guard serving.isOpen(connection) else { return }
    guard directories.wishes[owner] != nil else {
      return reply(Refusal.keyWithheld(account: wish.account, reason: .accountBlocked), to: connection)
    }
    guard !journal.refusesToAllow else { return reply(Refusal.logUnavailable, to: connection) }
    switch result {
    case .failure(let failure): reply(failure.refusal, to: connection)
    case .success(let issued):
      let id = journal.nextDecision()
      record(issued, id, of: wish, owner, object, connection)
      writer.reset()
      writer.answer(
        DataKeyReply(key: issued.key.bytes.hex, keyID: issued.key.id.hex, accountID: owner.account.value.hex))
      hold(on: connection, record: journal.newest, allowing: Withdrawable(id))
    }
  }

  private func record(
    _ issued: KeyRing.Answer, _ id: DecisionID, of wish: DirectoryBook.Wish, _ owner: KeyOwner,
    _ object: SealedObjectID, _ connection: Connection
  ) {
    var entry = DataKeyEntry(.opened, person: owner.uid)
    (entry.id, entry.account, entry.keyID) = (id.text, wish.account, issued.key.id.hex)
    entry.object = object.shortHex
    entry.peer = LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid)
    entry.generation = snapshot.generation
    journal.record { $0.encode(entry, at: $1, into: &$2) }
  }
}

extension DirectoryBook.Wish {
  fileprivate init(_ claim: KeyClaim, formers: some Sequence<KeyOwner>, _ way: FileEncryption) {
    self.init(account: claim.account, names: claim.names, formers: Array(formers), way: way)
  }
}

extension KeyOwner {
  fileprivate init(_ uid: UInt32, _ accountID: String) throws(ServiceError) {
    guard let account = SixteenBytes(hex: accountID) else { throw .invalidParameter("accountId") }
    self.init(uid: uid, account: AccountTag(account))
  }
}
