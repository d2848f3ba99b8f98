package import GuardModel
internal import PolicyEngine
internal import URLRules

/// Warnings and monitoring, around any of the other models: the policy is asked as it stands, and again with what does not
/// hold taken away. Source: amendments, monitoring.
package struct MonitoringModel {
  private let world: ModelWorld
  private let kind: EventKind
  private let instance: Int
  /// A page asks, and no frame of it.
  private let isMain: Bool
  private let viewer: String?
  private let scope: ModelIdentity
  /// Windows do not count.
  private let isFileTask: Bool

  package init(
    _ world: ModelWorld, _ kind: EventKind, in instance: Int, isMain: Bool = true, viewer: String?,
    scope: ModelIdentity, isFileTask: Bool = false
  ) {
    self.world = world
    self.kind = kind
    self.instance = instance
    self.isMain = isMain
    self.viewer = viewer
    self.scope = scope
    self.isFileTask = isFileTask
  }

  /// - Parameter ask: what a plain model answers in a world.
  package func decide(_ ask: (ModelWorld) -> ModelDecision) -> ModelDecision {
    let full = strictest(world, ask)
    guard let app = world.app(world.instances[instance]), let other = worldInForce(app) else { return full }
    guard restricts(full) || full.verdict != nil && monitorsRules(app) else { return full }
    var answer = strictest(other, ask)
    let isSameRule = (answer.ruleSet, answer.rule) == (full.ruleSet, full.rule)
    if isSameRule, !restricts(full) || (answer.outcome, answer.reason) == (full.outcome, full.reason) {
      return restricts(full) ? answer : full
    }
    let cause = cause(full, app)
    answer.advice = ModelAdvice(
      outcome: full.outcome, reason: full.reason, cause: cause, ruleSet: full.ruleSet, rule: full.rule)
    // A rule that is passed over leaves the answer to the next; what that would restrict may only be monitored, too.
    let nextIsLifted = answer.verdict == .external && world.policy.protections.contains(where: \.isMonitored)
    if restricts(full), [.allow, .handOff].contains(answer.outcome), cause != .rule || nextIsLifted {
      answer.reason = .monitored
    }
    return answer
  }

  /// The policy that is enforced; nil when that is all of it.
  private func worldInForce(_ app: App) -> ModelWorld? {
    if app.isMonitored { return world.withoutEverything() }
    let monitors = world.monitorsRules || world.policy.protections.contains(where: \.isMonitored)
    return monitors ? world.withoutMonitored() : nil
  }

  /// Whether the rules that judge the viewer may only monitor.
  private func monitorsRules(_ app: App) -> Bool {
    let rules = world.resolve(viewer, in: world.instances[instance], app).rules
    guard case .named(let name) = rules else { return world.monitorsRules }
    return world.policy.ruleSets.contains { $0.name == name && $0.rules.contains { $0.monitoredUntil != nil } }
  }

  private func cause(_ full: ModelDecision, _ app: App) -> MonitorCause {
    if app.isMonitored { return .app }
    let ruleSet = world.policy.ruleSets.first { $0.name == full.ruleSet }
    if let rule = full.rule, ruleSet?.rules[rule].monitoredUntil != nil { return .rule }
    return restricts(full) && world.policy.protections.contains(where: \.isMonitored) ? .protection : .rule
  }

  /// A hand-off is how such a URL opens, also where nothing restricts.
  private func restricts(_ decision: ModelDecision) -> Bool {
    ![.allow, .handOff].contains(decision.offered ?? decision.outcome)
  }

  // MARK: Several identities

  /// Each identity that it may count as is asked about; the strictest outcome is the answer, and the one that stands for
  /// all of them is told where several are as strict.
  private func strictest(_ world: ModelWorld, _ ask: (ModelWorld) -> ModelDecision) -> ModelDecision {
    guard let app = world.app(world.instances[instance]), kind != .clipboardChanged, kind != .dragEnd, kind != .unknown,
      !isFileTask, world.policy.generation.number > 0, !world.instances[instance].hasEnded
    else { return warned(world, ask) }
    let scope = app.identityMode == .single ? .absent : scope
    let asking = world.instances[instance]
    let resolved = world.resolve(viewer, in: asking, app)
    var best: (identity: ModelIdentity, decision: ModelDecision)?
    for identity in world.possible(viewer, resolved, scope: scope, in: asking) {
      var trial = world
      (trial.assumed, trial.isTrial) = (identity, true)
      let decision = warned(trial, ask)
      if best.map({ Self.strictness(decision) > Self.strictness($0.decision) }) ?? true { best = (identity, decision) }
    }
    var real = world
    real.assumed = best?.identity
    return warned(real, ask)
  }

  /// Outcomes from loose to strict; of two that send elsewhere, the managed place is the stricter.
  private static func strictness(_ decision: ModelDecision) -> Int {
    let row: [Outcome] = [.allow, .handOff, .redact, .warn, .redirect, .switchIdentity, .block]
    let place =
      switch decision.target {
      case .none: 0
      case .schemeHandler, .exemptLink: 1
      case .schemeClassProgram, .unmanagedBrowser: 2
      case .managedLink, .managedBrowser: 3
      }
    return (row.firstIndex(of: decision.outcome) ?? 6) * 10 + place
  }

  // MARK: Warnings

  /// What one protection's own settings block, and nothing else does, its user may do after a justification.
  private func warned(_ world: ModelWorld, _ ask: (ModelWorld) -> ModelDecision) -> ModelDecision {
    var refused = ask(world)
    guard refused.outcome == .block, Self.ownSettings.contains(refused.reason), kind != .navigate || isMain,
      let protection = deciding(refused, world), protection.warn.contains(kind)
    else { return refused }
    guard world.instances[instance].canWarn else {
      refused.notes.insert("cannotWarn")
      return refused
    }
    var allowed = ask(world.without { $0.warn.contains(kind) })
    guard !restricts(allowed) else { return allowed }
    (allowed.outcome, allowed.reason) = (.warn, refused.reason)
    (allowed.protection, allowed.decider) = (refused.protection, refused.decider)
    allowed.limit = allowed.limit ?? refused.limit
    return allowed
  }

  /// The protection that refused.
  private func deciding(_ refused: ModelDecision, _ world: ModelWorld) -> Protection? {
    let name = refused.decider ?? refused.protection
    return world.policy.protections.first { $0.name == name }
  }

  private static let ownSettings: Set<Reason> = [
    .externalBlocked, .handOffBlocked, .schemeClassBlocked, .storeLinkBlocked, .orgData, .orgDataOverLimit,
    .incomingRestricted, .personalDataOverLimit, .outgoingRestricted, .outgoingDisallowed, .incomingDisallowed,
    .wrongAccount, .saveLocationNotListed, .openLocationNotListed, .downloadBlocked, .shareBlocked, .printBlocked,
    .captureBlocked, .notificationBlocked, .indexBlocked, .channelBlocked, .scanRequired, .scanTooLarge, .scanOffline,
    .scanCancelled, .identitySwitchFailed,
  ]
}

