internal import GuardModel
internal import JSONText
internal import URLRules
internal import URLStandard

/// Asks one rule set about many URLs, one after the other, without allocating for each.
///
/// Says the same as `RuleQuestion`, which is made for single questions; the regex budget is that of a decision.
struct Classifier {
  private let ruleSet: RuleSet
  private let runner = RegexRunner()
  private var input = MatchInput()
  /// Of the URL that was classified last; nil when it was no URL.
  private var verdict: RuleVerdict?
  /// `TAB id TAB` of every rule, ready to be written.
  private let ids: [[UInt8]]

  init(_ ruleSet: RuleSet, document: String?, from: String?, hop: Bool?, purposes: Purposes) {
    self.ruleSet = ruleSet
    ids = ruleSet.rules.map { Array("\t\($0.id)\t".utf8) }
    if let from { input.from.read(from) }
    if let document { input.document = Self.record(of: document) }
    input.hop = Ternary(hop)
    input.purposes = purposes
  }

  mutating func classify(_ url: borrowing Span<UInt8>) {
    input.url.read(copy url)
    verdict = nil
    guard input.url.kind != .invalid else { return }
    if input.url.kind == .madeByPage { input.url.judgeAs(input.from) }
    let from = input.from.kind == .url ? input.from.judged.bytes.count : 0
    runner.beginDecision(subjectBytes: max(input.url.judged.bytes.count, from))
    verdict = ruleSet.verdict(on: input, runner)
  }

  /// Appends `verdict TAB rule TAB` of the URL that was classified last.
  func appendLine(to output: Output) {
    guard let verdict else { return output.append("external\tinvalidURL\t") }
    output.append(verdict.verdict.name)
    guard let rule = verdict.rule else { return output.append("\tdefault\t") }
    let id = ids[Int(rule)]
    output.append(id.span)
  }

  /// The same as a JSON object, with where the rule stands and the URL as the rules saw it.
  func json(of url: borrowing Span<UInt8>) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("verdict", (verdict?.verdict ?? .external).name)
    writer.member("rule", ruleName)
    if let location { writer.member("ruleLocation", location) }
    writer.member("url", copy url)
    if verdict != nil { writer.member("judged", input.url.judged.href) }
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  private var ruleName: String {
    guard let verdict else { return "invalidURL" }
    return verdict.rule.map { ruleSet.rules[Int($0)].id } ?? "default"
  }

  private var location: String? {
    guard let verdict else { return nil }
    return verdict.rule.map { ruleSet.rules[Int($0)].location } ?? ruleSet.defaultLocation
  }

  private static func record(of document: String) -> URLRecord? {
    var subject = URLSubject()
    subject.read(document)
    return subject.kind == .url && !subject.hadCredentials ? subject.judged : nil
  }
}
