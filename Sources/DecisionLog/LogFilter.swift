internal import GuardModel

/// The records that a person wants to see. A nil condition demands nothing; every other condition must hold.
package struct LogFilter: Sendable, Hashable {
  /// The first time shown, in milliseconds since 1970.
  package var since: UInt64?
  /// The first time that is no longer shown.
  package var until: UInt64?
  package var app: String?
  package var outcome: String?
  package var reason: String?
  package var viewer: String?
  /// The account as it may stand in the log: its text, and its pseudonym. In any part: it may act, own the data, or be
  /// that of the place or of the other program.
  package var account: Set<String>?
  /// Only decisions with advice: the enforced answer of a policy that only monitors.
  package var isAdvised = false
  /// A decision's id; its repeats are shown too.
  package var id: String?
  /// The user who asked.
  package var uid: UInt32?
  /// A rule: its id, or its rule set, `/` and its id.
  package var rule: String?
  /// The type of the record.
  package var type: String?
  /// The id of an exception.
  package var exception: String?

  package init() {}

  package func matches(_ record: LogRecord) -> Bool {
    if let since, record.milliseconds < since { return false }
    if let until, record.milliseconds >= until { return false }
    if let type, record.type != type { return false }
    if let rule, !Self.names(rule, in: record) { return false }
    let wanted = [
      ("app", app), ("outcome", outcome), ("reason", reason), ("viewer", viewer), ("id", id), ("exception", exception),
      ("uid", uid.map(String.init)),
    ]
    for (name, text) in wanted where text != nil && record[name] != text { return false }
    if isAdvised, record.type != RecordType.decision.rawValue || !record.hasAdvice { return false }
    guard let account else { return true }
    return Self.accountNames.contains { name in record[name].map(account.contains) ?? false }
  }

  /// Whether the rule decided, or advised.
  private static func names(_ rule: String, in record: LogRecord) -> Bool {
    [("ruleSet", "rule"), ("advisedRuleSet", "advisedRule")].contains { set, id in
      guard let found = record[id] else { return false }
      return found == rule || (record[set] ?? "") + "/" + found == rule
    }
  }

  private static let accountNames =
    ["owner", "locationAccount", "peerAccount", "stated", "shown"]
    + DecisionField.inRecords.filter { if case .account = $0.field.kind { true } else { false } }.map(
      \.name.description)
}
