internal import PolicyEngine

/// Everything of the service that outlives it; as a set of changes, what differs from what was written before.
struct StateRecords: Sendable, Hashable {
  /// Clips and budgets.
  var clips = KeptState()
  /// Instances by token; nil for one that ended.
  var instances: [String: KeptInstance?] = [:]
  /// The latest time that an answer rests on, in milliseconds since 1970.
  var latest: UInt64?

  var isEmpty: Bool { clips.isEmpty && instances.isEmpty && latest == nil }

  /// Takes over what `newer` says; of two times the later holds.
  mutating func merge(_ newer: StateRecords) {
    clips.merge(newer.clips)
    instances.merge(newer.instances) { $1 }
    if let time = newer.latest { latest = max(latest ?? 0, time) }
  }
}

/// An instance as the next daemon has to know it: so much that its program can come back and be recognised.
struct KeptInstance: Sendable, Hashable {
  var uid: UInt32
  var app: String
  /// What clips name it by.
  var serial: UInt64
  /// It said that it shows the data of an account.
  var hasIdentity = false
  /// Number of the log record that tells of it; 0 when nothing is logged.
  var record: UInt64
}
