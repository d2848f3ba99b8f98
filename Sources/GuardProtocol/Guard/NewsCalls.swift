package import GuardModel

/// `Answer`: the result of a switch that the service asked for.
package struct AnswerCall: Call, Hashable {
  package var request = ""
  package var result = SwitchResult.failed

  package init() {}

  package static let parameters = ParameterTable<AnswerCall>([
    .name("request", \.request), .word("result", .switchResult, \.result),
  ])
}

/// `Acknowledge`: the result of a decision.
package struct AcknowledgeCall: Call, Hashable {
  package var decision = ""
  package var outcome = Outcome.block
  package var justification: String?

  package init() {}

  package static let parameters = ParameterTable<AcknowledgeCall>([
    .name("decision", \.decision), .word("outcome", .outcome, \.outcome),
    .optionalText("justification", \.justification),
  ])

  /// The longest justification, in bytes. A reason fits, a document does not, and the log keeps it whole.
  package static let maximumJustification = 1024
}

/// `Subscribe`: news, from now on.
package struct SubscribeCall: Call, Hashable {
  package var topics = Topic.standard

  package init() {}

  package static let parameters = ParameterTable<SubscribeCall>([.words("topics", .topic, \.topics)])
}
