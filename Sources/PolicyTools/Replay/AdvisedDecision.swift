internal import DecisionLog

/// What a record of the log says about monitoring, as far as it is counted.
enum AdvisedDecision {
  /// The policy only monitors, and would have answered otherwise.
  case advised(AdvisedSubject)
  /// It happened in a page that enforcing would not have opened, so that enforcing it would not have come to it.
  case after(hasAdvice: Bool)

  /// Nil for a decision that monitoring did not touch.
  init?(_ record: LogRecord, site: () -> String) {
    if record.words("notes").contains("afterAdvised") {
      self = .after(hasAdvice: record.hasAdvice)
    } else if record.hasAdvice {
      self = .advised(AdvisedSubject(site: site(), rule: AdvisedRule(record), app: record["app"] ?? ""))
    } else {
      return nil
    }
  }
}

/// What one piece of advice is counted under.
struct AdvisedSubject: Hashable {
  let site: String
  let rule: AdvisedRule
  let app: String
}

/// What in the policy advised, and what.
package struct AdvisedRule: Hashable, Comparable {
  /// The rule behind its rule set, `sites/file-sharing`; the protection where no rule did.
  let name: String
  let outcome: String
  let reason: String
  /// What in the policy monitors: app, protection or rule.
  let cause: String

  init(_ record: LogRecord) {
    if let rule = record["advisedRule"] {
      name = (record["advisedRuleSet"] ?? "") + "/" + rule
    } else {
      name = record["protection"].map { "protection " + $0 } ?? "(no rule)"
    }
    outcome = record["advised"] ?? ""
    reason = record["advisedReason"] ?? ""
    cause = record["advisedBy"] ?? ""
  }

  package static func < (left: AdvisedRule, right: AdvisedRule) -> Bool {
    (left.name, left.outcome, left.reason, left.cause) < (right.name, right.outcome, right.reason, right.cause)
  }
}
