package import DecisionLog
internal import JSONText
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
    let hasOtherAnswer = change.before.answer != change.after.answer
    guard hasOtherAnswer || !change.before.hasRule(of: change.after) else { return }
    let isChange = hasOtherAnswer || isStrict
    if isChange { counts.changed += 1 } else { counts.otherRule += 1 }
    tally.note(change, isChange: isChange, site: site(of: question), example: ChangeExample(question.text, at: place))
  }

  private mutating func site(of question: LoggedQuestion) -> String {
    guard let text = question.url else { return DiffSite.none }
    url.read(text)
    return DiffSite.name(of: url)
  }
}
