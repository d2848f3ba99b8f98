internal import GuardModel
package import GuardProtocol

/// The decisions that must be withdrawn when the reply that has them cannot leave.
package struct Withdrawable {
  private let first: ClosedRange<DecisionID>
  private var others: [ClosedRange<DecisionID>] = []

  package init(_ id: DecisionID) { first = id...id }

  /// Those of a batch, between which others were made; nil when none of them lets anything happen.
  init?(of answered: [AnsweredEvent]) {
    guard answered.contains(where: { $0.form.report.outcome.letsHappen }) else { return nil }
    let ids = answered.map(\.envelope).filter { !$0.isRepeated }.map(\.id)
    // All repeated: the first of them stands for the reply.
    guard let first = ids.first ?? answered.first?.envelope.id else { return nil }
    self.init(first)
    others = ids.dropFirst().map { $0...$0 }
  }

  var ranges: [ClosedRange<DecisionID>] { [first] + others }
}
