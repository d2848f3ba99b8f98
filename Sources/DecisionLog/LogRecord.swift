internal import GuardModel

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

extension LogRecord {
  /// The record as one line for people, with nothing in it that could steer a terminal.
  ///
  ///     2026-11-21T02:39:29.000Z redirect external documents@com.contoso.portal https://a.example/ rule=x/7 … #d-7
  ///     2026-11-21T02:39:30.000Z setIdentity com.contoso.portal identityLevel=window account=acct:ba73f6075026d25eadf5
  package var line: String {
    let time = RFC3339.text(milliseconds)
    let words = type == RecordType.decision.rawValue ? decisionWords : otherWords
    return ([time] + words).joined(separator: " ")
  }

  private var decisionWords: [String] {
    var words = [self["outcome"], self["reason"]].compactMap { $0.map(visible) }
    words += [who] + what
    if hasAdvice { words += adviceWords }
    if let rule = self["rule"] { words.append("rule=" + visible((self["ruleSet"] ?? "") + "/" + rule)) }
    if let place = self["ruleLocation"] { words.append("at=" + visible(place)) }
    words += named(Self.partyNames) + named(Self.restNames)
    if let id = self["id"] { words.append("#" + visible(id)) }
    return words.filter { !$0.isEmpty }
  }

  /// The event, unless it is a navigation to a URL in the line, and its subject.
  private var what: [String] {
    let event = self["event"].map(visible) ?? ""
    let url = url ?? ""
    return (self["event"] == "navigate" && !url.isEmpty ? [] : [event]) + [url] + named(Self.factNames)
  }

  private var adviceWords: [String] {
    let rule = self["advisedRule"].map { "advisedRule=" + visible((self["advisedRuleSet"] ?? "") + "/" + $0) }
    return named(["advised", "advisedReason", "advisedBy"]) + [rule].compactMap(\.self)
  }

  private func named(_ names: [String]) -> [String] {
    names.compactMap { name in self[name].map { name + "=" + visible($0) } }
  }

  /// The members of the event that say where data goes and through which channel.
  private static let factNames = ["location", "path", "peer", "channel", "capture", "inspection", "surface"]
  private static let partyNames =
    names(.actor) + ["owner", "locationAccount", "peerAccount"] + names(.owner)
  private static let restNames = names(.rest) + ["repeats"]

  private static func names(_ part: DecisionField.LinePart) -> [String] {
    DecisionField.inRecords.filter { $0.field.line == part }.sorted { $0.field.rawValue < $1.field.rawValue }
      .map(\.name.description)
  }

  private var otherWords: [String] {
    let shown: Set<String> = ["change", "viewer", "app"]
    let words = [visible(self["change"] ?? type), who]
    let rest = members.filter { !shown.contains($0.name) }.map { visible($0.name) + "=" + visible($0.text) }
    let mark = type == RecordType.recovered.rawValue ? ["recovered"] : []
    return words.filter { !$0.isEmpty } + mark + rest
  }

  private var who: String {
    guard let app = self["app"] else { return "" }
    guard let viewer = self["viewer"] else { return visible(app) }
    return visible(viewer) + "@" + visible(app)
  }

  private var url: String? {
    if let url = self["url"] {
      guard self["urlSHA256"] != nil else { return visible(url) }
      return visible(url) + "…(\(visible(self["urlBytes"] ?? "?")) bytes)"
    }
    return self["urlInvalid"].map { _ in "(invalid URL of " + visible(self["urlBytes"] ?? "?") + " bytes)" }
  }
}
