/// What the app's content scanner said of data that is copied (ledger CB-13). The data itself is never sent.
package enum Inspection: UInt8, Sendable, Hashable, CaseIterable {
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

  package var name: String {
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
