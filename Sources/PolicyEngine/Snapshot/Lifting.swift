internal import GuardModel
internal import URLRules

/// The parts that a snapshot removes from its original policy, so that the remaining policy can be asked alone.
enum Lifting: Sendable, Hashable {
  /// Nothing: the policy as it is written.
  case nothing
  /// The settings of some protections.
  case someProtections
  /// The settings of all protections, so that an unknown account is not restricted either.
  case allProtections
  /// Every restriction: protections, rules, and the apps' own settings.
  case everything

  /// The protections that would bind an unknown account are lifted as well.
  var reachesUnknownAccounts: Bool { self == .allProtections || self == .everything }
}

extension Protection {
  /// The same protection without any restriction. Its accounts stay, and so do the duties of apps that store data:
  /// ownership and encryption.
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
  /// The same app without any restriction of its own.
  func lifted() -> App {
    var lifted = self
    lifted.untilIdentity = .allow
    lifted.popups = .inherit
    return lifted
  }
}

/// The snapshots that answer for a policy that does not enforce everything: each is the policy with some parts removed.
struct LiftedSnapshots: Sendable {
  /// Without the restrictions of monitored protections and rules; nil when none is monitored.
  private(set) var withoutMonitored: Snapshot?
  /// Without any restriction, for apps that are monitored; nil when none is.
  private(set) var withoutAll: Snapshot?
  /// For each kind of event that protections warn of, by its number: the policy without the settings of those
  /// protections.
  private var withoutWarning: [Snapshot?] = []

  init() {}

  /// - Parameter monitoring: also lifts monitored parts; false if that has happened already.
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
