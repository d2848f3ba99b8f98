internal import GuardModel
internal import PolicyEngine

/// Steps 2 to 4 of every procedure: the viewer, whose data it is, and what binds it.
struct ModelCase {
  let resolved: ModelWorld.Resolved
  let whose: ModelWorld.Whose
  let protection: Protection?
  private let state: AccountState
  private let untilIdentity: UntilIdentity
  /// Several accounts lie in the viewer, one of them managed.
  let isMixed: Bool

  init(_ world: ModelWorld, _ viewer: String?, _ scope: ModelIdentity, _ instance: ModelInstance, _ app: App) {
    resolved = world.resolve(viewer, in: instance, app)
    whose = world.identity(viewer, resolved, scope: scope, in: instance)
    untilIdentity = app.untilIdentity
    isMixed = world.isMixed(viewer, resolved, scope: scope, in: instance)
    if case .account(let name) = whose.identity {
      protection = world.protection(of: name, in: instance)
      state = world.state(of: name)
    } else {
      protection = nil
      state = .active
    }
  }

  /// 3. Before any identity was set, `untilIdentity` decides. 4. Account blocked, not compliant or wiped: block.
  var gate: ModelDecision? {
    if whose.identity == .absent, untilIdentity == .block { return answer(.block, .noIdentity) }
    switch state {
    case .active: return nil
    case .blocked: return answer(.block, .accountBlocked)
    case .nonCompliant: return answer(.block, .accountNotCompliant)
    case .wiped: return answer(.block, .accountWiped)
    }
  }

  /// The gate of everything but navigation: a mixed view is locked down.
  var dataGate: ModelDecision? { gate ?? (isMixed ? answer(.block, .mixedViewLockdown) : nil) }

  /// Why nothing restricts this case.
  var freeReason: Reason {
    switch whose.identity {
    case .absent: .noIdentity
    case .nobody: .noManagedIdentity
    case .account: .unmanaged
    }
  }

  func answer(_ outcome: Outcome, _ reason: Reason, _ target: Target = .none) -> ModelDecision {
    var decision = ModelDecision(outcome, reason)
    decision.viewerIsUnknown = resolved.isUnknown
    decision.policy = resolved.policy
    decision.policySource = resolved.source
    decision.identity = whose.identity
    decision.identityLevel = whose.level
    decision.protection = protection?.name
    decision.target = target
    if resolved.isUnprotected { decision.notes = ["unprotectedViewer"] }
    return decision
  }
}
