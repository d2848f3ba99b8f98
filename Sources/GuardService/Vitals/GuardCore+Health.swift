internal import GuardModel
internal import GuardProtocol
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// `Health`: problems that an administrator should look after, found by looking and not by remembering.
extension GuardCore {
  var health: HealthReply {
    HealthReply(
      [
        policyProblem, originProblem, loadProblem, keepProblem, socketProblem,
      ].compactMap(\.self) + journal.problems + [connectionsProblem].compactMap(\.self))
  }

  private var policyProblem: HealthProblem? {
    guard !snapshot.hasPolicy else { return nil }
    return HealthProblem(
      .noPolicy, "no policy is loaded: everything is \(snapshot.policyRequired ? "blocked" : "allowed")")
  }

  private var originProblem: HealthProblem? {
    guard snapshot.hasPolicy else { return nil }
    switch loads.origin {
    case .disk: return nil
    case .lastGood:
      return HealthProblem(
        .lastGood, "the last good policy is in force, since the configuration on disk cannot be loaded")
    case .rolledBack:
      return HealthProblem(.rolledBack, "the policy was rolled back: the configuration on disk is not in force")
    }
  }

  private var keepProblem: HealthProblem? {
    guard let error = loads.keepError, loads.store != nil else { return nil }
    return HealthProblem(.policyNotKept, "a bad configuration at the next start could not fall back: \(error)")
  }

  private var socketProblem: HealthProblem? {
    sockets?.failure.map { HealthProblem(.socketGone, "apps do not find the daemon: \($0)") }
  }

  private var loadProblem: HealthProblem? {
    guard let error = loads.lastError else { return nil }
    // Hints stand indented below their findings.
    let findings = error.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    let first = findings.first ?? ""
    let more = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
    return HealthProblem(.loadFailed, "the last load failed: \(first)\(more)")
  }

  private var connectionsProblem: HealthProblem? {
    guard quotas.total >= quotas.maximum else { return nil }
    return HealthProblem(.connectionsFull, "all \(quotas.maximum) connections are taken: no app can connect")
  }
}
