/// The answer that an enforced policy would give, where the policy only monitors (`monitorOnly`).
///
/// The decision that holds it is the actual answer: mostly `allow`. A monitored rule is skipped, so that the answer
/// comes from the rules behind it.
package struct Advice: Sendable, Hashable {
  package var outcome: Outcome
  package var reason: Reason
  package var cause: MonitorCause
  /// Index of the rule set and of the rule that advised; nil when none did, and no rule for a default.
  package var ruleSet: RuleSetIndex?
  package var rule: RuleNumber?

  package init(_ outcome: Outcome, _ reason: Reason, _ cause: MonitorCause) {
    self.outcome = outcome
    self.reason = reason
    self.cause = cause
  }
}

/// The part of the policy that only monitors.
public enum MonitorCause: String, Sendable, Hashable, CaseIterable {
  case app
  case protection
  case rule
}

/// The effect of a decision: binding or only recorded.
package enum DecisionMode: String, Sendable, Hashable, CaseIterable {
  case enforced
  /// The policy is only watched: the answer is `allow`, and the log has the answer that the policy would have given.
  case monitored
}

/// An `Advice` with every name spelled out.
package struct AdviceReport: Sendable, Hashable {
  package var outcome: Outcome
  package var reason: Reason
  package var cause: MonitorCause
  package var ruleSet: String?
  /// The rule's id, or `default`.
  package var rule: String?
  /// `file:line:column` of the rule.
  package var ruleLocation: String?

  package init(_ outcome: Outcome, _ reason: Reason, _ cause: MonitorCause) {
    self.outcome = outcome
    self.reason = reason
    self.cause = cause
  }
}
