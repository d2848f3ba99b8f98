internal import Bytes
package import DecisionLog
internal import Glibc
package import GuardModel
package import GuardProtocol
package import Logging
internal import Platform
internal import PolicyEngine
package import PolicyFiles

/// The daemon's memory on the disk, as the event loop knows it: the decision log, the state file, and the times of both.
///
/// It answers alike whether there is a log and a state file or not. Without a log nothing has room, and no answer waits;
/// without a state file notes go nowhere.
///
/// Trap: a method that changes nothing may get a copy of all this when it is not inlined. Those on the way to a decision
/// are.
package struct Journal: ~Copyable {
  let settings: DaemonSettings.Log
  let logger: Logger
  /// The daemon, as the log's first and last records name it.
  let service: ServiceIdentity
  /// Nil when the configuration turns the decision log off. For the journal's own files.
  var recorder: DecisionRecorder?
  /// The directory of the decision log; nil when it is off.
  var logFile: String?
  /// The records that the log lost between the earlier daemon and this one, in words; nil when none.
  var loss: String?
  /// How often the log began to fail.
  var logFailures: UInt64 = 0
  var lag = LogLag()
  /// The newest head of the log that the journal of the system has.
  var attestedHead: LogHead?
  /// Decisions without records of their own.
  private var uncounted: [CountKey: UInt64] = [:]
  private var lastDecision: DecimalCounter

  /// The state that outlives the daemon.
  var state: StateKeeper
  /// The head of the log that the state file has.
  var keptHead: LogHead?

  var clock = SteadyClock()
  /// The warning about the machine's clock was told.
  var clockIsAhead = false
  /// An administrator said that the clock is right, against the log.
  var clockWasRepaired = false
  /// The clock's anchor that the state file has.
  var keptAnchor: Int64?

  /// Connections with replies that wait.
  var waiting: [Connection] = []

  /// A journal without a log and without a state file.
  ///
  /// - Parameter start: milliseconds since 1970. Decisions are numbered from here, so that no two starts give one number.
  package init(_ settings: DaemonSettings.Log, logger: Logger, version: String, start: UInt64) {
    self.settings = settings
    self.logger = logger
    state = StateKeeper(logger: logger)
    service = ServiceIdentity(version: version, pid: getpid(), bootID: BootID.current)
    lastDecision = DecimalCounter(start << 12)
  }

  // MARK: Times and numbers

  /// Milliseconds since 1970; see ``SteadyClock``.
  package mutating func now() -> UInt64 { clock.now() }

  package mutating func nextDecision() -> DecisionID {
    lastDecision.increment()
    return DecisionID(number: lastDecision.number)
  }

  /// The digits of a decision's id, which are at hand for the newest.
  func digits(of id: DecisionID) -> DecimalCounter {
    lastDecision.number == id.number ? lastDecision : DecimalCounter(id.number)
  }

  /// Goes on behind every number that was given by the time on record.
  mutating func renumberDecisions() { lastDecision = DecimalCounter(max(lastDecision.number, clock.now() << 12)) }

  // MARK: Where the log is

  /// The number of the newest record: an answer that rests on it leaves when the log is written so far. 0 without a log.
  package var newest: UInt64 { recorder?.newest ?? 0 }

  /// The number on which an answer rests for which there was no room.
  package var next: UInt64 { recorder.map { $0.newest + 1 } ?? 0 }

  /// The number of the newest record for which an answer may leave.
  package var settled: UInt64 { recorder?.settled ?? .max }

  package var isFailing: Bool { recorder?.isFailing ?? false }

  /// The log fails, and the policy wants nothing allowed until it works.
  package var refusesToAllow: Bool { isFailing && settings.onLogFailure == .block }

  /// Too much waits for the disk: nothing more is read.
  package var isSaturated: Bool { recorder?.pausesReading ?? false }

  /// More records than `records` wait to be written, and each further one waits for them. Only if writing is quick:
  /// records that wait for the disk are brought there together, the more the better.
  func isBehind(by records: UInt64) -> Bool {
    settings.durability == .written && recorder?.isBehind(by: records) ?? false
  }

  /// Records were handed over that the log's thread has not told of.
  var hasUnwritten: Bool { recorder.map { $0.newest > $0.progress.written } ?? false }

  /// Milliseconds that the oldest unwritten record has waited.
  var logLag: UInt64 { lag.milliseconds(at: SystemClock.monotonicMicroseconds / 1000) }

  // MARK: Records

  /// Whether one record may be added now. While the log fails and the queue is full, records are counted instead.
  @inline(__always)
  package func takeRoom() -> Bool { recorder?.takeRoom() ?? false }

  /// Whether a decision taken now can leave: one that the log has no room for must not.
  ///
  /// - Parameter place: that of the user who asks.
  @inline(__always)
  package func mayDecide(at place: Int) -> Bool { !isShareFull(at: place) && recorder?.hasRoom ?? true }

  /// Records something, where there is room. `body` gets the encoder, the time, and the bytes to add to.
  ///
  /// - Parameter place: that of the user whom the record names.
  package mutating func record(
    of place: Int? = nil, _ body: (_ encoder: inout LogEncoder, _ time: UInt64, _ batch: inout [UInt8]) -> Void
  ) {
    guard let recorder, recorder.takeRoom() else { return }
    let time = clock.now()
    recorder.record(of: place) { body(&$0, time, &$1) }
  }

  /// As `record(of:_:)`, of something that a user's program brought about. When the user's share is full, it is only
  /// counted.
  package mutating func record(
    by person: UInt32, _ body: (_ encoder: inout LogEncoder, _ time: UInt64, _ batch: inout [UInt8]) -> Void
  ) {
    guard let place = recorder?.place(of: person) else { return }
    if isShareFull(at: place) {
      recorder?.countLimited(\.changes, at: place)
    } else {
      record(of: place, body)
    }
  }

  /// The log's words for an answer, to be copied into records.
  func written(_ report: DecisionReport, for entry: DecisionEntry) -> WrittenAnswer? {
    recorder?.written(report, for: entry)
  }

  /// The URL of the newest decision as its record has it; empty when it has none.
  var judgedURL: GrowingBytes { recorder?.judgedURL ?? GrowingBytes() }

  /// Counts a decision that gets no record of its own.
  package mutating func count(_ key: CountKey) { uncounted[key, default: 0] += 1 }

  /// Records the counts of decisions.
  package mutating func recordCounts() {
    for key in uncounted.keys { recordCounts(of: key) }
  }

  mutating func recordCounts(of key: CountKey) {
    guard let count = uncounted[key], recorder?.hasRoom == true else { return }
    uncounted[key] = nil
    var entry = DecisionCount(
      app: key.app, outcome: key.outcome, reason: key.reason, advised: key.advised, count: count)
    (entry.instance, entry.viewer, entry.uid) = (key.instance, key.viewer, key.uid)
    record(of: key.place) { $0.encode(entry, at: $1, into: &$2) }
  }

  /// Records how often actions were asked about again.
  mutating func recordRepeats(_ entries: [RecentActions.Entry]) {
    for entry in entries where entry.record != nil {
      record { $0.encodeRepeats(of: entry.id.text, count: entry.repeats, at: $1, into: &$2) }
    }
  }

  /// The log's name of an account.
  package func loggedName(of account: String) -> String {
    let isPlain = settings.accounts == .plain || account.isEmpty
    return recorder?.encoder.loggedName(of: account) ?? (isPlain ? account : "(account)")
  }

  /// A name of an account that does not tell its person.
  package func pseudonym(of account: String) -> String { recorder?.encoder.pseudonym(of: account) ?? "(account)" }

  // MARK: Replies

  /// Has the reply just added to a connection wait until the log has `record`, and the state file every change so far: an
  /// answer may rest on any of them.
  mutating func hold(
    _ connection: Connection, after record: UInt64, _ state: inout GuardState, allowing decisions: Withdrawable?,
    since: UInt64
  ) {
    connection.held.mark(
      record: record, state: self.state.newest(&state), allowing: decisions, since: since)
    guard !connection.isWaiting else { return }
    connection.isWaiting = true
    waiting.append(connection)
  }

  /// Replies that wait, of all connections.
  var heldReplies: Int { waiting.reduce(0) { $0 + $1.held.count } }
}

/// Key for counting decisions that are not recorded one by one.
package struct CountKey: Hashable {
  var app: String
  /// The instance, the viewer and the user, where a page was too fast for records of its own.
  var instance: String?
  var viewer: String?
  var uid: UInt32?
  /// Where the log keeps the share of that user.
  var place: Int?
  var outcome: Outcome
  var reason: Reason
  var advised: Outcome?

  package init(_ app: String, _ report: DecisionReport) {
    self.app = app
    outcome = report.outcome
    reason = report.reason
    advised = report.advice?.outcome
  }
}
