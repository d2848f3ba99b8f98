internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Connections come and go; instances outlive them by a grace period.
extension GuardCore {
  /// Counts a connection in; nil when its user, or all together, have too many.
  func open(_ channel: any NIOCore.Channel, _ arrival: LookUps.Arrival, served: InterfaceSet) -> Connection? {
    let peer = arrival.peer
    guard served == .adminSocket ? administrators < Self.maximumAdministrators : quotas.admit(peer.person) else {
      vitals.metrics.refusedConnections += 1
      tell(.tooManyConnections, of: peer.person, ["uid": "\(peer.uid)", "total": "\(quotas.total)"])
      return nil
    }
    connectionCount += 1
    let connection = Connection(
      number: connectionCount, peer: peer, channel: channel, served: served, memory: quotas.memory(of: peer.person))
    connection.userName = arrival.userName
    connection.logPlace = journal.place(of: peer.person)
    connections[ObjectIdentifier(connection)] = connection
    if served == .adminSocket { administrators += 1 }
    return connection
  }

  /// Administrators have places of their own, so that no flood of apps locks them out.
  private static let maximumAdministrators = 64

  func close(_ connection: Connection) {
    let key = ObjectIdentifier(connection)
    guard connections.removeValue(forKey: key) != nil else { return }
    connection.isOpen = false
    connection.underWay = nil
    underWay[key] = nil
    if connection.refusals > Connection.refusalsTold {
      tell(
        .refusedCalls, of: connection.peer.person, connection.metadata(["count": "\(connection.refusals)"]), at: .notice
      )
    }
    discharge(connection)
    watchers[key] = nil
    subscribers[key] = nil
    if connection.served == .adminSocket { administrators -= 1 } else { quotas.release(connection.peer.person) }
    guard let session = connection.session else { return }
    engine.leave(Caller(session.instance, connection: connection.number), at: journal.now())
    leave(session)
  }

  /// Joins a connection to an instance, which may have been waiting for it.
  func join(_ session: Session, _ connection: Connection) {
    session.connections += 1
    session.ending?.cancel()
    session.ending = nil
    connection.session = session
    record(StateChange(.attach), of: session, by: connection.peer)
  }

  private func leave(_ session: Session) {
    session.connections -= 1
    guard session.connections == 0 else { return }
    let token = session.token
    let core = NIOLoopBound(self, eventLoop: loop)
    session.ending = loop.scheduleTask(in: .seconds(Int64(policy.settings.graceSeconds))) { core.value.end(token) }
  }

  private func end(_ token: String) {
    guard let session = sessions.removeValue(forKey: token) else { return }
    forgetActions(of: session)
    journal.recordRefusals(of: session)
    memory.register(state.end(session.instance), of: session.memory)
    settle(session)
    vitals.recentEvents.orphan(session.instance, uid: session.peer.person)
    journal.forget(token)
    var change = StateChange(.instanceEnd)
    change.app = session.app
    record(change, of: session, by: session.peer)
    submit()
  }

  // MARK: The log

  /// Records a change of state, before the answer that tells of it.
  ///
  /// - Parameter isTold: the log says it already.
  func record(_ change: StateChange, of session: Session, by peer: Peer, isTold: Bool = false) {
    forgetActions(of: session)
    session.forms.clear()
    journal.noteIdentity(change, session)
    settle(session)
    if !isTold { journal.record(change, of: session, by: peer) }
  }

  /// A change of state ends every action: earlier answers say nothing of later ones.
  func forgetActions(of session: Session) { journal.recordRepeats(session.actions.clear()) }

  /// Ends a batch: hands its records to the log and sends the replies that need not wait for it.
  func submit() {
    journal.submit(&state)
    release()
  }

  /// Sends every reply whose record is written, and whose change of state.
  func release() {
    vitals.metrics.note(held: journal.heldReplies)
    let (written, settled, isFailing) = (journal.settled, journal.settledChange, journal.isFailing)
    var kept = 0
    for index in journal.waiting.indices {
      let connection = journal.waiting[index]
      if isFailing || connection.held.isReady(through: written, state: settled) {
        release(connection, through: written, state: settled, isFailing: isFailing)
      }
      connection.isWaiting = connection.held.count > 0 && connection.isOpen
      guard connection.isWaiting else { continue }
      journal.waiting[kept] = connection
      kept += 1
    }
    journal.waiting.removeLast(journal.waiting.count - kept)
  }

  /// Sends a connection's replies that may leave, in one write. The buffer is its own and is used again.
  private func release(_ connection: Connection, through written: UInt64, state settled: UInt64, isFailing: Bool) {
    connection.outgoing.clear()
    if isFailing {
      withdraw(
        connection.held.releaseAll(
          insteadOfAllowing: refusalWhileFailing, state: settled, into: &connection.outgoing))
    } else {
      connection.held.release(
        through: written, state: settled, into: &connection.outgoing, observing: &vitals.metrics.answering)
    }
    if connection.outgoing.readableBytes > 0 { send(connection.outgoing, to: connection) }
    account(connection)
    scheduleResume(of: connection)
  }

  /// The log takes records again: connections that were held up go on, those without replies of their own among them.
  func resumeAll() {
    for connection in connections.values { scheduleResume(of: connection) }
  }

  /// Lets a connection go on that was held up. Never on the spot: the call that led here may still be reading another
  /// connection's frame.
  private func scheduleResume(of connection: Connection) {
    guard connection.isHeldUp, !connection.isResumeScheduled else { return }
    connection.isResumeScheduled = true
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    loop.execute {
      let (core, connection) = bound.value
      connection.isResumeScheduled = false
      connection.resume()
      core.submit()
    }
  }

  /// Says in the log, once it can be written, which answers never left although their records say so.
  func withdraw(_ replies: [ClosedRange<DecisionID>]) {
    for number in replies.lazy.flatMap({ $0.lowerBound.number...$0.upperBound.number }) {
      let decision = DecisionID(number: number)
      vitals.recent.withdraw(decision)
      journal.record { $0.encodeWithdrawal(of: decision.text, at: $1, into: &$2) }
    }
  }

  /// The answer in place of one that would let something happen while nothing can be recorded.
  private var refusalWhileFailing: [UInt8]? {
    guard journal.refusesToAllow else { return nil }
    writer.reset()
    writer.answer(Refusal.logUnavailable)
    return writer.bytes
  }
}

extension Session {
  static let logNameLength = 16
}
