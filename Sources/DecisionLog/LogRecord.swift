/// One line of the log, read back for people and for filters.
///
/// Members are kept as text under their names, so that fields and types of later versions are shown and not lost.
///
///     record.type         // decision
///     record["reason"]    // external
///     record.line         // 2026-11-21T02:39:29.000Z redirect external documents@com.contoso.portal …
package struct LogRecord: Sendable, Hashable {
  package let seq: UInt64
  /// Milliseconds since 1970.
  package let milliseconds: UInt64
  /// A `RecordType`, or a word of a later version.
  package let type: String
  /// The other members in their order, without the chain's.
  package let members: [Member]

  /// One member of a record; the elements of an array stand side by side, with commas.
  package struct Member: Sendable, Hashable {
    package let name: String
    package let text: String
  }

  /// The policy only monitors here, and would have answered otherwise. In the records of earlier versions `advised` is
  /// always there, and mostly the outcome.
  package var hasAdvice: Bool {
    guard let advised = self["advised"] else { return false }
    return self["mode"] == "monitored" || advised != self["outcome"]
  }

  /// The words of a member that is a list, such as `notes`.
  package func words(_ name: String) -> [Substring] { self[name]?.split(separator: ",") ?? [] }

  /// The text of a member; nil when the record has none of that name.
  package subscript(name: String) -> String? { members.first { $0.name == name }?.text }
}
