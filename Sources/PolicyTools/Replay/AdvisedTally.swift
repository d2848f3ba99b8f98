internal import DecisionLog

/// Counts what a pilot would have stopped: advice by site, rule and app.
///
/// A decision counts as often as it was asked for, repeats included. What happened in a page that enforcing would not
/// have opened is counted apart, since it would not have happened. Memory is bounded, whatever the log holds.
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
  /// Decisions with advice of apps whose decisions are only counted, so that nobody knows which.
  private(set) var onlyCounted = 0
  /// Answers that went out while the log could not be written.
  private(set) var lost = 0

  private var recent = RecentAdvice()
  private var site = AdvisedSite()
  private let filter: LogFilter

  /// Counts what the filter lets through; of records that are no decisions, only times and app are compared.
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
    // Only what a person did can be asked for again.
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
    if record["app"] != nil { range.app = filter.app }
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
