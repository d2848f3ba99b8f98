internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// A policy with something of it taken away.
extension ModelWorld {
  /// Without what only monitors.
  func withoutMonitored() -> ModelWorld {
    var world = without { $0.isMonitored }
    world.taken = .monitored
    let protections = policy.protections
    if !protections.isEmpty, protections.allSatisfy(\.isMonitored) { world.taken = .allProtections }
    return world
  }

  /// Without anything that restricts.
  func withoutEverything() -> ModelWorld {
    var world = without { _ in true }
    world.policy = world.policy.with { app in
      app.untilIdentity = .allow
      app.popups = .inherit
    }
    world.taken = .everything
    return world
  }

  /// Without the settings of the protections that are meant.
  func without(_ isMeant: (Protection) -> Bool) -> ModelWorld {
    var world = self
    world.policy = Snapshot(
      generation: policy.generation, policyRequired: policy.policyRequired, apps: policy.apps,
      accounts: policy.accounts, protections: policy.protections.map { isMeant($0) ? $0.restrictingNothing : $0 },
      ruleSets: policy.ruleSets, browsers: policy.browsers, links: policy.links, exceptions: policy.exceptions)
    return world
  }

  var monitorsRules: Bool { policy.ruleSets.contains { $0.rules.contains { $0.monitoredUntil != nil } } }
}

extension Protection {
  /// Whom it binds, and what is to be done with what is stored; every other setting at what allows most.
  fileprivate var restrictingNothing: Protection {
    var free = self
    free.monitoredUntil = nil
    free.warn = []
    (free.webTransfer, free.externalInPlace) = (.any, .managed)
    free.clipboard.level = .any
    free.send = .any
    if free.receive != .anyTagOrg { free.receive = .any }
    free.save = LocationSettings(allowed: true)
    free.open = LocationSettings(allowed: true)
    (free.printing, free.screenCapture, free.indexing, free.contacts) = (.allow, .allow, .allow, .allow)
    (free.widgets, free.backup, free.assistants, free.writingTools) = (.allow, .allow, .allow, .allow)
    (free.automation, free.inputMethods, free.notifications) = (.allow, .allow, .allow)
    free.requiresInspection = false
    (free.telecommunication, free.messaging) = (.any, .any)
    return free
  }
}

extension ModelInstance {
  /// Whether the viewer, or one that it lies in, shows a page that enforcing would not have opened.
  func showsAdvised(_ name: String) -> Bool {
    guard let viewer = viewers[name] else { return false }
    return viewer.isAdvised || viewer.parent.map(showsAdvised) ?? false
  }
}
