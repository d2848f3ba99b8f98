internal import GuardModel
internal import JSONText

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
    names(.actor) + ["owner", "fileOwner", "locationAccount", "peerAccount"] + names(.owner)
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

/// Reads lines of a log as records. It looks at no hash: `LogVerifier` does.
package struct LogRecordReader: ~Copyable {
  private var parser = JSONParser(maximumLength: LogLimits.recordBytes)

  package init() {}

  /// The record in a line, without its newline; nil when it holds none of a known version.
  package mutating func read(_ line: Span<UInt8>) -> LogRecord? {
    guard let root = try? parser.parse(line), root["v"]?.uint == UInt64(LogEncoder.version) else { return nil }
    guard let seq = root["seq"]?.uint, let type = root["type"]?.string, let time = root["time"]?.string,
      let milliseconds = RFC3339.milliseconds(time)
    else { return nil }
    return LogRecord(seq: seq, milliseconds: milliseconds, type: type, members: Self.members(of: root))
  }

  private static let chainNames: Set<String> = ["v", "seq", "time", "type", "prev"]

  private static func members(of root: JSONValue) -> [LogRecord.Member] {
    var kept: [LogRecord.Member] = []
    var members = root.members
    while let member = members.next() {
      let name = member.key.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      guard !chainNames.contains(name) else { continue }
      if name == "advised", member.value.kind == .object {
        kept += advice(member.value)
      } else {
        kept.append(LogRecord.Member(name: name, text: text(of: member.value)))
      }
    }
    return kept
  }

  /// The advice as members of the record; those of later versions are left out.
  private static func advice(_ advice: JSONValue) -> [LogRecord.Member] {
    adviceNames.compactMap { name, member in
      guard let value = advice[name] else { return nil }
      return LogRecord.Member(name: member, text: text(of: value))
    }
  }

  private static let adviceNames: [(StaticString, String)] = [
    ("outcome", "advised"), ("reason", "advisedReason"), ("cause", "advisedBy"), ("ruleSet", "advisedRuleSet"),
    ("rule", "advisedRule"), ("ruleLocation", "advisedRuleLocation"),
  ]

  private static func text(of value: JSONValue) -> String {
    if let string = value.string { return string }
    if let bool = value.bool { return bool ? "true" : "false" }
    if let number = value.uint { return String(number) }
    if let number = value.int { return String(number) }
    if let number = value.double { return String(number) }
    if let uid = value["uid"]?.uint, let bytes = value["bytes"]?.uint { return "\(uid):\(bytes)" }
    return value.kind == .array ? list(of: value) : value.isNull ? "null" : "{…}"
  }

  private static func list(of array: JSONValue) -> String {
    var parts: [String] = []
    var elements = array.elements
    while let element = elements.next() { parts.append(text(of: element)) }
    return parts.joined(separator: ",")
  }
}

/// The content of a line of the log. Later versions may add types; readers show those they do not know by name.
package enum RecordType: String, Sendable, Hashable, CaseIterable {
  case decision
  /// A change of state that can alter a decision.
  case state
  /// A change of state that an app asked for and did not get.
  case refused
  /// A load of the policy, whether it worked or failed.
  case policy
  case start
  case stop
  /// Number of repetitions of one decision.
  case repeats
  /// An app's report on the result of a decision.
  case acknowledged
  /// An answer that never left, since its record could not be written in time.
  case withdrawn
  /// Decisions that got no record of their own.
  case counts
  /// Torn bytes at the end of a file, found at start.
  case sealed
  /// The end of a file; the next record is in the next one.
  case closed
  /// Decisions of a user whose share of the log is full.
  case limited
  /// Old files that were removed.
  case pruned
  /// A change of state that was found at start without its record.
  case recovered
  /// A time in which the log could not be written.
  case failure
  /// Records that were written and were not there at the next start.
  case lost
  /// An event of the machine's clock: it is not believed, or is again.
  case clock
  /// An event of a timed exception.
  case exception
  /// A step in the life of an account.
  case account
  /// A condition of a protection holds or fails from now on.
  case condition
  /// The key of a sealed object was given or withheld, or an account's keys were destroyed.
  case key
}

/// The degree to which a record can be judged again from its content.
///
/// Ordered: `no < host < path < full`. A record with two URLs is as good as the worse of them.
package enum Replayability: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Not at all: the URL was invalid, or something that changes verdicts is missing, such as credentials.
  case no
  /// Only rules that ask for scheme and host come out the same.
  case host
  /// All rules but those that look at the query.
  case path
  /// Everything that rules can see is there. They do not see a fragment.
  case full

  package static func < (left: Replayability, right: Replayability) -> Bool { left.rank < right.rank }

  /// The place among all cases.
  var rank: Int {
    switch self {
    case .no: 0
    case .host: 1
    case .path: 2
    case .full: 3
    }
  }
}
