/// The result of the app's content scanner for copied data (ledger CB-13). The data itself is never sent.
public enum Inspection: UInt8, Sendable, Hashable, CaseIterable {
  /// Nothing scanned it.
  case none = 0
  case passed
  case blocked
  /// Too large to be scanned.
  case tooLarge
  /// The scanner could not be reached.
  case offline
  /// The user did not wait for it.
  case cancelled

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .none: "none"
    case .passed: "passed"
    case .blocked: "blocked"
    case .tooLarge: "tooLarge"
    case .offline: "offline"
    case .cancelled: "cancelled"
    }
  }
}
