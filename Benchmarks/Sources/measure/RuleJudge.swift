internal import GuardModel
internal import PolicyFiles
internal import URLRules
internal import URLStandard

/// Our side: a rule file, loaded as the program loads it, asked as `classify` asks it.
struct RuleJudge: Judge {
  private let ruleSet: RuleSet
  private let runner = RegexRunner()
  private var input = MatchInput()

  /// `document` is what the viewer shows, for rules that compare with it.
  init(rules path: String, document: String?) throws(MeasureError) {
    let result = RuleFileLoader().load(path)
    guard let ruleSet = result.ruleSet else {
      throw .invalidRules(path, result.diagnostics.sorted.first.map { "\($0)" } ?? "")
    }
    self.ruleSet = ruleSet
    input.hop = .no
    if let document { input.document = URLRecord(document) }
  }

  mutating func judge(_ url: Span<UInt8>) -> Int32 {
    ruleSet.prepare(for: url)
    input.url.read(url)
    guard input.url.kind != .invalid else { return Verdicts.invalid }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    let verdict = ruleSet.verdict(on: input, runner)
    return verdict.rule?.place ?? Verdicts.none
  }
}
