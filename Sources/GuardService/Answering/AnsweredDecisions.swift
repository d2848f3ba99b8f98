internal import GuardModel
internal import GuardProtocol

/// The decisions of one instance that may still be acknowledged: the last 64 warnings and 256 others.
///
/// Warnings wait for a person. They have a place of their own, so that other questions of the app do not push them out.
/// Each keeps its question, which is asked again when the person goes on. The attack: a warning that stood on the screen
/// while the account was locked, or while a policy came that blocks, and that lets the page through all the same.
struct AnsweredDecisions {
  private struct Answered {
    var id: DecisionID
    var outcome: Outcome
  }

  private struct Warning {
    var id: DecisionID
    /// The question, with texts of its own; nil when the others left no room for it.
    var question: Event?
  }

  /// No decision has this number: the place is that of a decision that was acknowledged.
  private static let over = DecisionID(number: 0)
  private static let maximumWarnings = 64
  private static let maximumOthers = 256
  /// Bytes of the texts of all kept questions: the longest URL, its page and as much again. A user may have many programs.
  static let maximumQuestionBytes = 262_144

  /// The oldest first.
  private var warnings: [Warning] = []
  private var questionBytes = 0
  private var others: [Answered] = []
  /// The oldest of a full list.
  private var next = 0

  /// Notes a warning with its question, as it was admitted.
  mutating func insert(_ id: DecisionID, warningOf question: borrowing Event) {
    if warnings.count >= Self.maximumWarnings { forgetQuestion(of: warnings.removeFirst()) }
    warnings.append(Warning(id: id))
    guard question.textCount <= Self.maximumQuestionBytes else { return }
    warnings[warnings.count - 1].question = question.compacted()
    questionBytes += question.textCount
    for index in warnings.indices where questionBytes > Self.maximumQuestionBytes { forgetQuestion(at: index) }
  }

  mutating func insert(_ id: DecisionID, _ outcome: Outcome) {
    guard others.count >= Self.maximumOthers else { return others.append(Answered(id: id, outcome: outcome)) }
    others[next] = Answered(id: id, outcome: outcome)
    next = (next + 1) % Self.maximumOthers
  }

  /// The outcome of a decision that is remembered.
  func outcome(of id: DecisionID) -> Outcome? {
    if warnings.contains(where: { $0.id == id }) { return .warn }
    return others.first { $0.id == id }?.outcome
  }

  /// The question of a warning; nil when it is not remembered, and then nobody may go on.
  func question(of id: DecisionID) -> Event? { warnings.first { $0.id == id }?.question }

  /// Forgets a decision: each is acknowledged once.
  mutating func remove(_ id: DecisionID) {
    if let index = warnings.firstIndex(where: { $0.id == id }) {
      forgetQuestion(at: index)
      warnings[index].id = Self.over
    } else if let index = others.firstIndex(where: { $0.id == id }) {
      others[index].id = Self.over
    }
  }

  private mutating func forgetQuestion(at index: Int) {
    forgetQuestion(of: warnings[index])
    warnings[index].question = nil
  }

  private mutating func forgetQuestion(of warning: Warning) { questionBytes -= warning.question?.textCount ?? 0 }
}
