package import GuardModel

/// The owners of files: the engine says whose a file is, and knows no label (ledger FO; design, accounts, section 8).
extension Guard {
  /// The owner of a file by its label, the table and its origin: the strictest of them.
  ///
  /// - Parameter event: `Event(.open)` with `labelOwner`, `keptOwner` and `origin`.
  package mutating func owner(
    ofFile event: inout Event, for caller: Caller, at time: UInt64
  ) throws(Refusal) -> FileOwner {
    let question = try fileQuestion(&event, caller, at: time)
    let (owner, beside) = state.ownerOfFile(said: EventAccount(), event, question, of: caller.instance)
    return state.fileOwner(owner, beside, question)
  }

  /// The owner of a file that is created, or emptied: the account that the program's files belong to, else that of the
  /// directory (ledger FO-02, FO-08, MI-11, MI-15). A directory whose owner nobody can name makes the file such a one. An
  /// entry of the table stays: a program says by itself that the file is the same.
  ///
  /// - Parameter event: `Event(.open)` with the words of the directory's label and of the table.
  /// - Throws: `keyWithheld` with the reason `noIdentity`, while the program has not said whose its files are; `ownerStays`
  ///   where the table has another managed owner.
  package mutating func owner(
    ofNewFile event: inout Event, for caller: Caller, at time: UInt64
  ) throws(Refusal) -> FileOwner {
    let question = try fileQuestion(&event, caller, at: time)
    if let gate = question.gate, gate.reason == .noIdentity { throw .keyWithheld(account: "", reason: .noIdentity) }
    let kept = state.tableOwner(event, question, of: caller.instance)
    if let kept, kept.party.contradicts(question.party) {
      throw .ownerStays(state.fileOwner(kept, [], question).account ?? "")
    }
    let directory = state.ownerOfFile(said: EventAccount(), event, question, of: caller.instance).owner
    if directory.isUnknown { return FileOwner(.unknown) }
    let inherited = kept ?? directory
    return state.fileOwner(question.party == .unmanaged ? inherited : question.ownPlace, [], question)
  }

  /// The owner that a program states for a file (ledger FO-03). Stating it again changes nothing (FO-05).
  ///
  /// - Parameter account: `""` is nobody.
  /// - Throws: `ownerStays` for a file of another managed owner: only new content has a new one.
  package mutating func setOwner(
    _ account: String, ofFile event: inout Event, for caller: Caller, at time: UInt64
  ) throws(Refusal) -> FileOwner {
    let question = try fileQuestion(&event, caller, at: time)
    let stated = try state.statedOwner(account, in: caller.instance, snapshot)
    let (present, beside) = state.ownerOfFile(said: EventAccount(), event, question, of: caller.instance)
    let isFree = present.party == .unmanaged
    // An owner that nobody can name is no account, as nobody is none: the two must not be taken for the same.
    guard !present.isUnknown, isFree || (present.party.account == stated.party.account && beside.isEmpty) else {
      throw .ownerStays(state.fileOwner(present, beside, question).account ?? "")
    }
    return state.fileOwner(stated, [], question)
  }

  private mutating func fileQuestion(
    _ event: inout Event, _ caller: Caller, at time: UInt64
  ) throws(Refusal) -> Question {
    note(time)
    event.time = time
    event.scope = state.scope(of: caller)
    guard snapshot.hasPolicy, let question = state.fileQuestion(event, of: caller.instance, snapshot) else {
      throw .noApp
    }
    return question
  }
}

extension GuardState {
  fileprivate mutating func statedOwner(
    _ name: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> EventAccount {
    guard !name.isEmpty, try account(name, in: id, snapshot).account != nil else { return EventAccount(isSaid: true) }
    return namedAccount(name, of: id, snapshot)
  }

  /// - Parameter beside: its other managed owners: a file of two is the caller's alone no more.
  fileprivate func fileOwner(_ owner: EventAccount, _ beside: [Party], _ question: Question) -> FileOwner {
    guard !owner.isUnknown else { return FileOwner(.unknown) }
    guard case .managed(let account, let own) = owner.party else { return FileOwner(.unmanaged) }
    let protections = beside.reduce(own) { $0.union($1.protections) }
    var found = FileOwner(question.party.account == account && beside.isEmpty ? .mine : .managed)
    (found.account, found.names) = (accounts.displayName(account), keyNames(of: account))
    found.mustEncrypt = question.snapshot.first(of: protections) { $0.encrypt } != nil
    return found
  }
}