extension ModelWorld {
  /// The decision, marked where its viewer shows a page that enforcing would not have opened; and what a navigation makes
  /// of its viewer.
  package mutating func marked(
    _ decision: ModelDecision, viewer: String?, in instance: Int, _ navigation: ModelNavigation? = nil
  ) -> ModelDecision {
    guard let viewer, instances[instance].viewers[viewer] != nil else { return decision }
    guard decision.reason != .noPolicy, decision.reason != .unknownApp else { return decision }
    var marked = decision
    if instances[instance].showsAdvised(viewer) { marked.notes.insert("afterAdvised") }
    if let navigation { follow(navigation, decision, viewer, instance) }
    return marked
  }

  private mutating func follow(
    _ navigation: ModelNavigation, _ decision: ModelDecision, _ viewer: String, _ instance: Int
  ) {
    let opensPage = decision.outcome == .allow && decision.reason != .sameDocument && decision.reason != .subFrame
    let warns = decision.outcome == .warn
    guard opensPage || warns, ![.sub, .resource].contains(navigation.frame) || navigation.opensWindow else { return }
    var isAdvised: Bool?
    if let advice = decision.advice, advice.outcome != .allow, advice.outcome != .warn {
      isAdvised = true
    } else if opensPage, navigation.frame == .main || navigation.opensWindow, navigation.hop != true {
      isAdvised = false
    }
    guard let isAdvised else { return }
    if navigation.opensWindow {
      instances[instance].viewers[viewer]?.opensAdvised = isAdvised
    } else {
      instances[instance].viewers[viewer]?.isAdvised = isAdvised
    }
  }
}
