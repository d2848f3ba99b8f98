internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Putting a policy in force: at the start, by a load, and when its rules expire.
extension GuardCore {
  /// Puts the daemon's first policy in force.
  func adopt(_ boot: BootPolicy) {
    policy.mark = boot.mark
    policy.keepError = boot.problem
    if let problem = boot.problem { logger.critical("a kept policy cannot be used", metadata: ["cause": "\(problem)"]) }
    if let unusable = boot.unusable { policy.store?.setAside(unusable) }
    switch boot.origin {
    case .disk:
      if (try? adopt(boot.disk)) != nil { keepFirst(boot.disk) } else { policy.listKept() }
    case .lastGood: adoptLastGood(boot)
    case .rolledBack: adoptRolledBack(boot)
    }
  }

  /// The configuration on disk is bad: the earlier policy is in force.
  private func adoptLastGood(_ boot: BootPolicy) {
    refuse(boot.disk, tellsConsequence: boot.kept == nil)
    if let kept = boot.kept { _ = putInForce(kept, from: .lastGood) }
    policy.listKept()
    logger.critical(
      "the configuration on disk cannot be loaded; the last good policy is in force",
      metadata: ["digest": "\(snapshot.generation.digest)", "since": "\(RFC3339.text(policy.kept.first?.since ?? 0))"])
  }

  private func adoptRolledBack(_ boot: BootPolicy) {
    if let kept = boot.kept { _ = try? adopt(kept, from: .rolledBack, insteadOf: boot.mark?.from.last) }
    policy.listKept()
    logger.warning(
      "the policy was rolled back; the configuration on disk waits for `webviewguard reload`",
      metadata: ["digest": "\(snapshot.generation.digest)"])
  }

  /// Puts a loaded policy in force. If it has errors, the old one stays.
  ///
  /// - Parameter replaced: the digest of the policy that was rolled back from.
  func adopt(
    _ result: LoadResult, from origin: PolicyOrigin = .disk, insteadOf replaced: String? = nil
  ) throws(AdminError) -> ReloadReply {
    guard let reply = putInForce(result, from: origin, insteadOf: replaced) else {
      refuse(result)
      throw .loadFailed(result.lines)
    }
    policy.noteSuccess(of: result.digest, from: origin, at: journal.now())
    return reply
  }

  /// As `adopt`, for a policy in place of the configuration on disk, whose errors `Status` goes on to show. Nil when it has
  /// errors itself.
  private func putInForce(
    _ result: LoadResult, from origin: PolicyOrigin, insteadOf replaced: String? = nil
  ) -> ReloadReply? {
    guard let loaded = result.policy, let settings = result.settings, !result.diagnostics.hasErrors else { return nil }
    let isChanged = result.digest != snapshot.generation.digest
    policy.take(loaded, settings, from: origin, at: journal.now(), isChanged: isChanged)
    if isChanged {
      renewSnapshot()
      serving.tellOfSockets(snapshot)
    }
    policy.writeContract()
    record(policy.noteLoad(insteadOf: replaced, under: snapshot.generation))
    let lines = result.lines
    for line in lines { logger.warning("\(line)") }
    logger.notice(
      "policy loaded",
      metadata: policy.askedBy(["generation": "\(snapshot.generation.number)", "changed": "\(isChanged)"]))
    return ReloadReply(generation: snapshot.generation, diagnostics: lines, isChanged: isChanged)
  }

  /// Makes a snapshot of the policy as it is now, and puts it in force.
  func renewSnapshot() {
    finishCalls()
    guard let next = policy.nextSnapshot(after: snapshot.generation, at: journal.now()) else { return }
    let standings = standings
    let (before, protections) = (snapshot, dataProtections)
    engine.adopt(next)
    vitals.adopt(snapshot, after: before)
    exports.adopt(snapshot.generation.number)
    for session in sessions.values { forgetActions(of: session) }
    tellOfPolicy(standings)
    tellOfAllowedAccounts(before)
    tellOfConfigs(before)
    tellOfDataProtections(protections)
    settleAccounts([:])
    settleDirectories()
    settleEscrow()
    readFacts(NIOLoopBound(self, eventLoop: loop))
    adoptUsers()
  }

  /// Says that a configuration does not come into force; see ``ActivePolicy``.
  func refuse(
    _ result: LoadResult, because cause: (words: String, word: String)? = nil, tellsConsequence: Bool = true
  ) {
    record(
      policy.refuse(
        result, because: cause, tellsConsequence: tellsConsequence, at: journal.now(), under: snapshot))
  }

  func adopt(_ result: LoadResult, rolledBackBy mark: RollbackMark) throws(AdminError) -> ReloadReply {
    let replaced = snapshot.generation.digest
    let reply = try adopt(result, from: .rolledBack, insteadOf: replaced)
    policy.mark = mark
    logger.warning("policy rolled back", metadata: policy.askedBy(["from": "\(replaced)", "to": "\(mark.to)"]))
    return reply
  }

  /// Nothing was rolled back: there is nothing to go back to, or it cannot be read.
  func noteNoRollback(_ error: AdminError) {
    logger.warning("the policy was not rolled back", metadata: policy.askedBy(["cause": "\(error.words)"]))
    record(policy.noteFailure(errors: 0, refusal: error.word, under: snapshot.generation))
  }

  /// Takes the rules out of force that have expired by `now`, in milliseconds since 1970, and enforces rules that
  /// monitored until then: by a new snapshot of the same policy, since the engine has no clock. Costs two comparisons when
  /// there are none, so that no event is decided by a rule that has just expired.
  ///
  /// - Parameter isIdle: no answer rests on this time, so that it need not be written down when nothing expires.
  func expireRules(at now: UInt64, isIdle: Bool = false) {
    if !isIdle { journal.state.note(time: now) }
    if now >= policy.exceptions.nextEnd { endExceptions(at: now) }
    guard now >= policy.nextExpiry, let expired = policy.expired(at: now) else { return }
    journal.state.note(time: now)
    renewSnapshot()
    for rule in expired.rules { logger.notice("rule expired", metadata: ["rule": "\(rule)"]) }
    for part in expired.monitoring { logger.notice("monitoring is over", metadata: ["enforced": "\(part)"]) }
    record(policy.record(of: expired, under: snapshot.generation))
  }

  private func record(_ load: PolicyLoad) { journal.record { $0.encode(load, at: $1, into: &$2) } }
}
