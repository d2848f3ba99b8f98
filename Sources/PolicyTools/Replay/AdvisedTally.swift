internal import DecisionLog
internal import JSONText
internal import PolicyFiles
internal import URLRules

/// Counts actions that a pilot would have stopped: advice by site, rule and app.
///
/// A decision counts as often as it was asked for, repeats included. Actions in a page that enforcing would not have
/// opened are counted apart, since they would not have happened. Memory is bounded for any log.
package struct AdvisedTally {
  private(set) var sites = BoundedCount<String>(limit: 262_144)
  private(set) var rules = BoundedCount<AdvisedRule>(limit: 4_096)
  private(set) var apps = BoundedCount<String>(limit: 4_096)
  /// Records of decisions with advice, and how often these were asked for again.
  private(set) var records = 0
  private(set) var repeats = 0
  /// Decisions in pages that enforcing would not have opened, and those of them that had advice of their own.
  private(set) var after = 0
  private(set) var afterWithAdvice = 0
  /// Decisions with advice of apps whose decisions are only counted, so the decisions themselves are unknown.
  private(set) var onlyCounted = 0
  /// Answers that went out while the log could not be written.
  private(set) var lost = 0

  private var recent = RecentAdvice()
  private var site = AdvisedSite()
  private let filter: LogFilter

  /// Counts records that the filter lets through; for records that are no decisions, only times and app are compared.
  init(_ filter: LogFilter) {
    var all = filter
    all.isAdvised = false
    self.filter = all
  }

  package var decisions: Int { records + repeats }

  mutating func note(_ record: LogRecord) {
    switch RecordType(rawValue: record.type) {
    case .decision: noteDecision(record)
    case .repeats:
      guard let id = record["id"], let decision = recent[id] else { return }
      count(decision, times: record.number("count"), isRepeat: true)
    case .counts:
      guard record["mode"] == "monitored", isInRange(record) else { return }
      onlyCounted += record.number("count")
    case .failure:
      guard isInRange(record) else { return }
      lost += record.number("lost")
    default: break
    }
  }

  private mutating func noteDecision(_ record: LogRecord) {
    guard filter.matches(record), let decision = AdvisedDecision(record, site: { site.name(of: record) }) else {
      return
    }
    count(decision, times: 1, isRepeat: false)
    count(decision, times: record.number("repeats"), isRepeat: true)
    // Only a person's action can be asked for again.
    if record["action"] != nil, let id = record["id"] { recent.remember(decision, as: id) }
  }

  private mutating func count(_ decision: AdvisedDecision, times: Int, isRepeat: Bool) {
    switch decision {
    case .after(let hasAdvice):
      after += times
      afterWithAdvice += hasAdvice ? times : 0
    case .advised(let subject):
      records += isRepeat ? 0 : times
      repeats += isRepeat ? times : 0
      guard times > 0 else { return }
      sites.note(subject.site, times: times)
      rules.note(subject.rule, times: times)
      apps.note(subject.app, times: times)
    }
  }

  private func isInRange(_ record: LogRecord) -> Bool {
    var range = LogFilter()
    (range.since, range.until) = (filter.since, filter.until)
    if record["app"] != nil { range["app"] = filter["app"] }
    return range.matches(record)
  }
}

/// The decisions that were counted last, by id: their repeats come later, in records of their own.
private struct RecentAdvice {
  private var decisions: [String: AdvisedDecision] = [:]
  private var ids: [String] = []
  private var next = 0

  /// The daemon forgets an action after ten seconds, so its repeats are not far.
  private static let capacity = 65_536

  subscript(id: String) -> AdvisedDecision? { decisions[id] }

  mutating func remember(_ decision: AdvisedDecision, as id: String) {
    if decisions.updateValue(decision, forKey: id) != nil { return }
    if ids.count < Self.capacity { return ids.append(id) }
    decisions[ids[next]] = nil
    ids[next] = id
    next = (next + 1) % Self.capacity
  }
}

extension LogRecord {
  /// The number in a member; 0 when there is none.
  fileprivate func number(_ name: String) -> Int { self[name].flatMap { Int($0) } ?? 0 }
}

/// Finds the site under which the advice of a record is counted.
struct AdvisedSite {
  private var url = URLSubject()
  private let suffixes = PublicSuffixes()

  /// The registrable domain of its URL; the host where there is none, as of an address, and `mailto:` and the like
  /// where there is no host.
  mutating func name(of record: LogRecord) -> String {
    guard let text = record["url"] else { return record["urlInvalid"] == nil ? DiffSite.none : DiffSite.invalid }
    url.read(text)
    guard url.kind == .url else { return DiffSite.name(of: url) }
    return suffixes.site(of: url.judged) ?? DiffSite.name(of: url)
  }
}

/// A log record's statement about monitoring, as far as it is counted.
enum AdvisedDecision {
  /// The policy only monitors, and would have answered otherwise.
  case advised(AdvisedSubject)
  /// It happened in a page that enforcing would not have opened, so that enforcing it would not have come to it.
  case after(hasAdvice: Bool)

  /// Nil for a decision that monitoring did not touch.
  init?(_ record: LogRecord, site: () -> String) {
    if record.words("notes").contains("afterAdvised") {
      self = .after(hasAdvice: record.hasAdvice)
    } else if record.hasAdvice {
      self = .advised(AdvisedSubject(site: site(), rule: AdvisedRule(record), app: record["app"] ?? ""))
    } else {
      return nil
    }
  }
}

/// Counting key of one piece of advice.
struct AdvisedSubject: Hashable {
  let site: String
  let rule: AdvisedRule
  let app: String
}

