internal import GuardModel
internal import URLRules

/// What a snapshot takes away from the policy it was made of, so that the rest of the policy can be asked alone.
enum Lifting: Sendable, Hashable {
  /// Nothing: the policy as it is written.
  case nothing
  /// The settings of some protections.
  case someProtections
  /// The settings of all protections, so that an account which nobody knows is not restricted either.
  case allProtections
  /// Everything that restricts: protections, rules, and the apps' own settings.
  case everything

  /// What an unknown account would be bound by is lifted as well.
  var reachesUnknownAccounts: Bool { self == .allProtections || self == .everything }
}

extension Protection {
  /// The same protection with nothing that restricts. Whom it binds stays, and so do the duties of who stores data:
  /// whose it is, and that it is encrypted.
  func lifted() -> Protection {
    var lifted = Protection(name: name)
    lifted.accountPatterns = accountPatterns
    lifted.groups = groups
    lifted.encrypt = encrypt
    lifted.receive = receive == .anyTagOrg ? .anyTagOrg : .any
    lifted.managedApps = managedApps
    lifted.clipboard.replacement = clipboard.replacement
    lifted.location = location
    return lifted
  }
}

extension App {
  /// The same app with nothing of its own that restricts.
  func lifted() -> App {
    var lifted = self
    lifted.untilIdentity = .allow
    lifted.popups = .inherit
    return lifted
  }
}

/// The snapshots that answer where a policy does not enforce all it says: each is the policy with something taken away.
struct LiftedSnapshots: Sendable {
  /// Without what monitored protections and rules restrict; nil when none is monitored.
  private(set) var withoutMonitored: Snapshot?
  /// Without any restriction, for apps that are monitored; nil when none is.
  private(set) var withoutAll: Snapshot?
  /// For each kind of event that protections warn of, by its number: without the settings of those.
  private var withoutWarning: [Snapshot?] = []

  init() {}

  /// - Parameter monitoring: what is monitored is lifted as well; false where it has been.
  init(of policy: SnapshotContents, monitoring: Bool) {
    let protections = policy.protections
    let monitorsRules = policy.ruleSets.contains(where: \.mayMonitor)
    if monitoring, monitorsRules || protections.contains(where: \.isMonitored) {
      let contents = policy.liftingMonitored()
      withoutMonitored = Snapshot(contents, lifted: LiftedSnapshots(of: contents, monitoring: false))
    }
    if monitoring, policy.apps.contains(where: \.isMonitored) {
      withoutAll = Snapshot(policy.liftingEverything(), lifted: LiftedSnapshots())
    }
    guard protections.contains(where: { !$0.warn.isEmpty }) else { return }
    withoutWarning = EventKind.allCases.map { kind in
      guard protections.contains(where: { $0.warn.contains(kind) }) else { return nil }
      return Snapshot(policy.lifting { $0.warn.contains(kind) }, lifted: LiftedSnapshots())
    }
  }

  /// The policy without the settings of the protections that warn of such events; nil when none does.
  func withoutWarning(of kind: EventKind) -> Snapshot? {
    withoutWarning.isEmpty ? nil : withoutWarning[Int(kind.rawValue)]
  }
}
