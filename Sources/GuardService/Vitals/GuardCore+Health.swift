internal import GuardModel
internal import GuardProtocol
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// `Health`: problems that an administrator should look after, found by looking and not by remembering.
extension GuardCore {
  var health: HealthReply {
    HealthReply(
      policy.problems(snapshot) + [socketProblem].compactMap(\.self) + journal.problems
        + [connectionsProblem].compactMap(\.self))
  }

  private var socketProblem: HealthProblem? {
    sockets?.failure.map { HealthProblem(.socketGone, "apps do not find the daemon: \($0)") }
  }

  private var connectionsProblem: HealthProblem? {
    guard quotas.total >= quotas.maximum else { return nil }
    return HealthProblem(.connectionsFull, "all \(quotas.maximum) connections are taken: no app can connect")
  }
}
