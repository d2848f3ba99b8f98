/// The part of a program where a copy or paste happens (ledger CB-14).
public enum Surface: UInt8, Sendable, Hashable, CaseIterable {
  /// In the page. The default when an app says nothing.
  case content = 0
  /// In the program's own fields around the page, such as the address bar.
  case chrome

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .content: "content"
    case .chrome: "chrome"
    }
  }
}