/// The advising part of the policy, and its advice.
package struct AdvisedRule: Hashable, Comparable {
  /// The rule behind its rule set, `sites/file-sharing`; the protection where no rule did.
  let name: String
  let outcome: String
  let reason: String
  /// The monitoring part of the policy: app, protection or rule.
  let cause: String

  init(_ record: LogRecord) {
    if let rule = record["advisedRule"] {
      name = (record["advisedRuleSet"] ?? "") + "/" + rule
    } else {
      name = record["protection"].map { "protection " + $0 } ?? "(no rule)"
    }
    outcome = record["advised"] ?? ""
    reason = record["advisedReason"] ?? ""
    cause = record["advisedBy"] ?? ""
  }

  package static func < (left: AdvisedRule, right: AdvisedRule) -> Bool {
    (left.name, left.outcome, left.reason, left.cause) < (right.name, right.outcome, right.reason, right.cause)
  }
}

extension AdvisedTally {
  /// The counts for people: how many in all, then by site, rule and app.
  package func printText(top: Int, to output: Output) throws(CommandFailure) {
    try output.line("\(Self.count(decisions, "decision")) with advice: \(records) recorded, \(repeats) repeated")
    if after > 0 {
      try output.line(
        "not among them: \(after) in pages that enforcing would not have opened, \(afterWithAdvice) with advice")
    }
    if onlyCounted > 0 { try output.line("not among them: \(onlyCounted) of apps whose decisions are only counted") }
    if lost > 0 { try output.line("\(Self.count(lost, "answer")) left no record, so advice may be missing") }
    try print(["SITE", "COUNT"], sites, "sites", top, to: output) { [$0] }
    try print(["RULE", "ADVISED", "REASON", "MONITORED", "COUNT"], rules, "rules", top, to: output) {
      [$0.name, $0.outcome, $0.reason, $0.cause]
    }
    try print(["APP", "COUNT"], apps, "apps", top, to: output) { [$0] }
  }

  private func print<Key: Comparable>(
    _ header: [String], _ counts: BoundedCount<Key>, _ unit: String, _ number: Int, to output: Output,
    cells: (Key) -> [String]
  ) throws(CommandFailure) {
    guard counts.keyCount > 0 else { return }
    let top = counts.top(number)
    let rows = top.map { cells($0.key).map(\.escapedForDisplay) + [String($0.count)] }
    try output.line("")
    for line in TextTable(header, rows).lines { try output.line(line) }
    let hidden = counts.keyCount - top.count
    if hidden > 0 { try output.line("and \(hidden) further \(unit) with \(rest(counts, top))") }
    if counts.further > 0 { try output.line("and \(counts.further) on \(unit) beyond those that are kept apart") }
  }

  private func rest<Key>(_ counts: BoundedCount<Key>, _ top: [(key: Key, count: Int)]) -> Int {
    decisions - counts.further - top.reduce(0) { $0 + $1.count }
  }

  private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

  /// The counts as one JSON object under `counts`: behind records it is the line that is none.
  package func printJSON(top: Int, to output: Output) throws(CommandFailure) {
    let members: [JSONTree.Member] = [
      .init("decisions", .number(decisions)), .init("recorded", .number(records)), .init("repeated", .number(repeats)),
      .init("after", .number(after)), .init("afterWithAdvice", .number(afterWithAdvice)),
      .init("onlyCounted", .number(onlyCounted)), .init("lost", .number(lost)),
    ]
    let lists =
      list("site", "Sites", sites, top) { [.init("site", .string($0))] }
      + list("rule", "Rules", rules, top) { rule in
        [
          .init("rule", .string(rule.name)), .init("outcome", .string(rule.outcome)),
          .init("reason", .string(rule.reason)), .init("cause", .string(rule.cause)),
        ]
      } + list("app", "Apps", apps, top) { [.init("app", .string($0))] }
    try output.line(JSONTree.object([.init("counts", .object(members + lists))]).text())
  }

  private func list<Key: Comparable>(
    _ unit: String, _ title: String, _ counts: BoundedCount<Key>, _ number: Int, members: (Key) -> [JSONTree.Member]
  ) -> [JSONTree.Member] {
    let top = counts.top(number)
    let elements = top.map { JSONTree.object(members($0.key) + [.init("count", .number($0.count))]) }
    return [
      .init(unit + "s", .array(elements)), .init("further" + title, .number(counts.keyCount - top.count)),
      .init("onFurther" + title, .number(rest(counts, top))), .init("onUncounted" + title, .number(counts.further)),
    ]
  }
}

/// Counts how often each key was seen, within a bound: memory ends there, however long the input.
///
///     var sites = BoundedCount<String>(limit: 2)
///     for site in ["a.example", "b.example", "a.example", "c.example"] { sites.note(site, times: 1) }
///     sites.top(1).first?.count    // 2, of a.example
///     sites.further                // 1: c.example came when both places were taken
///
/// Which keys are kept goes by who came first, so the same input has the same result.
package struct BoundedCount<Key: Hashable> {
  private var counts: [Key: Int] = [:]
  private let limit: Int
  /// Everything seen of keys that are not kept apart.
  package private(set) var further = 0

  package init(limit: Int) { self.limit = limit }

  /// Number of keys kept apart.
  package var keyCount: Int { counts.count }

  package mutating func note(_ key: Key, times: Int) {
    if let count = counts[key] {
      counts[key] = count + times
    } else if counts.count < limit {
      counts[key] = times
    } else {
      further += times
    }
  }
}

extension BoundedCount where Key: Comparable {
  /// The keys seen most, the most frequent first; of equal ones the first by order.
  package func top(_ number: Int) -> [(key: Key, count: Int)] {
    let sorted = counts.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }
    return sorted.prefix(number).map { ($0.key, $0.value) }
  }
}
