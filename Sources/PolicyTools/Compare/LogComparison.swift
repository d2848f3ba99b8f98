package import DecisionLog
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Platform
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// Decides the events of a log anew under both policies, and counts how the answers differ.
package struct LogComparison: ~Copyable {
  private var before: OfflineReplay
  private var after: OfflineReplay
  private var url = URLSubject()
  private let isStrict: Bool
  package private(set) var counts = DiffCounts()
  package private(set) var tally: ChangeTally<AnswerChange>
  package private(set) var coverage = LogCoverage()
  private var progress = Progress("records")

  /// - Parameters:
  ///   - bindings: both policies, and who stands in for the pseudonyms of the log.
  ///   - time: in seconds since 1970.
  package init(
    _ bindings: RecordedBindings, at time: Int64, app: String?, least: Replayability, key: AccountPseudonyms?,
    limits: ChangeLimits, isStrict: Bool
  ) {
    let old = bindings.old.snapshot(generation: 1, at: time)
    let new = bindings.new.snapshot(generation: 2, at: time)
    before = OfflineReplay(old, app: app, explains: false, compared: new, least: least, key: key, bindings: bindings)
    after = OfflineReplay(new, app: app, explains: false, recorded: old, least: least, key: key, bindings: bindings)
    self.isStrict = isStrict
    tally = ChangeTally(limits)
  }

  /// Judges every line of a file that people know as `name`. Throws when it is not known as which app to ask.
  package mutating func read(_ path: String, as name: String) throws {
    var line = 0
    var problem: (any Error)?
    try LogFiles.forEachLine(of: path, beforeWaiting: {}) { bytes throws(CommandFailure) in
      line += 1
      progress.advance()
      guard problem == nil, !bytes.isBlank else { return }
      do { try compare(bytes, at: "\(name):\(line)") } catch { problem = error }
    }
    progress.finish()
    if let problem { throw problem }
  }

  private mutating func compare(_ line: Span<UInt8>, at place: String) throws {
    let tree: JSONTree
    let read: DecideLine
    do throws(LineProblem) {
      tree = try DecideLine.tree(of: line)
      read = try DecideLine(tree)
    } catch {
      return counts.invalid += 1
    }
    compare(LoggedQuestion(tree), try before.answer(read), try after.answer(read), at: place)
  }

  private mutating func compare(
    _ question: LoggedQuestion, _ old: ReplayAnswer, _ new: ReplayAnswer, at place: String
  ) {
    if case .skipped(let reason) = old, case .skipped = new {
      return coverage.skip(question, reason)
    }
    counts.compared += question.isEvent ? 1 : 0
    coverage.judge(question, old)
    let change = AnswerChange(before: ChangeSide(old), after: ChangeSide(new))
    guard let isChange = counts.add(change, isStrict: isStrict) else { return }
    tally.note(change, isChange: isChange, site: site(of: question), example: ChangeExample(question.text, at: place))
  }

  private mutating func site(of question: LoggedQuestion) -> String {
    guard let text = question.url else { return DiffSite.none }
    url.read(text)
    return DiffSite.name(of: url)
  }
}

/// The part of a log that could be judged again.
package struct LogCoverage {
  /// The events that were, by how far their records can be. An event that is no record counts as `full`.
  private(set) var judged: [Replayability: Int] = [:]
  /// The events that were not.
  private(set) var notJudged = 0
  /// Why not, also of changes of state, whose loss makes later records unknown; the first by number.
  private(set) var reasons: [String: Int] = [:]
  /// Those whose reason is not kept apart.
  private(set) var furtherReasons = 0
  /// Changes of state that were made under both.
  private(set) var changesOfState = 0
  /// Records of events that the old policy decides otherwise than the record says: it is not the policy of the log, or
  /// something that decided is not in it.
  private(set) var unlikeRecorded = 0

  /// Reasons name viewers and apps, so there is no end of them.
  private static let maximumReasons = 64

  mutating func judge(_ question: LoggedQuestion, _ old: ReplayAnswer) {
    guard question.isEvent else { return changesOfState += 1 }
    judged[question.replayability ?? .full, default: 0] += 1
    guard let recorded = question.recordedOutcome, case .answer(.decision(let reply, _)) = old else { return }
    let report = reply.report
    if report.outcome.name != recorded || report.advice?.outcome.name != question.recordedAdvice { unlikeRecorded += 1 }
  }

  mutating func skip(_ question: LoggedQuestion, _ reason: String) {
    guard question.isQuestion else { return }
    if question.isEvent { notJudged += 1 }
    guard reasons[reason] != nil || reasons.count < Self.maximumReasons else { return furtherReasons += 1 }
    reasons[reason, default: 0] += 1
  }

  /// The reasons, the most frequent first.
  var sortedReasons: [(reason: String, count: Int)] {
    reasons.map { ($0.key, $0.value) }.sorted { (-$0.1, $0.0) < (-$1.1, $1.0) }
  }
}

/// The question in a line of a log, as far as a report tells it.
struct LoggedQuestion {
  /// An event, and not a change of state.
  let isEvent: Bool
  /// A line that asks or changes something, and does not just tell of the daemon.
  let isQuestion: Bool
  let url: String?
  /// The record's replayability; nil when the line is no record, but an event as an app would state it.
  let replayability: Replayability?
  /// The answer at the time; nil likewise.
  let recordedOutcome: String?
  /// The advice beside it, where the policy only monitored.
  let recordedAdvice: String?
  /// The event, and the URL, program, place or channel that it is about.
  let text: String

  init(_ line: JSONTree) {
    let type = line["type"]?.string
    let word = line["event"]?.string
    let change = line["change"]?.string ?? line["call"]?.string
    let isRecord = line["v"] != nil && type != nil
    isEvent = word != nil && (!isRecord || type == RecordType.decision.rawValue)
    isQuestion = isEvent || change != nil
    url = line["url"]?.string ?? line["document"]?.string
    replayability = isRecord && isEvent ? line["replayable"]?.string.flatMap(Replayability.init) ?? .no : nil
    recordedOutcome = isRecord ? line["outcome"]?.string : nil
    recordedAdvice = isRecord ? line["advised"]?["outcome"]?.string : nil
    let other = url ?? line["peer"]?.string ?? line["location"]?.string ?? line["channel"]?.string
    text = [word ?? change ?? type, other].compactMap(\.self).joined(separator: " ")
  }
}

/// Standard input as a file that can be read twice; it has no name, and goes with the program.
package struct SpooledInput {
  /// Reads as a file.
  package let path: String

  package init() throws(CommandFailure) {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(directory)/webviewguard-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    if descriptor >= 0 { unlink(template) }
    guard descriptor >= 0 else {
      throw CommandFailure("cannot make a file in `\(directory.escapedForDisplay)`: \(SystemWords.last)")
    }
    var problem: CommandFailure?
    try LogFiles.forEachChunk(of: "-", STDIN_FILENO) { piece in
      if problem == nil, !Stream.write(piece, to: descriptor) {
        problem = CommandFailure("cannot keep standard input in `\(directory.escapedForDisplay)`: \(SystemWords.last)")
      }
    }
    if let problem { throw problem }
    // Opened anew, it is read from its beginning.
    path = "/proc/self/fd/\(descriptor)"
  }
}
