internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// The calls by which an app says what it shows: the engine carries them out, and the log has the results.
extension GuardCore {
  func perform(_ call: StateCall, _ connection: Connection) throws(Refusal) -> StateReply {
    let session = try attached(connection)
    let caller = Caller(session.instance, connection: connection.number)
    let time = journal.now()
    var change = StateChange(call)
    let isAnswered = describeSwitch(call, &change, session, at: time)
    defer { if call.isAboutIdentity { noteRefusal(session) } }
    do throws(Refusal) {
      try checkMemory(for: call, session)
      let reply = try engine.perform(call, for: caller, at: time)
      record(call, reply, &change, session, connection)
      if case .identity(let reply) = reply, reply.reason == .locked, let account = reply.refused {
        askToUnlock(account, for: session, connection)
      }
      return reply
    } catch {
      // An answer to nothing says nothing of accounts.
      if call.isAboutIdentity || isAnswered { recordRefusal(error, of: change, session, by: connection.peer) }
      throw error
    }
  }

  /// An account that could not be taken up is not shown; in single mode the owner of the data is unknown then.
  private func checkMemory(for call: StateCall, _ session: Session) throws(Refusal) {
    do throws(Refusal) {
      try serving.checkMemory(engine.growth(by: call, of: session.instance), of: session.memory)
    } catch {
      if call.isAboutIdentity { engine.refuseIdentity(of: session.instance) }
      throw error
    }
  }

  /// Fills in the switch that an answer is about, before it is over; false when no such switch is open.
  private func describeSwitch(
    _ call: StateCall, _ change: inout StateChange, _ session: Session, at time: UInt64
  ) -> Bool {
    guard case .answer(let request, _) = call, let id = SwitchRequestID(request),
      let asked = state.openRequests(of: session.instance, at: time).first(where: { $0.id == id })
    else { return false }
    change.window = asked.window.map { String(decoding: $0, as: UTF8.self) }
    change.identityLevel = asked.window == nil ? .process : .window
    change.account = state.name(of: asked.to)
    return true
  }

  private func record(
    _ call: StateCall, _ reply: StateReply, _ change: inout StateChange, _ session: Session, _ connection: Connection
  ) {
    // Known facts need not be told again.
    var isTold = false
    switch (call, reply) {
    case (.registerViewer(let viewer), _):
      change.document = loggedDocument(viewer.document, of: viewer.name, session, connection)
    case (.setDocument(let viewer, let document), _):
      change.document = loggedDocument(document, of: viewer, session, connection)
      // A private page that follows another one is not told again either.
      isTold = change.document == .withheld && !session.privateViewers.losesDocument(PrivateViewers.key(of: viewer))
    case (_, .identity(let reply)):
      if let result = reply.result, result != .success {
        return recordRefusal(result, of: change, session, by: connection.peer)
      }
      change.account = reply.stated
    default: break
    }
    record(change, of: session, by: connection.peer, isTold: isTold)
  }

  /// A refusal leaves an app that has to say something else first: earlier answers say nothing of later ones, and a
  /// daemon after this one has to know.
  private func noteRefusal(_ session: Session) {
    if state.hasNewNames { settle(session) }
    guard let instance = state.instance(session.instance), instance.owesIdentity || instance.hasOwedWindows else {
      return
    }
    forgetActions(of: session)
    session.forms.clear()
    guard instance.owesIdentity, !session.hasIdentity else { return }
    session.hasIdentity = true
    journal.keep(session)
  }

  /// A viewer's document as the log has it: not that of a viewer with unmanaged data, nor a page that such a
  /// viewer may have left behind.
  private func loggedDocument(
    _ text: String?, of viewer: String, _ session: Session, _ connection: Connection
  ) -> LoggedURL {
    let key = PrivateViewers.key(of: viewer)
    if state.isPrivate(
      viewer: viewer, scope: state.scope(of: Caller(session.instance, connection: connection.number)),
      in: session.instance, snapshot)
    {
      session.privateViewers.note(key)
      return text == nil ? .absent : .withheld
    }
    let url = loggedURL(text)
    if case .valid(let document) = url, !session.privateViewers.mayName(document, in: key) { return .withheld }
    session.privateViewers.hasDocument(key)
    return url
  }

  func loggedURL(_ text: String?) -> LoggedURL {
    guard let text else { return .absent }
    return URLText(reading: text).map(LoggedURL.valid) ?? .invalid(byteCount: text.utf8.count)
  }
}

/// Statements of apps about the identity they show that are not believed: the log has them, with both accounts where
/// two do not fit (ledger MI-28, AA-05).
extension GuardCore {
  /// Records a statement about identities, or the answer to a switch, that was refused.
  func recordRefusal(_ error: Refusal, of change: StateChange, _ session: Session, by peer: Peer) {
    var refusal = RefusedChange(shortened(change), error.refusalReason)
    if case .accountLocked(let stated) = error { refusal.stated = stated }
    if case .secondManagedAccount(let shown) = error { refusal.shown = shown }
    journal.record(refusal, of: session, by: peer)
  }

  /// Records a switch that was answered with another result than success.
  func recordRefusal(
    _ result: SwitchResult, of change: StateChange, _ session: Session, by peer: Peer
  ) {
    let named = change.accounts.isEmpty ? [change.account].compactMap(\.self) : change.accounts
    let states = named.map { state.standing(of: $0, in: session.instance, snapshot).state }
    var change = shortened(change)
    change.result = result
    journal.record(
      RefusedChange(change, states.lazy.compactMap(\.refusalReason).first ?? result.refusalReason), of: session,
      by: peer)
  }

  private func shortened(_ change: StateChange) -> StateChange {
    var change = change
    change.window = change.window.flatMap(nameIfShort)
    change.account = change.account.flatMap(nameIfShort)
    change.accounts = change.accounts.prefix(state.limits.accountsPerWindow).compactMap(nameIfShort)
    return change
  }

  /// A name that is too long to be one would be half a megabyte of pseudonym's work; that it was is the reason.
  private func nameIfShort(_ name: String) -> String? { name.utf8.count <= state.limits.nameBytes ? name : nil }
}

extension Refusal {
  /// Why a change of identity was refused, in the log's words.
  fileprivate var refusalReason: RefusedChange.Reason {
    switch self {
    case .unknownAccount: .unknownAccount
    case .accountLocked: .accountLocked
    case .secondManagedAccount: .secondManagedAccount
    case .identityModeSingle: .identityModeSingle
    case .limitReached: .limitReached
    case .noApp: .noApp
    default: .refused
    }
  }
}

extension SwitchResult {
  fileprivate var refusalReason: RefusedChange.Reason {
    switch self {
    case .canceled: .canceled
    case .notAllowed: .notAllowed
    case .failed: .failed
    case .success: .refused
    }
  }
}

extension AccountState {
  /// The log names a blocked account's refusal as the decision does.
  fileprivate var refusalReason: RefusedChange.Reason? {
    blockReason.flatMap { RefusedChange.Reason(rawValue: $0.rawValue) }
  }
}
