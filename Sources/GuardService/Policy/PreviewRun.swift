internal import Bytes
internal import DecisionLog
internal import GuardModel
package import GuardProtocol
internal import PolicyEngine

/// Judges the events that were asked lately under two policies, each with a copy of the state.
///
/// The events are judged in the order in which they were asked last, and both copies go along with them: a copy comes before
/// the paste that followed it.
///
/// INVARIANT: the event loop makes it and hands it over whole; from then on one thread has it, and it shares nothing that can
/// change.
final class PreviewRun: @unchecked Sendable {
  private var before: Guard
  private var after: Guard
  private var ruling = Ruling()
  private let redaction: RedactionSettings
  private let time: UInt64
  private let events: [RememberedEvent]
  private var preview = PolicyPreview()
  /// Each with the number of the question that asked it last.
  private var changes: [(change: PolicyChange, order: UInt64)] = []
  private var loosened = LoosenedAnswers()
  private var groups: [Group: Int] = [:]

  /// Two changes with equal groups look alike.
  fileprivate struct Group: Hashable {
    var app: String
    var viewerClass: String?
    var event: EventKind
    var url: String?
    var before: PolicyAnswer
    var after: PolicyAnswer
  }

  /// - Parameters:
  ///   - before: a copy under the policy in force.
  ///   - after: a copy under the other.
  init(
    _ recent: RecentEvents, before: consuming Guard, after: consuming Guard, at time: UInt64,
    redaction: RedactionSettings
  ) {
    events = recent.all
    preview.since = recent.since
    preview.notRemembered = recent.missed
    preview.generation = after.snapshot.generation
    self.before = before
    self.after = after
    self.time = time
    self.redaction = redaction
  }

  /// Judges all events, and returns the findings.
  func judgeAll() -> PolicyPreview {
    for event in events { judge(event) }
    (preview.loosened, preview.weighed) = (loosened.loosened, loosened.judged)
    preview.changes = Array(
      changes.sorted { ($0.change.seen, $0.order) > ($1.change.seen, $1.order) }
        .prefix(PolicyPreview.maximumChanges).map(\.change))
    return preview
  }

  private func judge(_ remembered: RememberedEvent) {
    guard before.state.instance(remembered.instance) != nil else {
      preview.notJudged += 1
      return
    }
    preview.judged += 1
    var event = remembered.event
    event.time = time
    let (old, url, viewerClass) = answer(event, of: remembered.instance, &before, &ruling)
    let (new, _, _) = answer(event, of: remembered.instance, &after, &ruling)
    loosened.count(of: remembered.uid, isLoosened: new.isLooser(than: old))
    guard !old.isLike(new) else { return }
    preview.changed += 1
    note(
      remembered,
      Group(
        app: remembered.app, viewerClass: viewerClass, event: event.kind, url: url, before: old, after: new))
  }

  private func note(_ remembered: RememberedEvent, _ group: Group) {
    guard let known = groups[group] else {
      groups[group] = changes.count
      changes.append((PolicyChange(group.app, group, remembered), remembered.order))
      return
    }
    changes[known].change.events += 1
    changes[known].change.seen &+= remembered.count
    changes[known].change.lastSeen = max(changes[known].change.lastSeen, remembered.last)
    changes[known].order = remembered.order
  }

  private func answer(
    _ event: borrowing Event, of instance: InstanceID, _ engine: inout Guard, _ ruling: inout Ruling
  ) -> (PolicyAnswer, url: String?, viewerClass: String?) {
    engine.decideAgain(event, of: instance, into: &ruling)
    let report = engine.report(ruling, for: instance)
    let isPrivate = engine.state.isPrivate(ruling.decision.identity, in: instance)
    return (PolicyAnswer(report), isPrivate ? nil : ruling.judgedURL().map { redacted($0) }, report.viewerClass)
  }

  /// The URL as the log has it, shortened: it is for reading.
  private func redacted(_ url: URLText) -> String {
    var text = GrowingBytes()
    _ = redaction.append(url, to: &text)
    return String(text.string.prefix(RecentDecisions.longestURL))
  }
}

extension PolicyChange {
  fileprivate init(_ app: String, _ group: PreviewRun.Group, _ remembered: RememberedEvent) {
    self.init()
    self.app = app
    viewerClass = group.viewerClass
    event = group.event
    url = group.url
    seen = remembered.count
    lastSeen = remembered.last
    before = group.before
    after = group.after
  }
}

extension PolicyAnswer {
  fileprivate init(_ report: DecisionReport) {
    self.init()
    outcome = report.outcome
    reason = report.reason
    target = report.open?.target
    advised = report.advice?.outcome
    duties = DecisionField.inReplies.filter { $0.field.duty != nil && $0.field.value(in: report).isStated }
      .map(\.name.description)
    ruleSet = report.ruleSet
    rule = report.rule
    ruleLocation = report.ruleLocation
  }
}

/// Number of judged answers that another policy loosens, with no user counted for more than an ordinary one.
///
///     var answers = LoosenedAnswers()
///     answers.count(of: 1000, isLoosened: true)
///     answers.loosened    // 1
///
/// The attack: a user invents hundreds of questions, so that a policy which changes them is refused for their number.
/// The number of a user's questions is therefore scaled to the median of all users: a user who asked more counts as if
/// he had asked that many. A stricter policy is never refused for any questions.
package struct LoosenedAnswers: Sendable {
  private struct Tally {
    var judged = 0
    var loosened = 0
  }

  private var users: [UInt32: Tally] = [:]

  package init() {}

  /// Counts an event of a user that was judged.
  package mutating func count(of person: UInt32, isLoosened: Bool) {
    users[person, default: Tally()].judged += 1
    if isLoosened { users[person, default: Tally()].loosened += 1 }
  }

  /// Number of judged answers.
  package var judged: Int { users.values.reduce(0) { $0 + min(ordinary, $1.judged) } }

  /// Number of looser answers; a part of an answer counts as a whole.
  package var loosened: Int {
    let ordinary = ordinary
    return users.values.reduce(0) { sum, user in
      sum + (user.loosened * min(ordinary, user.judged) + user.judged - 1) / user.judged
    }
  }

  /// The questions of an ordinary user: as many as half of the users asked, or fewer.
  private var ordinary: Int {
    let counts = users.values.map(\.judged).sorted()
    return counts.isEmpty ? 0 : counts[(counts.count - 1) / 2]
  }
}

extension PolicyAnswer {
  /// Whether it lets more happen than the other: a weaker outcome, a program that keeps less, or a duty that is gone.
  package func isLooser(than other: PolicyAnswer) -> Bool {
    guard outcome == other.outcome else { return other.outcome.isStricter(than: outcome) }
    if Self.keeps(other.target), !Self.keeps(target) { return true }
    return !Set(other.duties).isSubset(of: duties)
  }

  /// Data that leaves for a managed program, or for none, stays managed.
  private static func keeps(_ target: String?) -> Bool {
    target.map { ["managedBrowser", "managedLink"].contains($0) } ?? true
  }
}
