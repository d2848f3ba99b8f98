/// Which records a person wants to see. What is nil asks for nothing; everything asked for must hold.
package struct LogFilter: Sendable, Hashable {
  /// The first time shown, in milliseconds since 1970.
  package var since: UInt64?
  /// The first time that is no longer shown.
  package var until: UInt64?
  package var app: String?
  package var outcome: String?
  package var reason: String?
  package var viewer: String?
  /// The account as it may stand in the log: its text, and its pseudonym. Whatever its part was: it may act, own the
  /// data, or be that of the place or of the other program.
  package var account: Set<String>?
  /// Only decisions with advice: what the policy would have answered where it only monitors.
  package var isAdvised = false
  /// A decision's id; its repeats are shown too.
  package var id: String?

  package init() {}

  package func matches(_ record: LogRecord) -> Bool {
    if let since, record.milliseconds < since { return false }
    if let until, record.milliseconds >= until { return false }
    let wanted = [("app", app), ("outcome", outcome), ("reason", reason), ("viewer", viewer), ("id", id)]
    for (name, text) in wanted where text != nil && record[name] != text { return false }
    if isAdvised, record.type != RecordType.decision.rawValue || !record.hasAdvice { return false }
    guard let account else { return true }
    return Self.accountNames.contains { name in record[name].map(account.contains) ?? false }
  }

  private static let accountNames = [
    "account", "clipOwner", "owner", "locationAccount", "peerAccount", "setOwner", "tagAs", "switchTo",
  ]
}
