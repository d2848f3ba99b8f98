internal import GuardModel
internal import GuardProtocol
internal import PolicyFiles
internal import URLRules

/// The answer of one of the two configurations, in words.
package struct ChangeSide: Hashable {
  /// The compared text: `internal`, `external, then block`, `redirect to managedBrowser (external)`.
  var answer: String
  var ruleSet: String?
  /// The rule's id, or `default`; nil when no rule set was asked.
  var rule: String?
  /// `file:line:column` of the rule.
  var location: String?

  /// Whether the same rule of the same rule set decided, wherever it stands in its file.
  func hasRule(of other: ChangeSide) -> Bool { ruleSet == other.ruleSet && rule == other.rule }
}

/// Two answers to the same question.
package struct AnswerChange: Hashable {
  package let before: ChangeSide
  package let after: ChangeSide
}

extension ChangeSide {
  /// The result of a step of a policy's test.
  init(_ answer: PolicyTestAnswer) {
    switch answer {
    case .done: self.init(answer: "done")
    case .refused(let error): self.init(answer: "refused: \(error.code.rawValue)")
    case .decision(let report): self.init(report)
    }
  }

  /// A rule set's answer for a URL.
  init(_ verdict: RuleVerdict, of ruleSet: RuleSet) {
    let rule = verdict.rule.map { ruleSet.rules[Int($0)] }
    answer = verdict.words
    self.ruleSet = ruleSet.name
    self.rule = rule?.id ?? "default"
    location = rule?.location ?? ruleSet.defaultLocation
  }

  /// The result of a line of a log.
  init(_ answer: ReplayAnswer) {
    switch answer {
    case .answer(.decision(let reply, _)): self.init(reply.report)
    case .answer(.reply), .done: self.init(answer: "accepted")
    case .error(let error): self.init(answer: "refused: \(error.name)")
    case .skipped(let reason): self.init(answer: "not judged: \(reason)")
    case .invalid(let problem): self.init(answer: "invalid: \(problem)")
    }
  }

  private init(_ report: DecisionReport) {
    let target = report.open.map { " to \($0.target)" } ?? ""
    let outcome = report.outcome.name + (report.outcome == .redirect || report.outcome == .handOff ? target : "")
    let advised = report.advice.map { ", advised \($0.outcome.name) (\($0.reason.rawValue))" } ?? ""
    let duties = (report.mustEncrypt ? ", encrypted" : "") + (report.tagAs == nil ? "" : ", tagged")
    answer = "\(outcome) (\(report.reason.rawValue))\(advised)\(duties)"
    (ruleSet, rule, location) = (report.ruleSet, report.rule, report.ruleLocation)
  }
}

extension RuleVerdict {
  /// The verdict, with the rule's `then`.
  fileprivate var words: String { then == .none ? verdict.name : "\(verdict.name), then \(then.rawValue)" }
}

extension CallError {
  /// The error's name without its interface.
  fileprivate var name: String {
    qualifiedName.split(separator: ".").last.map(String.init) ?? qualifiedName
  }
}
