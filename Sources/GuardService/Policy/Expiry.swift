internal import DecisionLog
internal import GuardModel
internal import Logging
internal import PolicyEngine
internal import PolicyFiles

/// Rules and monitoring end at their time: by a new snapshot of the same policy, since the engine has no clock.
extension GuardCore {
  /// Takes the rules out of force that have expired by `now`, in milliseconds since 1970, and enforces rules that
  /// monitored until then. Costs two comparisons when there are none, so that no event is decided by a rule that has
  /// just expired.
  ///
  /// - Parameter isIdle: no answer rests on this time, so that it need not be written down when nothing expires.
  func expireRules(at now: UInt64, isIdle: Bool = false) {
    if !isIdle { journal.note(time: now) }
    if now >= exceptions.nextEnd { endExceptions(at: now) }
    guard now >= loads.nextExpiry, let policy = loads.policy else { return }
    journal.note(time: now)
    let due = Int64(loads.nextExpiry / 1000)
    renewSnapshot()
    let expired = policy.rulesExpiring(after: due - 1, through: Int64(now / 1000))
    let enforced = policy.monitoringEnding(after: due - 1, through: Int64(now / 1000))
    for rule in expired { logger.notice("rule expired", metadata: ["rule": "\(rule)"]) }
    for part in enforced { logger.notice("monitoring is over", metadata: ["enforced": "\(part)"]) }
    var load = PolicyLoad()
    load.isLoaded = true
    load.generation = snapshot.generation
    load.roots = loads.roots
    load.expired = expired
    load.enforced = enforced
    journal.record { $0.encode(load, at: $1, into: &$2) }
  }
}
