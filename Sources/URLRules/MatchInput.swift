package import GuardModel
package import URLStandard

/// Everything a rule may ask about: the URL, where it came from, and the viewer's document.
///
/// Kept and refilled between decisions, so that matching allocates nothing.
package struct MatchInput: Sendable {
  /// The URL that is judged.
  package var url = URLSubject()
  /// The page or hop that led here; `absent` makes `from` conditions unknown.
  package var from = URLSubject()
  /// The URL of the viewer's document, as the app registered it; nil makes `same` conditions unknown.
  package var document: URLRecord?
  package var hop = Ternary.unknown
  /// The purposes that the event may concern; two of them when the frame is not known.
  package var purposes = Purposes.page
  /// The lists that conditions speak of, for callers that ask single conditions; a rule set has its own.
  package var lists = HostLists.empty

  package init() {}

  /// The length of the longest text that a rule may search; it sets the budget of the regular expressions.
  package var subjectBytes: Int { max(url.judged.bytes.count, from.judged.bytes.count) }
}

/// The answer of a rule set.
package struct RuleVerdict: Sendable, Hashable {
  package var verdict: Verdict
  /// Index of the rule that matched; nil for the default.
  package var rule: Int32?
  package var then: RuleAction

  package init(verdict: Verdict, rule: Int32?, then: RuleAction) {
    self.verdict = verdict
    self.rule = rule
    self.then = then
  }

  /// Higher for stricter answers; 0 is internal.
  package var strictness: Int { verdict == .internal ? 0 : 1 + then.strictness }
}
