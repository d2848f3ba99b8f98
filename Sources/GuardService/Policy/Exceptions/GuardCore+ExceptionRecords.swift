internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import Platform
internal import PolicyEngine

/// The log's records of timed exceptions, and the exceptions that an earlier daemon left.
extension GuardCore {
  func record(_ kept: KeptException, _ act: ExceptionEntry.Act, by connection: Connection? = nil) {
    let exception = kept.exception
    if let connection {
      logger.notice(
        "exception \(act.rawValue)", metadata: connection.metadata(["id": "\(exception.id)"]))
    }
    var entry = ExceptionEntry(act)
    entry.id = exception.id
    entry.host = exception.hostText
    entry.isDomain = exception.takesHostsBelow
    entry.app = exception.app
    entry.account = exception.account
    entry.subjects = ListedException(kept).subjects.map(\.rawValue)
    entry.until = exception.until
    entry.endsWithDaemon = exception.endsWithDaemon
    entry.grantor = exception.grantor.words
    entry.cause = exception.cause
    if let connection {
      entry.peer = LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid)
      entry.user = connection.userName
    }
    record(entry)
  }

  private func record(_ entry: ExceptionEntry) {
    guard recorder?.hasRoom() ?? false else { return }
    var entry = entry
    entry.generation = snapshot.generation
    recorder?.record { $0.encode(entry, at: clock.now(), into: &$1) }
  }

  // MARK: The start

  /// Takes up the exceptions that an earlier daemon granted; before the policy loads, so that the first snapshot has
  /// them.
  func take(exceptionsOf opened: OpenedState) {
    let (now, uptime) = (clock.now(), SystemClock.uptime)
    let kept = opened.records.exceptions.values.compactMap(\.self)
    for kept in kept.sorted(by: { ($0.exception.since, $0.exception.id) < ($1.exception.since, $1.exception.id) }) {
      if kept.endedAt == nil {
        exceptions.begin(kept.exception, at: now, uptime: uptime)
      } else {
        exceptions.recall(kept)
      }
    }
  }

  /// Says in the log which exceptions this daemon starts with, which ended meanwhile, and that they are lost.
  func tellOfExceptions(of opened: OpenedState) {
    if let loss = opened.loss {
      var entry = ExceptionEntry(.lost)
      entry.cause = loss
      record(entry)
    }
    endExceptionsWhileIdle(at: clock.now())
    for exception in exceptions.inForce { record(KeptException(exception), .kept) }
  }
}
