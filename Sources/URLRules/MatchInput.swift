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
  /// The URL of what the viewer shows, as the app registered it; nil makes `same` conditions unknown.
  package var document: URLRecord?
  package var hop = Ternary.unknown
  /// What the event may concern; two of them when the frame is not known.
  package var purposes = Purposes.page
  /// The lists that conditions speak of, for who asks single conditions; a rule set has its own.
  package var lists = HostLists.empty

  package init() {}

  /// The length of the longest text that a rule may search: what the regular expressions' budget goes by.
  package var subjectBytes: Int { max(url.judged.bytes.count, from.judged.bytes.count) }
}

/// What a rule set said.
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

  /// More for what is stricter; 0 is internal.
  package var strictness: Int { verdict == .internal ? 0 : 1 + then.strictness }
}
