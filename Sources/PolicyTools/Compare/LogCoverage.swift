internal import DecisionLog
internal import GuardModel
internal import GuardProtocol

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
