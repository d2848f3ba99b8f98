package import AccountKeys
package import PolicyEngine

/// Everything of the service that outlives it. As a set of changes: the differences from the last set written.
package struct StateRecords: Sendable, Hashable {
  /// Clips and budgets.
  package var clips = KeptState()
  /// Instances by token; nil for one that ended.
  package var instances: [String: KeptInstance?] = [:]
  /// Timed exceptions by name; nil for one that may be forgotten.
  package var exceptions: [String: KeptException?] = [:]
  /// The latest time that an answer rests on, in milliseconds since 1970.
  package var latest: UInt64?
  /// Short texts of the service by name, such as the head of the log; an empty one is none.
  package var marks: [String: String] = [:]
  /// The owners of files that keep no label.
  package var files: [FilePlace: AccountTag] = [:]

  package init() {}

  package var isEmpty: Bool {
    clips.isEmpty && instances.isEmpty && exceptions.isEmpty && latest == nil && marks.isEmpty && files.isEmpty
  }

  /// Takes over the newer records; of two times the later holds.
  package mutating func merge(_ newer: StateRecords) {
    clips.merge(newer.clips)
    instances.merge(newer.instances) { $1 }
    exceptions.merge(newer.exceptions) { $1 }
    marks.merge(newer.marks) { $1 }
    files.merge(newer.files) { $1 }
    if let time = newer.latest { latest = max(latest ?? 0, time) }
  }
}

extension StateRecords {
  /// An exception or an access that was taken back must not come back with the power, and a file must not become nobody's.
  var outlivesPowerCuts: Bool { !exceptions.isEmpty || !clips.accounts.isEmpty || !files.isEmpty }
}

/// An instance as the next daemon has to know it: so much that its program can come back and be recognised.
package struct KeptInstance: Sendable, Hashable {
  package var uid: UInt32
  package var app: String
  /// The number by which clips name it.
  package var serial: UInt64
  /// It said that it shows the data of an account.
  package var hasIdentity = false
  /// The windows in which it does, by `WindowKey`.
  package var windows: Set<UInt64> = []
  /// Number of the log record that tells of it; 0 when nothing is logged.
  package var record: UInt64

  package init(
    uid: UInt32, app: String, serial: UInt64, hasIdentity: Bool = false, windows: Set<UInt64> = [], record: UInt64
  ) {
    self.uid = uid
    self.app = app
    self.serial = serial
    self.hasIdentity = hasIdentity
    self.windows = windows
    self.record = record
  }
}
