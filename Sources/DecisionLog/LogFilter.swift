internal import GuardModel

/// The records that a person wants to see. A nil condition demands nothing; every other condition must hold.
package struct LogFilter: Sendable, Hashable {
  /// The first time shown, in milliseconds since 1970.
  package var since: UInt64?
  /// The first time that is no longer shown.
  package var until: UInt64?
  /// The texts that a member may have, by its name: `["outcome": ["block"]]`.
  package var members: [String: Set<String>] = [:]
  /// The account as it may stand in the log: its text, and its pseudonym. In any part: it may act, own the data, or be
  /// that of the place or of the other program.
  package var account: Set<String>?
  /// Only decisions with advice: the enforced answer of a policy that only monitors.
  package var isAdvised = false
  /// A rule: its id, or its rule set, `/` and its id.
  package var rule: String?
  /// The type of the record.
  package var type: String?

  package init() {}

  /// The one text that a member must have.
  package subscript(member: String) -> String? {
    get { members[member]?.first }
    set { members[member] = newValue.map { [$0] } }
  }

  package func matches(_ record: LogRecord) -> Bool {
    if let since, record.milliseconds < since { return false }
    if let until, record.milliseconds >= until { return false }
    if let type, record.type != type { return false }
    if let rule, !Self.names(rule, in: record) { return false }
    for (name, texts) in members where record[name].map(texts.contains) != true { return false }
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
    ["owner", "fileOwner", "locationAccount", "peerAccount", "stated", "shown"]
    + DecisionField.inRecords.filter(\.field.kind.isAccount).map(\.name.description)
}
