internal import Bytes
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
  /// Looks up who connected, beside the loop, and lets in whom the machine or the policy knows: `enter` gets nil for
  /// anybody else. False, and `enter` is never called, when too many stand at the door.
  func admit(_ caller: AcceptedPeer, then enter: @escaping (LookUps.Arrival?) -> Void) -> Bool {
    guard serving.beginArrival(of: caller.peer) else { return false }
    let bound = NIOLoopBound((self, enter), eventLoop: loop)
    lookUps.arrival(of: caller, on: loop).whenComplete { result in
      let (core, enter) = bound.value
      enter(core.serving.endArrival(try? result.get(), served: caller.served, core.snapshot))
      core.submit()
    }
    return true
  }

  func open(_ channel: any NIOCore.Channel, _ arrival: LookUps.Arrival, served: InterfaceSet) -> Connection? {
    serving.open(channel, arrival, served: served, place: journal.place(of: arrival.peer.person))
  }

  /// Closes a connection to its peer; nothing more of it is answered.
  func end(_ connection: Connection) {
    close(connection)
    connection.channel.close(promise: nil)
    connection.resume()
  }

  /// A connection is over: its place and its memory are free, and its instance is without it.
  func close(_ connection: Connection) {
    guard serving.close(connection) else { return }
    if directories.keeper === connection { directories.loseKeeper() }
    guard let session = connection.session else { return }
    engine.leave(Caller(session.instance, connection: connection.number), at: journal.now())
    leave(session)
  }

  // MARK: Names

  /// Answers `WhoAmI`, when the names of the peer's groups are there.
  func answerWhoAmI(on connection: Connection, isOneway: Bool) {
    guard !isOneway else { return }
    connection.isBusy = true
    if serving.beginNaming(connection) { lookUpNames(for: connection) }
  }

  private func lookUpNames(for connection: Connection) {
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    lookUps.names(ofGroups: Set(connection.peer.groups).sorted(), on: loop).whenComplete { result in
      let (core, connection) = bound.value
      core.tellWho(connection, groups: (try? result.get()) ?? [])
      if let next = core.serving.nextNaming(of: connection.peer.person) { core.lookUpNames(for: next) }
    }
  }

  private func tellWho(_ connection: Connection, groups: [String]) {
    guard connection.isOpen else { return }
    connection.isBusy = false
    writer.reset()
    writer.answer(whoAmI(connection.peer, groups: groups))
    hold(on: connection, record: journal.newest)
    submit()
    connection.resume()
  }

  // MARK: Replies

  /// Ends a batch: hands its records to the log and sends the replies that need not wait for it.
  func submit() {
    journal.submit(&state)
    release()
  }

  /// Sends every reply whose record is written, and whose change of state.
  func release() {
    vitals.metrics.note(held: journal.heldReplies)
    let (written, settled, isFailing) = (journal.settled, journal.state.settled, journal.isFailing)
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
    connection.outgoing.removeAll()
    if isFailing {
      withdraw(
        connection.held.releaseAll(
          insteadOfAllowing: refusalWhileFailing, state: settled, into: &connection.outgoing))
    } else {
      connection.held.release(
        through: written, state: settled, into: &connection.outgoing, observing: &vitals.metrics.answering)
    }
    if !connection.outgoing.isEmpty { send(connection.outgoing.span, to: connection) }
    serving.account(connection)
    scheduleResume(of: connection)
  }

  /// Writes answers, behind all that were written before.
  func send(_ bytes: Span<UInt8>, to connection: Connection) {
    guard let outlet = connection.outlet else { return }
    let sent = connection.queuedWrites == 0 ? outlet.sendAtOnce(bytes) : 0
    guard sent < bytes.count else { return }
    let isLong = bytes.count > Connection.smallWrite
    queue(bytes.extracting(sent..<bytes.count), isLong: isLong, on: connection, outlet)
  }

  /// Writes answers that the socket did not take at once; those of a long write count until the peer takes them.
  private func queue(_ bytes: Span<UInt8>, isLong: Bool, on connection: Connection, _ outlet: Outlet) {
    var buffer = connection.channel.allocator.buffer(capacity: bytes.count)
    _ = bytes.withUnsafeBytes { buffer.writeBytes($0) }
    let count = isLong ? bytes.count : 0
    connection.queuedWrites += 1
    connection.leavingBytes += count
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    outlet.queue.writeAndFlush(NIOAny(buffer)).assumeIsolated().whenComplete { _ in
      let (core, connection) = bound.value
      connection.queuedWrites -= 1
      connection.leavingBytes -= count
      if count > 0, core.serving.isOpen(connection) { core.serving.account(connection) }
    }
  }

  /// The log takes records again: connections that were held up go on, those without replies of their own among them.
  func resumeAll() {
    for connection in serving.connections.values { scheduleResume(of: connection) }
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
