internal import AccountKeys
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyEngine

/// Labels of files: the daemon makes and reads them, and opens no file (ledger FO; design, accounts, section 8). A daemon of
/// root that followed the paths of its users would do their work with its rights.
extension GuardCore {
  // MARK: Reading

  /// Puts the owners that an event's label and facts name into the event, for the engine. The person is the connection's:
  /// another person's label is genuine, and names nobody here.
  func readOwners(of event: inout Event, for session: Session, _ connection: Connection) {
    let person = connection.peer.person
    if case .unread(let slot) = event.labelOwner {
      let label = keys.labelKey?.label(hex: event.bytes(slot))
      event.labelOwner = claim(label.flatMap { $0.owner.uid == person ? $0.owner : nil }, &event, session)
    }
    if case .unread(let slot) = event.keptOwner {
      let file = FileTable.key(of: event.string(slot) ?? "")
      let owner = keys.files.owner(of: file, person).map { KeyOwner(uid: person, account: $0) }
      event.keptOwner = owner == nil ? .none : claim(owner, &event, session)
    }
  }

  private func claim(_ owner: KeyOwner?, _ event: inout Event, _ session: Session) -> FileOwnerClaim {
    guard let owner else { return .unknown }
    let names = namesKnown(of: owner, in: session)
    // The policy may have lost some of them.
    let known = names.compactMap { engine.account(named: $0) }
    guard Self.isOne(known), let name = known.first ?? names.first else { return .unknown }
    return .account(event.append(name))
  }

  func readLabel(_ call: ReadLabelCall, _ connection: Connection) throws(Refusal) -> FileOwner {
    let session = try attached(connection)
    let caller = try caller(connection)
    let time = journal.now()
    defer { if state.hasNewNames { settle(session) } }
    var event = Event(label: call.label, file: call.file, origin: call.origin)
    try engine.check(event)
    readOwners(of: &event, for: session, connection)
    return try engine.owner(ofFile: &event, for: caller, at: time)
  }

  // MARK: Making

  func fileCreated(_ call: FileCreatedCall, _ request: borrowing Request, on connection: Connection) throws {
    let session = try attached(connection)
    try checkRoomForKeys(connection)
    let caller = try caller(connection)
    let time = journal.now()
    defer { if state.hasNewNames { settle(session) } }
    var event = Event(label: call.directory, file: call.file)
    try engine.check(event)
    readOwners(of: &event, for: session, connection)
    let owner: FileOwner
    do throws(Refusal) { owner = try engine.owner(ofNewFile: &event, for: caller, at: time) } catch {
      recordRefusal(error, of: nil, connection)
      throw error
    }
    // Nobody can make a label for an owner that nobody can name: the directory's own one is handed on.
    let inherited = owner.standing == .unknown ? call.directory : nil
    try give(owner, call.store ?? .attribute, call.file, inherited: inherited, request, on: connection)
  }

  func setOwner(_ call: SetOwnerCall, _ request: borrowing Request, on connection: Connection) throws {
    let session = try attached(connection)
    try checkRoomForKeys(connection)
    let caller = try caller(connection)
    let time = journal.now()
    try serving.checkMemory(engine.growth(by: .maySignIn(call.account), of: caller), of: session.memory)
    defer { if state.hasNewNames { settle(session) } }
    var event = Event(label: call.label, file: call.file, origin: call.origin)
    try engine.check(event)
    readOwners(of: &event, for: session, connection)
    let owner: FileOwner
    do throws(Refusal) { owner = try engine.setOwner(call.account, ofFile: &event, for: caller, at: time) } catch {
      recordRefusal(error, of: call.account, connection)
      throw error
    }
    let store = call.store ?? .attribute
    if let label = present(owner, store, call, connection) {
      return reply(LabelReply(owner, label: label.isEmpty ? nil : label), to: connection, request)
    }
    try give(owner, store, call.file, inherited: nil, request, on: connection)
  }

