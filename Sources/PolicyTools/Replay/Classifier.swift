internal import GuardModel
internal import JSONText
package import PolicyFiles
package import URLRules
internal import URLStandard

/// Asks one rule set about many URLs, one after the other, without allocating for each.
///
/// Says the same as `RuleQuestion`, which is made for single questions; the regex budget is that of a decision.
package struct Classifier {
  private let ruleSet: RuleSet
  private let runner = RegexRunner()
  /// Says in explanations where the entries of lists stand.
  private let lists: ListLineSearch
  /// The context for every URL.
  private let question: RuleQuestion
  private var input: MatchInput
  /// The verdict on the URL that was classified last; nil when it was no URL.
  private var verdict: RuleVerdict?
  /// `TAB id TAB` of every rule, ready to be written.
  private let ids: [[UInt8]]

  /// `question` holds the known context of the URLs.
  package init(_ ruleSet: RuleSet, _ question: RuleQuestion, _ lists: ListLineSearch) {
    self.lists = lists
    self.ruleSet = ruleSet
    self.question = question
    input = MatchInput(
      document: question.document, from: question.from, hop: question.hop, purposes: question.purpose)
    ids = ruleSet.rules.map { Array("\t\($0.id)\t".utf8) }
  }

  package mutating func classify(_ url: borrowing Span<UInt8>) {
    verdict = nil
    ruleSet.prepare(for: copy url)
    guard input.readURL(url) else { return }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    verdict = ruleSet.verdict(on: input, runner)
  }

  /// Appends `verdict TAB rule TAB` of the URL that was classified last.
  package func appendLine(to output: Output) {
    guard let verdict else { return output.append("external\tinvalidURL\t") }
    output.append(verdict.verdict.name)
    guard let rule = verdict.rule else { return output.append("\tdefault\t") }
    let id = ids[Int(rule.place)]
    output.append(id.span)
  }

  /// The same as a JSON object, with where the rule stands and the URL as the rules saw it, and with an explanation
  /// when there is one.
  package func json(of url: borrowing Span<UInt8>, _ explained: ExplainedURL? = nil) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("verdict", (verdict?.verdict ?? .external).name)
    writer.member("rule", ruleName)
    if let location { writer.member("ruleLocation", location) }
    writer.member("url", copy url)
    if verdict != nil { writer.member("judged", input.url.judged.href) }
    if let explained {
      writer.key("explanation")
      writer.value(explained.json)
    }
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  /// The reasons for the rule set's answer on a URL.
  package func explain(_ url: borrowing Span<UInt8>) -> ExplainedURL {
    var question = question
    question.url = url.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    let explainer = RuleExplainer(ruleSet) { [lists] in lists.words(for: $0, of: $1) }
    return ExplainedURL(explainer.explain(question), of: ruleSet)
  }

  private var ruleName: String {
    guard let verdict else { return "invalidURL" }
    return verdict.rule.map { ruleSet[$0].id } ?? "default"
  }

  private var location: String? {
    guard let verdict else { return nil }
    return verdict.rule.map { ruleSet[$0].location } ?? ruleSet.defaultLocation
  }
}

extension MatchInput {
  /// The known context of the URL; nil is unknown.
  package init(document: String?, from: String?, hop: Bool?, purposes: Purposes) {
    self.init()
    if let from { self.from.read(from) }
    if let document { self.document = RuleQuestion.record(of: document) }
    self.hop = Ternary(hop)
    self.purposes = purposes
  }

  /// Reads the URL that is judged next; false when no browser opens it. A URL that a page made is judged as that page.
  mutating func readURL(_ text: borrowing Span<UInt8>) -> Bool {
    url.read(copy text)
    guard url.kind != .invalid else { return false }
    if url.kind == .madeByPage { url.judgeAs(from) }
    return true
  }
}

/// Loading rule files for the command line.
package enum RuleFiles {
  /// The rule set of a file. The loader's diagnostics go to standard error.
  package static func load(_ path: String) throws(CommandFailure) -> RuleSet { try loadWithLists(path).ruleSet }

  /// The same, with the list files that its rules name.
  package static func loadWithLists(_ path: String) throws(CommandFailure) -> (ruleSet: RuleSet, lists: [ListFile]) {
    let result = RuleFileLoader().load(path)
    DiagnosticPrinter.print(result.diagnostics)
    guard let ruleSet = result.ruleSet else {
      throw CommandFailure("`\(path.escapedForDisplay)` cannot be loaded")
    }
    return (ruleSet, result.lists)
  }
}
