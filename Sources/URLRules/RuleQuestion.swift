internal import GuardModel
internal import URLStandard

/// One question to one rule set, from text, as `classify` and the tests of rule files ask it.
///
///     RuleQuestion(url: "https://mail.contoso.com/").ask(ruleSet).verdict?.verdict    // .internal
///
/// A nil member is not known; rules that need it are then not decided, which no internal rule survives.
package struct RuleQuestion: Sendable, Hashable {
  package var url: String
  package var document: String?
  package var from: String?
  package var hop: Bool?
  package var purpose: Purposes

  package init(
    url: String, document: String? = nil, from: String? = nil, hop: Bool? = nil, purpose: Purposes = .page
  ) {
    self.url = url
    self.document = document
    self.from = from
    self.hop = hop
    self.purpose = purpose
  }

  /// The result of a question.
  package struct Answer: Sendable, Hashable {
    /// Nil when the text is no URL.
    package var verdict: RuleVerdict?
    /// The URL as the rules saw it.
    package var url: String?
  }

  /// Asks. `javascript:` moves no document and has no verdict of its own; it counts as external here.
  package func ask(_ ruleSet: RuleSet) -> Answer {
    let input = input
    guard input.url.kind != .invalid else { return Answer() }
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return Answer(verdict: ruleSet.verdict(on: input, runner), url: input.url.judged.href)
  }

  /// The question as rules see it.
  package var input: MatchInput {
    var input = MatchInput()
    input.url.read(url)
    if let from { input.from.read(from) }
    if let document { input.document = Self.record(of: document) }
    input.hop = Ternary(hop)
    input.purposes = purpose
    if input.url.kind == .madeByPage { input.url.judgeAs(input.from) }
    return input
  }

  private static func record(of document: String) -> URLRecord? {
    var subject = URLSubject()
    subject.read(document)
    return subject.kind == .url && !subject.hadCredentials ? subject.judged : nil
  }
}
