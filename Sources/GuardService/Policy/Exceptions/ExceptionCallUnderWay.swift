internal import PolicyEngine

/// A call that is answered when the state file has its exception, or cannot have it.
struct ExceptionCallUnderWay {
  let kept: KeptException
  /// Number of the set of changes that holds it.
  let set: UInt64
  let connection: Connection
  let isOneway: Bool

  /// It grants the exception, and does not take it back.
  var isGrant: Bool { kept.endedAt == nil }
}
