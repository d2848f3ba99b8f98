package import GuardProtocol
package import PolicyFiles

/// The daemon's first policy: the configuration on disk, or a policy that was in force before.
package struct BootPolicy: Sendable {
  /// The result of loading the configuration on disk.
  package private(set) var disk: LoadResult
  /// The policy that is put in force in its place.
  package private(set) var kept: LoadResult?
  package private(set) var origin = PolicyOrigin.disk
  /// Nil when nothing was rolled back, or when that is over.
  package private(set) var mark: RollbackMark?
  /// Why no kept policy could be used, or the mark of a rollback not be read.
  package private(set) var problem: String?
  /// The kept policy that is not to be trusted.
  package private(set) var unusable: KeptPolicy?

  /// Reads both. Takes as long as a load.
  package static func read(_ roots: [String], _ kept: KeptPolicies?) -> BootPolicy {
    var boot = BootPolicy(disk: ActivePolicy.load(roots))
    guard let kept else { return boot }
    boot.mark = kept.mark
    if let mark = boot.mark { boot.goBack(mark, kept) } else if boot.disk.policy == nil { boot.takeLastGood(kept) }
    return boot
  }

  /// The settings of the configuration that is put in force; of a broken one as far as they can be read.
  package var settings: DaemonSettings { (kept ?? disk).settings ?? DaemonSettings() }

  /// A rollback holds until an administrator loads another configuration. When its policy is gone, the configuration
  /// that was rolled back from is no substitute.
  private mutating func goBack(_ mark: RollbackMark, _ store: KeptPolicies) {
    if let entry = store.entries.first(where: { $0.digest == mark.to }) {
      take(entry, store, as: .rolledBack)
    } else {
      problem = "the policy that was rolled back to is not kept any more"
    }
    if kept == nil, mark.from.contains(disk.digest) { disk.policy = nil }
  }

  private mutating func takeLastGood(_ store: KeptPolicies) {
    guard let entry = store.entries.first else { return }
    take(entry, store, as: .lastGood)
  }

  private mutating func take(_ entry: KeptPolicy, _ store: KeptPolicies, as origin: PolicyOrigin) {
    do throws(KeepError) {
      kept = try store.load(entry)
      self.origin = origin
    } catch {
      problem = error.description
      unusable = entry
    }
  }

  private init(disk: LoadResult) { self.disk = disk }
}