  /// The label of a file that has this owner already, as the program passed it; empty where the table has it. Nil where there
  /// is something to give or to keep. A program that states an owner again and again fills no log.
  private func present(
    _ owner: FileOwner, _ store: LabelStore, _ call: SetOwnerCall, _ connection: Connection
  ) -> String? {
    guard let name = owner.names.first, owner.account != nil else { return nil }
    let holder = KeyOwner(uid: connection.peer.person, account: AccountTag(foldedName: name))
    guard keys.book.holders[holder]?.names == owner.names else { return nil }
    switch store {
    case .none: return nil
    case .attribute:
      let label = call.label.flatMap { keys.labelKey?.label(hex: $0.utf8.span) }
      return label == FileLabel(owner: holder, key: keys.ring?.newestKey(of: holder)) ? call.label : nil
    case .table:
      let file = call.file.map { FileTable.key(of: $0) }
      return file.flatMap { keys.files.owner(of: $0, holder.uid) } == holder.account ? "" : nil
    }
  }

  /// Answers with the label, or keeps the owner in the table. A label that is given is a record, and none leaves without it.
  private func give(
    _ owner: FileOwner, _ store: LabelStore, _ facts: String?, inherited: String?, _ request: borrowing Request,
    on connection: Connection
  ) throws {
    guard let name = owner.names.first, let account = owner.account else {
      let isKept = store == .attribute || owner.standing == .unmanaged
      let label = store == .attribute ? inherited : nil
      return reply(LabelReply(owner, label: label, mustSeal: !isKept), to: connection, request)
    }
    guard let key = keys.labelKey else { throw Refusal.keysUnavailable }
    let holder = KeyOwner(uid: connection.peer.person, account: AccountTag(foldedName: name))
    guard keys.book.note(owner.names, of: holder, most: KeyRing.mostAccounts) else {
      throw Refusal.limitReached(.accounts, maximum: KeyRing.mostAccounts)
    }
    keepKeyBook()
    if store == .none { return reply(LabelReply(owner, mustSeal: true), to: connection, request) }
    var answer = LabelReply(owner)
    if store == .table {
      guard let facts, !facts.isEmpty else { throw ServiceError.invalidParameter("file") }
      try keep(holder, facts)
    } else {
      let label = FileLabel(owner: holder, key: keys.ring?.newestKey(of: holder))
      answer.label = key.hex(of: label)
    }
    let record = recordLabel(holder, account, connection)
    answerKept(answer, on: connection, isOneway: request.isOneway, allowing: record) { _ in Refusal.stateUnavailable }
  }

  private func keep(_ holder: KeyOwner, _ facts: String) throws(Refusal) {
    let file = FileTable.key(of: facts)
    guard keys.files.hasRoom(for: file, of: holder.uid) else {
      throw .limitReached(.files, maximum: FileTable.mostFiles)
    }
    guard keys.files.note(holder.account, of: file, holder.uid) else { return }
    journal.state.note(owner: holder.account, of: FilePlace(person: holder.uid, file: file))
  }

  // MARK: Records

  private func recordLabel(_ holder: KeyOwner, _ account: String, _ connection: Connection) -> Withdrawable {
    var entry = labelEntry(.labelled, connection)
    (entry.account, entry.keyID) = (account, keys.ring?.newestKey(of: holder)?.hex)
    let id = journal.nextDecision()
    entry.id = id.text
    journal.record(by: holder.uid) { $0.encode(entry, at: $1, into: &$2) }
    return Withdrawable(id)
  }

  /// Somebody tries to take a file from its owner, or to create one without having said who works.
  private func recordRefusal(_ refusal: Refusal, of account: String?, _ connection: Connection) {
    guard refusal.code == .ownerStays || refusal.code == .keyWithheld else { return }
    var entry = labelEntry(.unlabelled, connection)
    (entry.account, entry.refusal) = (account, refusal.code)
    journal.record(by: connection.peer.person) { $0.encode(entry, at: $1, into: &$2) }
  }

  private func labelEntry(_ act: DataKeyEntry.Act, _ connection: Connection) -> DataKeyEntry {
    var entry = DataKeyEntry(act, person: connection.peer.person)
    (entry.app, entry.instance) = (connection.session?.app, connection.session?.logName)
    entry.peer = LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid)
    entry.generation = snapshot.generation
    return entry
  }
}

extension Event {
  /// The question about a file that is there, with what its program read of it.
  fileprivate init(label: String?, file: String?, origin: String? = nil) {
    self.init(.open)
    labelOwner = claim(label)
    keptOwner = claim(file)
    self.origin = origin.map { append($0) }
  }

  /// A text that is too long for any label is a broken one.
  private mutating func claim(_ text: String?) -> FileOwnerClaim {
    guard let text else { return .none }
    return text.utf8.count > 256 ? .unknown : .unread(append(text))
  }
}
