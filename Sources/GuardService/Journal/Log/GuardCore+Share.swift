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
extension GuardCore {
  /// Whether the log has no room for further questions of this connection's user.
  func isShareFull(_ connection: Connection) -> Bool { recorder?.isShareFull(at: connection.logPlace) ?? false }

  /// Counts a decision that gets no record; true when the answer must be ``shareIsFull``.
  func refuses(_ report: DecisionReport, _ connection: Connection) -> Bool {
    let isRefused = report.outcome.letsHappen
    recorder?.countLimited(isRefused ? \.refused : \.restricted, at: connection.logPlace)
    return isRefused
  }

  /// Where something else than a decision must get no record: counts it.
  func isLimited(_ uid: UInt32) -> Bool {
    guard let place = recorder?.place(of: uid), recorder?.isShareFull(at: place) ?? false else { return false }
    recorder?.countLimited(\.changes, at: place)
    return true
  }

  var shareIsFull: Refusal { .limitReached(.logBytes, maximum: recorder?.history.shares.maximum ?? 0) }

  /// A batch with one refused answer is refused as a whole. Its records are withdrawn.
  func refuse(_ answered: [AnsweredEvent]) throws(Refusal) {
    guard answered.contains(where: \.isRefused) else { return }
    for event in answered where !event.isRefused && event.form.report.outcome.letsHappen {
      let id = event.envelope.id
      if !event.envelope.isRepeated { withdraw([id...id]) }
    }
    throw shareIsFull
  }

  /// Gives room again to users whose share has been full for an hour.
  func recoverShares() {
    for uid in recorder?.recoverShares(at: SystemClock.uptime) ?? [] {
      recordLimited()
      logger.notice(
        "a user whose records fill their share of the decision log may be recorded again, for as much as an hour needs",
        metadata: ["uid": "\(uid)", "bytes": "\(recorder?.history.shares.hourly ?? 0)"])
    }
  }

  /// Reports the decisions that were only counted, in the log and in the journal.
  func recordLimited() {
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
