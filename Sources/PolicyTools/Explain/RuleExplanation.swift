package import URLRules

/// The reasons for a rule set's answer on one URL.
///
///     RuleExplainer(ruleSet).explain(RuleQuestion(url: "http://mail.contoso.com/")).missed[0].words
///     // needs scheme `https`, this is `http`
package struct RuleExplanation: Sendable, Hashable {
  package let question: RuleQuestion
  /// The reading of the text.
  package let reading: URLExplanation
  /// The rule set's answer; nil when the text is no URL.
  package let verdict: RuleVerdict?
  /// The match of the rule that answers, or the reason for the default.
  package internal(set) var deciding: String?
  /// The rules before it that came near, each with the first thing that kept it from matching; in the order of the
  /// file.
  package internal(set) var missed: [RuleFinding] = []
  /// Rules that came near and are not among `missed`, since there are too many.
  package internal(set) var missedMore = 0
  /// The other rules that were before it, and did not come near.
  package internal(set) var otherCount = 0
  /// Rules that match, or may match, and do not answer, in the order of the file.
  package internal(set) var hidden: [RuleFinding] = []
  package internal(set) var hiddenMore = 0
  /// Rules that match, or may match, and are passed over since they only monitor.
  package internal(set) var monitored: [RuleFinding] = []
  /// The nearest changes of URL and context that flip the verdict, the nearest first. Each was asked.
  package internal(set) var changes: [QuestionChange] = []
  /// The nearest change of the rules that flips it. It was asked, too.
  package internal(set) var ruleChange: RuleChange?
  /// Another page's address that the URL carries; nil when none was found.
  package internal(set) var wrapped: String?

  init(_ question: RuleQuestion, _ reading: URLExplanation, _ verdict: RuleVerdict?) {
    self.question = question
    self.reading = reading
    self.verdict = verdict
  }
}

/// One rule, and the finding about it.
package struct RuleFinding: Sendable, Hashable {
  /// Its number in the rule set.
  package let rule: Int32
  package let words: String
}

/// A change of the URL or its context, with the rule set's new answer.
package struct QuestionChange: Sendable, Hashable {
  /// To stand before "it would be …": ``with `https:` ``
  package let words: String
  package let question: RuleQuestion
  package let verdict: RuleVerdict
}

/// A change of the rules, with their new answer.
package struct RuleChange: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case removed(Int32)
    case moved(Int32, before: Int32)
  }

  package let kind: Kind
  /// The numbers in it are those of the unchanged rule set.
  package let verdict: RuleVerdict
}
