internal import DecisionLog
internal import JSONText
internal import PolicyEngine
internal import URLRules

/// Decides the events of a log anew under both policies, and counts how the answers differ.
struct LogComparison: ~Copyable {
  private var before: Rehearsal
  private var after: Rehearsal
  private var url = URLSubject()
  private let isStrict: Bool
  private(set) var counts = DiffCounts()
  private(set) var tally: ChangeTally<Change>
  private(set) var coverage = LogCoverage()
  private var progress = Progress("records")

  struct Change: Hashable {
    let before: ChangeSide
    let after: ChangeSide
  }

  init(
    _ old: Snapshot, _ new: Snapshot, app: String?, least: Replayability, key: AccountPseudonyms?,
    limits: ChangeLimits, isStrict: Bool
  ) {
    before = Rehearsal(old, app: app, explains: false, compared: new, least: least, key: key)
    after = Rehearsal(new, app: app, explains: false, recorded: old, least: least, key: key)
    self.isStrict = isStrict
    tally = ChangeTally(limits)
  }

  /// Judges every line of a file; `-` is standard input. Throws when it is not known as which app to ask.
  mutating func read(_ path: String) throws {
    var line = 0
    var problem: (any Error)?
    try LogFiles.forEachLine(of: path, beforeWaiting: {}) { bytes throws(CommandFailure) in
      line += 1
      progress.advance()
      guard problem == nil, !bytes.isBlank else { return }
      do { try compare(bytes, at: "\(path):\(line)") } catch { problem = error }
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
    _ question: LoggedQuestion, _ old: RehearsalAnswer, _ new: RehearsalAnswer, at place: String
  ) {
    if case .skipped(let reason) = old, case .skipped = new {
      return coverage.skip(question, reason)
    }
    counts.compared += question.isEvent ? 1 : 0
    coverage.judge(question, old)
    let change = Change(before: ChangeSide(old), after: ChangeSide(new))
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
