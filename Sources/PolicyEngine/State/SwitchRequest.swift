package import GuardModel

/// A switch that the daemon asked an app for (ledger IS-09).
package struct SwitchRequest: Sendable, Hashable {
  package let id: SwitchRequestID
  /// The window that must show it; nil is the process.
  package let window: [UInt8]?
  /// The identity that it showed when the request was made.
  package let from: Identity
  package let to: Identity
  package let cause: SwitchCause
  /// Milliseconds since 1970; later, it has failed.
  package let deadline: UInt64
  /// The app answered that it did not switch.
  package internal(set) var hasFailed = false

  func isOpen(at time: UInt64) -> Bool { !hasFailed && time <= deadline }
}
