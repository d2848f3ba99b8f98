internal import AccountKeys
internal import GuardProtocol
internal import NIOCore

/// The event loop's side of the account keys.
struct KeyDesk {
  /// Nil where nothing outlives the daemon: then there are no keys.
  var ring: KeyRing?
  var book = KeyBook()
  /// Why no key can be used; nil when keys can, and while they are being opened.
  var failure: String?
  /// Why keys that a wipe destroys are still there; nil when none are.
  var destructionFailure: String?
  /// Why a key was not given, as it was told last.
  var toldCause: String?
  /// Destructions that the ring works on.
  var underWay: Set<KeyOwner> = []
  /// Milliseconds of the machine's running time, before which nothing that failed is tried again.
  var retryAt: UInt64 = 0

  /// Milliseconds between two attempts at something that failed.
  static let pause: UInt64 = 30_000

  var problems: [HealthProblem] {
    [
      failure.map { HealthProblem(.keysUnusable, "no key of sealed data can be used: \($0)") },
      destructionFailure.map { HealthProblem(.keysNotDestroyed, "keys of wiped accounts are still there: \($0)") },
    ].compactMap(\.self)
  }
}
