package import PolicyEngine

/// A timed exception as the state file holds it: also for a while after its end.
package struct KeptException: Sendable, Hashable {
  package let exception: TimedException
  /// When it ended, in milliseconds since 1970; nil while it is in force.
  package var endedAt: UInt64?
  /// The administrator who took it back; nil when its time ran out, or has not yet.
  package var remover: Administrator?

  package init(_ exception: TimedException, endedAt: UInt64? = nil, remover: Administrator? = nil) {
    self.exception = exception
    self.endedAt = endedAt
    self.remover = remover
  }
}
