internal import GuardModel
internal import PolicyEngine

/// Steps 2 to 4 of every procedure: the viewer, whose data it is, and what binds it.
struct ModelCase {
  let resolved: ModelWorld.Resolved
  let whose: ModelWorld.Whose
  let protections: [Protection]
  private let state: AccountState
  /// Its app has to say first whose data it shows.
  private let waits: Bool
  /// Several accounts lie in the viewer, one of them managed.
  let isMixed: Bool
  /// Files are at work, and no viewer is named.
  let isInBackground: Bool

  /// - Parameter isFileTask: windows do not count.
  init(
    _ world: ModelWorld, _ viewer: String?, _ scope: ModelIdentity, _ instance: ModelInstance, _ app: App,
    isFileTask: Bool = false
  ) {
    resolved = world.resolve(viewer, in: instance, app)
    whose =
      isFileTask
      ? world.identityOfFiles(scope: scope, in: instance)
      : world.identity(viewer, resolved, scope: scope, in: instance)
    isInBackground = isFileTask && viewer == nil
    let mustSay = instance.mustSay && !world.taken.reachesTheUnknown
    waits = mustSay || app.identityMode == .multi && app.untilIdentity == .block
    isMixed = !isFileTask && world.isMixed(viewer, resolved, scope: scope, in: instance)
    if case .account(let name) = whose.identity {
      protections = world.protections(of: name, in: instance)
      state = world.state(of: name)
    } else {
      protections = []
      state = .active
    }
  }

  /// 3. Before any identity was set, `untilIdentity` decides. 4. Account blocked, not compliant or wiped: block.
  var gate: ModelDecision? {
    if whose.identity == .absent, waits { return answer(.block, .noIdentity) }
    switch state {
    case .active: return nil
    case .blocked: return answer(.block, .accountBlocked)
    case .nonCompliant: return answer(.block, .accountNotCompliant)
    case .wiped: return answer(.block, .accountWiped)
    case .policyRequired: return answer(.block, .policyRequired)
    case .notAllowed: return answer(.block, .accountNotAllowed)
    case .notChecked: return answer(.block, .notChecked)
    case .locked: return answer(.block, .locked)
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

  var isManaged: Bool { !protections.isEmpty }

  /// - Parameter deciding: whose value decides; nil where no setting does.
  func answer(
    _ outcome: Outcome, _ reason: Reason, _ target: Target = .none, by deciding: Protection? = nil
  ) -> ModelDecision {
    var decision = ModelDecision(outcome, reason)
    if !isInBackground {
      decision.flags[.viewerIsUnknown] = resolved.isUnknown
      decision.policy = resolved.policy
      decision.policySource = resolved.source
    }
    decision.identity = whose.identity
    decision.identityLevel = whose.level
    decision.protection = isManaged ? (deciding ?? protections.speaker)?.name : nil
    decision.decider = deciding?.name
    decision.target = target
    if resolved.isUnprotected { decision.notes = ["unprotectedViewer"] }
    return decision
  }
}
