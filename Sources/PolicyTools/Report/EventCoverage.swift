package import DecisionLog
package import GuardModel
internal import PolicyEngine

/// The kinds of events that each app asks about, and the features that it claims, from the records of a log (ledger DC-05).
///
/// A program that never asks about a kind of event does not guard it, and no answer of the daemon shows that.
///
///     var coverage = EventCoverage()
///     for record in records { coverage.note(record) }
///     coverage.apps[0].never.map(\.name)    // ["paste", "clipboardChanged", …]
///
/// The trap: an app whose decisions are only counted (`record: counts`) has no kinds in the log; `onlyCounted` tells. And
/// each person may run another version of it, so that persons are told apart: one good program hides no careless one.
package struct EventCoverage {
  private var entries: [String: AppCoverage] = [:]
  /// The features that the newest program of each person claimed, by app.
  private var claims: [String: [UInt32: Set<String>]] = [:]
  /// Instances that have begun: those that join one, or come back to it, state nothing of what it can.
  private var begun: Set<String> = []
  /// Records of apps beyond the bound on memory.
  package private(set) var further = 0

  /// Maximum apps that are told apart, and persons of one.
  static let maximum = 4096
  private static let maximumInstances = 1 << 16

  package init() {}

  /// Counts a record. Records that are neither a decision, a repeat, a count nor the start of a program say nothing.
  package mutating func note(_ record: LogRecord) {
    guard let app = record["app"], let type = RecordType(rawValue: record.type) else { return }
    switch type {
    case .decision:
      _ = begins(record)
      let kind = EventKind.allCases.first { $0.name == record["event"] } ?? .unknown
      change(app, at: record.milliseconds) { $0.count(kind, of: record.uid) }
    case .counts:
      let count = record["count"].flatMap { Int($0) } ?? 0
      change(app, at: record.milliseconds) { $0.onlyCounted += count }
    case .state where record["change"] == StateChange.Kind.attach.rawValue:
      change(app, at: record.milliseconds) { _ in }
      noteClaims(record)
    default: break
    }
  }

  /// Notes what a program claimed when it began, which may be long before the records that are counted.
  mutating func noteClaims(_ record: LogRecord) {
    guard record["change"] == StateChange.Kind.attach.rawValue, let app = record["app"], begins(record) else { return }
    guard claims[app] != nil || claims.count < Self.maximum else { return }
    guard claims[app]?[record.uid] != nil || claims[app]?.count ?? 0 < Self.maximum else { return }
    claims[app, default: [:]][record.uid] = Set(record.words("features").map(String.init))
  }

  /// Whether this is the first record of an instance.
  private mutating func begins(_ record: LogRecord) -> Bool {
    guard let instance = record["instance"] else { return true }
    // Without room for a further one, only what is claimed tells.
    guard begun.count < Self.maximumInstances else { return !record.words("features").isEmpty }
    return begun.insert(instance).inserted
  }

  private mutating func change(_ app: String, at time: UInt64, _ body: (inout AppCoverage) -> Void) {
    guard entries[app] != nil || entries.count < Self.maximum else { return further += 1 }
    var entry = entries[app] ?? AppCoverage(app)
    body(&entry)
    (entry.first, entry.last) = (min(entry.first, time), max(entry.last, time))
    entries[app] = entry
  }

  /// The apps by name.
  package var apps: [AppCoverage] {
    entries.values.sorted { $0.app < $1.app }.map { entry in
      var entry = entry
      entry.claims = claims[entry.app].map { Array($0.values) } ?? []
      return entry
    }
  }
}

/// What one app asked about.
package struct AppCoverage: Sendable, Hashable {
  package let app: String
  /// Recorded decisions of each kind, without repeats of one action.
  package internal(set) var asked: [EventKind: Int] = [:]
  /// Decisions without a record of their own, whose kinds are unknown.
  package internal(set) var onlyCounted = 0
  /// The same for each person; those beyond the bound on memory are left out.
  package internal(set) var persons: [UInt32: [EventKind: Int]] = [:]
  /// The features that the newest program of each person claimed; empty when no start of it is in the log.
  var claims: [Set<String>] = []
  /// The times of the first and the last record, in milliseconds since 1970.
  package internal(set) var first = UInt64.max
  package internal(set) var last: UInt64 = 0

  init(_ app: String) { self.app = app }

  /// Recorded decisions.
  package var total: Int { asked.values.reduce(0, +) }

  /// The kinds that it never asked about, in the order of the interface.
  package var never: [EventKind] { EventKind.allCases.filter { $0 != .unknown && asked[$0] == nil } }

  /// The features that the newest program of some person did not claim, with the cost of each. Nil when no start of a program
  /// is in the log: then nobody knows.
  package var missing: [MissingFeature]? {
    guard !claims.isEmpty else { return nil }
    let everywhere = claims.dropFirst().reduce(claims[0]) { $0.intersection($1) }
    return ClientFeatures(words: Array(everywhere)).missing
  }

  /// The kinds that a person's programs never asked about though those of others did; nil for who asked about all of these.
  package func lacking(_ person: UInt32) -> [EventKind]? {
    guard let own = persons[person] else { return nil }
    let kinds = EventKind.allCases.filter { asked[$0] != nil && own[$0] == nil }
    return kinds.isEmpty ? nil : kinds
  }

  mutating func count(_ kind: EventKind, of person: UInt32) {
    asked[kind, default: 0] += 1
    guard persons[person] != nil || persons.count < EventCoverage.maximum else { return }
    persons[person, default: [:]][kind, default: 0] += 1
  }

  /// Kinds that every web view has. An app that asks about none of its files, its printer or its index may have none.
  package static let ofEveryView: [EventKind] = [.navigate, .copy, .paste, .download]

  /// So many decisions show what a program asks about; fewer may be one morning.
  package static let enough = 500
  /// The same for one person, who may seldom paste.
  package static let enoughOfOne = 2_000
}

extension EventCoverage {
  /// The coverage that the files of a log show.
  ///
  /// - Parameter unreadable: gets each file with lines that are no records, and their number.
  package static func read(
    _ files: [String], _ filter: LogFilter = LogFilter(), unreadable: (String, Int) -> Void = { _, _ in }
  ) throws(CommandFailure) -> EventCoverage {
    var coverage = EventCoverage()
    var starts = filter
    starts.since = nil
    var reader = LogRecordReader()
    for file in files {
      var count = 0
      try LogFiles.forEachLine(of: file, beforeWaiting: {}) { line throws(CommandFailure) in
        guard let record = reader.read(line) else {
          if !line.isEmpty { count += 1 }
          return
        }
        if filter.matches(record) {
          coverage.note(record)
        } else if starts.matches(record) {
          coverage.noteClaims(record)
        }
      }
      if count > 0 { unreadable(file, count) }
    }
    return coverage
  }
}

extension LogRecord {
  /// The person whose program it is about; the overflow id where it names none.
  fileprivate var uid: UInt32 { self["uid"].flatMap { UInt32($0) } ?? 65534 }
}
