internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import Platform
internal import PolicyEngine

/// Users whose records fill their share of the log.
///
/// They get the answers that all users get while the log fails: an answer that would let something happen becomes an
/// error, restrictions hold. Thus no flood pushes out the records of others. It ends by itself: after an hour, or when
/// the user's old records go.
extension Journal {
  /// Whether the log has no room for further questions of the user with this place.
  @inline(__always)
  func isShareFull(at place: Int) -> Bool { recorder?.isShareFull(at: place) ?? false }

  /// Where the share of a user is kept.
  package func place(of person: UInt32) -> Int { recorder?.place(of: person) ?? 0 }

  /// Counts a decision that gets no record; true when the answer must be ``shareIsFull``.
  func refuses(_ report: DecisionReport, at place: Int) -> Bool {
    let isRefused = report.outcome.letsHappen
    recorder?.countLimited(isRefused ? \.refused : \.restricted, at: place)
    return isRefused
  }

  /// Counts an answer other than a decision that a full share keeps back.
  func countRefused(at place: Int) { recorder?.countLimited(\.refused, at: place) }

  var shareIsFull: Refusal { .limitReached(.logBytes, maximum: recorder?.history.shares.maximum ?? 0) }

  /// Gives room again to users whose share has been full for an hour.
  mutating func recoverShares() {
    for uid in recorder?.recoverShares(at: SystemClock.uptime) ?? [] {
      recordLimited()
      logger.notice(
        "a user whose records fill their share of the decision log may be recorded again, for as much as an hour needs",
        metadata: ["uid": "\(uid)", "bytes": "\(recorder?.history.shares.hourly ?? 0)"])
    }
  }

  /// Reports the decisions that were only counted, in the log and in the journal.
  package mutating func recordLimited() {
    for limited in recorder?.recordLimited(at: clock.now()) ?? [] {
      logger.warning(
        "a user's records fill their share of the decision log: nothing is allowed to them, for an hour at most",
        metadata: [
          "uid": "\(limited.uid)", "refused": "\(limited.refused)", "restricted": "\(limited.restricted)",
          "changes": "\(limited.changes)", "maximum": "\(recorder?.history.shares.maximum ?? 0)",
        ])
    }
  }
}

/// Statements of apps about the identity they show that are not believed: the log has them, with both accounts where
/// two do not fit (ledger MI-28, AA-05).
extension Journal {
  /// Records a refused statement, or counts it where one instance makes too many.
  mutating func record(_ refusal: RefusedChange, of session: Session, by peer: Peer) {
    let answer = session.refused.take(refusal.reason, at: clock.now())
    if answer == .recorded { write(refusal, of: session, by: peer) }
    if answer == .firstCounted { recordRefusals(of: session) }
  }

  /// Says in the log how many were only counted.
  mutating func recordRefusals(of session: Session) {
    for (reason, count) in session.refused.takeCounts() {
      var refusal = RefusedChange(StateChange(.setIdentity), reason)
      refusal.count = count
      write(refusal, of: session, by: session.peer)
    }
  }

  private mutating func write(_ refusal: RefusedChange, of session: Session, by peer: Peer) {
    var refusal = refusal
    refusal.change.setAsker(session, peer)
    record(by: peer.person) { $0.encode(refusal, at: $1, into: &$2) }
  }

  /// Records a change of state.
  mutating func record(_ change: StateChange, of session: Session, by peer: Peer) {
    var change = change
    change.setAsker(session, peer)
    record(by: peer.person) { $0.encode(change, at: $1, into: &$2) }
  }
}

extension StateChange {
  /// Names who asked: a process of the instance.
  fileprivate mutating func setAsker(_ session: Session, _ peer: Peer) {
    app = session.app
    instance = session.logName
    self.peer = LoggedPeer(uid: peer.uid, pid: peer.pid)
  }
}

/// The log's records of timed exceptions.
extension Journal {
  /// Records what became of an exception.
  ///
  /// - Parameters:
  ///   - connection: the administrator who granted it or took it back; nil where its time did.
  ///   - generation: that of the policy in force.
  mutating func record(
    _ kept: KeptException, _ act: ExceptionEntry.Act, by connection: Connection? = nil, under generation: Generation
  ) {
    let exception = kept.exception
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
    entry.generation = generation
    if let connection {
      logger.notice("exception \(act.rawValue)", metadata: connection.metadata(["id": "\(exception.id)"]))
      entry.peer = LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid)
      entry.user = connection.userName
    }
    record { $0.encode(entry, at: $1, into: &$2) }
  }

  /// Records that the exceptions of the daemon before are lost.
  mutating func recordLostExceptions(_ loss: String, under generation: Generation) {
    var entry = ExceptionEntry(.lost)
    entry.cause = loss
    entry.generation = generation
    record { $0.encode(entry, at: $1, into: &$2) }
  }
}
