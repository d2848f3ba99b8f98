/// Decisions of one user that got no record of their own, since the user's records fill their share of the log.
package struct LimitedDecisions: Sendable, Hashable {
  package var uid: UInt32
  /// Answers that would have allowed something, and became an error.
  package var refused: UInt64 = 0
  /// Restrictions, which were answered as they were.
  package var restricted: UInt64 = 0
  /// Changes of state and other reports of apps; they took effect.
  package var changes: UInt64 = 0

  package init(uid: UInt32) { self.uid = uid }
}

extension LogEncoder {
  /// Appends how many of a user's decisions got no record, since the user's share of the log is full.
  package mutating func encode(_ limited: LimitedDecisions, at time: UInt64, into bytes: inout [UInt8]) {
    append(.limited, at: time, into: &bytes) { record, _ in
      record.number("uid", UInt64(limited.uid))
      record.number("refused", limited.refused)
      record.number("restricted", limited.restricted)
      record.number("changes", limited.changes)
    }
  }
}
