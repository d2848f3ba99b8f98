internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// The policy at the start.
extension GuardCore {
  /// Puts the daemon's first policy in force.
  func adopt(_ boot: BootPolicy) {
    loads.mark = boot.mark
    loads.keepError = boot.problem
    if let problem = boot.problem { logger.critical("a kept policy cannot be used", metadata: ["cause": "\(problem)"]) }
    if let unusable = boot.unusable { loads.store?.setAside(unusable) }
    switch boot.origin {
    case .disk: adoptDisk(boot)
    case .lastGood: adoptLastGood(boot)
    case .rolledBack: adoptRolledBack(boot)
    }
  }

  private func adoptDisk(_ boot: BootPolicy) {
    if (try? adopt(boot.disk)) != nil { keepFirst(boot.disk) } else { listKept() }
  }

  /// The configuration on disk is bad: the earlier policy is in force.
  private func adoptLastGood(_ boot: BootPolicy) {
    refuse(boot.disk, tellsConsequence: boot.kept == nil)
    if let kept = boot.kept { _ = putInForce(kept, from: .lastGood) }
    listKept()
    logger.critical(
      "the configuration on disk cannot be loaded; the last good policy is in force",
      metadata: ["digest": "\(snapshot.generation.digest)", "since": "\(RFC3339.text(loads.kept.first?.since ?? 0))"])
  }

  private func adoptRolledBack(_ boot: BootPolicy) {
    if let kept = boot.kept { _ = try? adopt(kept, from: .rolledBack, insteadOf: boot.mark?.from.last) }
    listKept()
    logger.warning(
      "the policy was rolled back; the configuration on disk waits for `webviewguard reload`",
      metadata: ["digest": "\(snapshot.generation.digest)"])
  }

  /// Lists the kept policies anew.
  func listKept() {
    loads.kept = loads.store?.entries ?? []
    if loads.store == nil { loads.keepError = KeepError.noPlace.description }
  }

  /// The policy's part of `Status`.
  var policyStatus: PolicyStatus {
    var status = PolicyStatus()
    status.origin = snapshot.hasPolicy ? loads.origin : nil
    status.lastLoad = loads.lastLoad
    status.kept = loads.kept.map { KeptPolicyStatus(digest: $0.digest, since: $0.since) }
    status.keepError = loads.keepError
    status.rolledBackFrom = loads.mark?.from ?? []
    return status
  }
}
