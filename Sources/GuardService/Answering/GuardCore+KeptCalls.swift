internal import GuardModel
internal import GuardProtocol
internal import JSONText

/// A call that is answered when the state file has everything that it changed, or cannot have it.
struct KeptCall {
  /// Number of the set of changes that holds it.
  let set: UInt64
  let connection: Connection
  /// Hears why the file cannot have it; nil when it has.
  let answer: (GuardCore, _ failure: String?) -> Void
}

/// Orders that have to outlive the daemon are answered when they do, and refused when they may not.
///
/// The attack: the disk takes nothing, an administrator's lock is answered, the daemon is killed, and the next one knows of
/// no lock. Other answers need no such care: a state that lacks them is stricter. The loop never waits; the connection does.
extension GuardCore {
  /// Calls `answer` when the state file has every change so far, or cannot have it; at once where nothing is kept.
  func whenKept(on connection: Connection, _ answer: @escaping (GuardCore, _ failure: String?) -> Void) {
    guard journal.state.isKept else { return answer(self, journal.state.error) }
    let set = journal.state.newest(&state)
    guard set > journal.state.settled else { return answer(self, journal.state.failure) }
    connection.isBusy = true
    keptCalls.append(KeptCall(set: set, connection: connection, answer: answer))
  }

  /// The state file got so far; calls whose changes it has, or cannot have, are answered.
  func settleKeptCalls() {
    guard !keptCalls.isEmpty else { return }
    let (failure, settled) = (journal.state.failure, journal.state.settled)
    let done = keptCalls.filter { failure != nil || $0.set <= settled }
    keptCalls.removeAll { failure != nil || $0.set <= settled }
    for call in done {
      call.connection.isBusy = false
      call.answer(self, failure)
    }
    submit()
    for call in done { call.connection.resume() }
  }

  /// Answers an administrator's order about accounts when it outlives the daemon.
  func answerKept(_ answer: some Reply, on connection: Connection, isOneway: Bool) {
    answerKept(answer, on: connection, isOneway: isOneway) { failure in
      AdminError.accountRefused(.notKept, "\(AccountRefusal.notKept.explanation): \(failure)")
    }
  }

  /// Answers a call when its changes outlive the daemon, or with the error that `refusal` makes of the reason.
  ///
  /// - Parameter grant: the record without which the answer must not leave.
  func answerKept(
    _ answer: some Reply, on connection: Connection, isOneway: Bool, allowing grant: Withdrawable? = nil,
    refusal: @escaping (String) -> any CallError
  ) {
    whenKept(on: connection) { core, failure in
      guard !isOneway, core.serving.isOpen(connection) else { return }
      if let failure { return core.refuse(refusal(failure), isOneway: false, on: connection) }
      core.writer.reset()
      core.writer.answer(answer)
      core.hold(on: connection, record: core.journal.newest, allowing: grant)
    }
  }
}
