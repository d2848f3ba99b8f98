internal import GuardModel
internal import URLRules

/// May the page load this part of itself: an image, a script, a fetch, a socket? Only rules that name it are asked. The
/// default speaks of pages: a page of the organisation may show a picture from anywhere.
///
/// Content made by the page itself (`data:`, `blob:`) goes nowhere. No other program takes a part of a page, so schemes
/// of other programs are judged like any URL.
extension GuardState {
  mutating func resource(_ event: borrowing Event, _ question: Question) -> Decision {
    guard input.url.kind == .url else { return question.answer(.allow, .resource) }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    guard let said = namedVerdict(question) else { return question.answer(.allow, .resource) }
    let rules = excepted(said, question)
    guard rules.standing == .external else { return question.answer(.allow, rules.internalReason).decided(by: rules) }
    return external(event, question, rules).decided(by: rules).asOffer(unlessMain: event)
  }

  /// The viewer's rules' answer without their defaults; nil when no rule matches.
  private mutating func namedVerdict(_ question: Question) -> AskedRules? {
    switch question.viewer.rules {
    case .none: return nil
    case .ruleSet(let index): return namedVerdict(of: index, question)
    case .strictest:
      var strictest: AskedRules?
      for index in question.app.strictestRuleSets {
        guard let asked = namedVerdict(of: index, question) else { continue }
        if strictest.map({ asked.isStricter(than: $0) }) ?? true { strictest = asked }
      }
      return strictest
    }
  }

  private mutating func namedVerdict(of index: Int32, _ question: Question) -> AskedRules? {
    let verdict = question.snapshot.askedRuleSets[Int(index)].verdict(on: input, runner)
    return verdict.rule == nil ? nil : AskedRules(ruleSet: index, verdict: verdict)
  }
}

extension Event {
  /// No frame navigates. An event that opens a window shows a page, whatever its frame.
  var isResource: Bool { frame == .resource && !opensWindow }
}
