internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine

/// Timed exceptions: granted and taken back by administrators, each on record before anything rests on it.
extension GuardCore {
  func answer(_ call: ExceptionCall, _ request: borrowing Request, on connection: Connection) throws(AdminError) {
    switch call {
    case .add(let call): try grant(call, on: connection, isOneway: request.isOneway)
    case .list(let call):
      let kept = policy.exceptions.inForce.map { KeptException($0) } + (call.all == true ? policy.exceptions.ended : [])
      reply(ExceptionsReply(kept.map(ListedException.init)), to: connection, request)
    case .remove(let call): try remove(call.id, on: connection, isOneway: request.isOneway)
    }
  }

  // MARK: Granting

  /// It is in force when it is kept, and not before: a crash in between leaves one that the next daemon has, and says so.
  private func grant(_ call: AddExceptionCall, on connection: Connection, isOneway: Bool) throws(AdminError) {
    let now = journal.now()
    let exception = try TimedException(
      call, id: ExceptionID.make(policy.exceptions.isTaken), at: now, by: Administrator(connection))
    try check(exception)
    journal.state.note(time: now)
    let kept = KeptException(exception)
    guard !exception.endsWithDaemon else {
      return settle(ExceptionCallUnderWay(kept: kept, connection: connection, isOneway: isOneway), failure: nil)
    }
    journal.state.note(exception: kept, exception.id)
    wait(for: kept, on: connection, isOneway: isOneway)
  }

  private func check(_ exception: TimedException) throws(AdminError) {
    guard policy.exceptions.count < ExceptionBook.maximum else {
      throw .exceptionRefused(.tooMany, "there are \(ExceptionBook.maximum) already: take some back")
    }
    if let app = exception.app, snapshot.app(named: app) == nil {
      throw .exceptionRefused(.unknownApp, "the policy has no such app")
    }
    if let account = exception.account, !mayBeManaged(account) {
      throw .exceptionRefused(.unknownAccount, "the policy does not know the account")
    }
    guard exception.endsWithDaemon || (journal.state.isKept && journal.state.failure == nil) else {
      throw .exceptionRefused(.noState, "nothing outlives the daemon now: ask for it until the restart only")
    }
    guard !journal.isFailing else {
      throw .exceptionRefused(.logUnavailable, "the decision log cannot be written")
    }
  }

  /// If group members may be managed, any account may be bound.
  private func mayBeManaged(_ account: String) -> Bool {
    account.utf8.count <= state.limits.nameBytes
      && (state.knowsAccount(account, snapshot) || snapshot.protections.contains { !$0.groups.isEmpty })
  }

  // MARK: Taking back

  /// At once, even if the state cannot be written.
  private func remove(_ id: String, on connection: Connection, isOneway: Bool) throws(AdminError) {
    let now = journal.now()
    journal.state.note(time: now)
    let administrator = Administrator(connection)
    guard let kept = policy.exceptions.remove(id, at: now, by: administrator) else {
      throw .unknownException(shortened(id))
    }
    renewSnapshot()
    journal.record(kept, .removed, by: connection, under: snapshot.generation)
    note(kept)
    wait(for: kept, on: connection, isOneway: isOneway)
  }

  private func shortened(_ id: String) -> String { String(id.prefix(64)) }

  // MARK: Ending

  /// Ends the exceptions that are over by `now`, in milliseconds since 1970.
  func endExceptions(at now: UInt64) {
    let over = policy.exceptions.endOverdue(at: now, uptime: SystemClock.uptime)
    guard !over.isEmpty else { return }
    journal.state.note(time: now)
    renewSnapshot()
    for kept in over {
      logger.notice("exception is over", metadata: ["id": "\(kept.exception.id)"])
      journal.record(kept, .ended, under: snapshot.generation)
      note(kept)
    }
  }

  /// As `endExceptions`, every second: also of those whose time passed while the clock stood still.
  func endExceptionsWhileIdle(at now: UInt64) {
    let book = policy.exceptions
    if now >= book.nextEnd || book.hasOverstayed(uptime: SystemClock.uptime) { endExceptions(at: now) }
  }

  // MARK: Keeping

  /// Answers when the state file has the change.
  private func wait(for kept: KeptException, on connection: Connection, isOneway: Bool) {
    let call = ExceptionCallUnderWay(kept: kept, connection: connection, isOneway: isOneway)
    guard journal.state.isKept, !kept.exception.endsWithDaemon else { return settle(call, failure: nil) }
    policy.exceptions.calls.append(call)
    whenKept(on: connection) { core, failure in
      core.policy.exceptions.calls.removeAll { $0.kept == kept }
      core.settle(call, failure: failure)
    }
  }

  private func settle(_ call: ExceptionCallUnderWay, failure: String?) {
    let id = call.kept.exception.id
    if call.isGrant {
      if failure == nil { begin(call.kept, by: call.connection) } else { journal.state.note(exception: nil, id) }
    }
    guard !call.isOneway, serving.isOpen(call.connection) else { return }
    if let failure { return reply(AdminError.exceptionNotKept(id, cause: failure), to: call.connection) }
    writer.reset()
    writer.answer(ExceptionReply(ListedException(call.kept), generation: snapshot.generation.number))
    hold(on: call.connection, record: journal.newest)
  }

  private func begin(_ kept: KeptException, by connection: Connection) {
    policy.exceptions.begin(kept.exception, at: journal.now(), uptime: SystemClock.uptime)
    renewSnapshot()
    journal.record(kept, .added, by: connection, under: snapshot.generation)
  }

  /// Writes down that one ended, and forgets the oldest of these.
  private func note(_ kept: KeptException) {
    if !kept.exception.endsWithDaemon { journal.state.note(exception: kept, kept.exception.id) }
    for id in policy.exceptions.forgetOldest() { journal.state.note(exception: nil, id) }
  }

  // MARK: The start

  /// Takes up the exceptions that an earlier daemon granted; before the policy loads, so that the first snapshot has
  /// them.
  func take(exceptionsOf opened: OpenedState) {
    let (now, uptime) = (journal.now(), SystemClock.uptime)
    let kept = opened.records.exceptions.values.compactMap(\.self)
    for kept in kept.sorted(by: { ($0.exception.since, $0.exception.id) < ($1.exception.since, $1.exception.id) }) {
      if kept.endedAt == nil {
        policy.exceptions.begin(kept.exception, at: now, uptime: uptime)
      } else {
        policy.exceptions.recall(kept)
      }
    }
  }

  /// Says in the log which exceptions this daemon starts with, which ended meanwhile, and that they are lost.
  func tellOfExceptions(of opened: OpenedState) {
    if let loss = opened.loss { journal.recordLostExceptions(loss, under: snapshot.generation) }
    endExceptionsWhileIdle(at: journal.now())
    for exception in policy.exceptions.inForce {
      journal.record(KeptException(exception), .kept, under: snapshot.generation)
    }
  }
}
