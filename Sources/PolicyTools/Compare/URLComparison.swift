internal import GuardModel
package import PolicyFiles
package import URLRules

/// Judges URLs under each rule set before and after, and counts how the answers differ.
///
/// Each URL is read once. Nothing is allocated for a URL whose answers are the same.
package struct URLComparison {
  private let pairs: [RuleSetPair]
  private let runner = RegexRunner()
  private var input: MatchInput
  private let isStrict: Bool
  package private(set) var counts = DiffCounts()
  package private(set) var tally: ChangeTally<Change>
  private var progress = Progress("URLs")

  /// A change of one rule set.
  package struct Change: Hashable {
    let pair: Int
    let verdicts: VerdictChange
  }

  /// `input` holds the known context of the URLs. When strict, another rule with the same answer is a change, too.
  package init(_ pairs: [RuleSetPair], _ input: MatchInput, limits: ChangeLimits, isStrict: Bool) {
    self.pairs = pairs
    self.input = input
    self.isStrict = isStrict
    tally = ChangeTally(limits)
  }

  /// Judges every line of a file; `-` is standard input. Empty lines are no URLs and mean nothing.
  package mutating func read(_ path: String) throws(CommandFailure) {
    var line = 0
    try LogFiles.forEachLine(of: path, beforeWaiting: {}) { url throws(CommandFailure) in
      line += 1
      progress.advance()
      guard !url.isBlank else { return }
      compare(url, pairs.indices) { "\(path):\(line)" }
    }
    progress.finish()
  }

  /// Judges the questions of a rule set's tests, each with its stated context.
  package mutating func ask(_ steps: [RuleTestStep], ofPair pair: Int) {
    for step in steps {
      let question = step.question
      input = MatchInput(
        document: question.document, from: question.from, hop: question.hop, purposes: question.purpose)
      compare(Array(question.url.utf8).span, pair..<pair + 1) { step.location.description }
    }
  }

  private mutating func compare(_ url: borrowing Span<UInt8>, _ chosen: Range<Int>, at place: () -> String) {
    guard input.readURL(url) else { return counts.invalid += 1 }
    counts.compared += 1
    var hasChange = false
    var hasOtherRule = false
    for index in chosen {
      guard let verdicts = pairs[index].change(on: input, runner) else { continue }
      let isChange = verdicts.isChange || isStrict
      if isChange { hasChange = true } else { hasOtherRule = true }
      tally.note(
        Change(pair: index, verdicts: verdicts), isChange: isChange, site: DiffSite.name(of: input.url),
        example: ChangeExample(url.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }, at: place()))
    }
    if hasChange { counts.changed += 1 } else if hasOtherRule { counts.otherRule += 1 }
  }

  /// The two sides of a change, in words.
  package func sides(_ change: Change) -> (before: ChangeSide, after: ChangeSide) {
    let pair = pairs[change.pair]
    return (ChangeSide(change.verdicts.before, of: pair.old), ChangeSide(change.verdicts.after, of: pair.new))
  }
}

/// Numbers of URLs or events, and of their results.
package struct DiffCounts: Hashable {
  var compared = 0
  /// Those whose answer changed, under whichever rule set.
  var changed = 0
  /// Those with the same answer by another rule.
  var otherRule = 0
  /// Lines that are no URL, or nothing that can be judged.
  var invalid = 0

  /// Counts a pair of answers to one question; whether the pair is a change, nil when both are the same by the same rule.
  mutating func add(_ change: AnswerChange, isStrict: Bool) -> Bool? {
    let hasOtherAnswer = change.before.answer != change.after.answer
    guard hasOtherAnswer || !change.before.hasRule(of: change.after) else { return nil }
    let isChange = hasOtherAnswer || isStrict
    if isChange { changed += 1 } else { otherRule += 1 }
    return isChange
  }
}

/// Runs the tests of both policies under each of them, and counts the steps with another result; a test's expectations
/// do not matter here.
package struct EventTestComparison {
  package private(set) var counts = DiffCounts()
  package private(set) var tally: ChangeTally<AnswerChange>
  /// Number of tests; a test in both policies counts once.
  package private(set) var tests = 0
  private let isStrict: Bool

  package init(_ old: LoadedPolicy, _ new: LoadedPolicy, limits: ChangeLimits, isStrict: Bool) {
    tally = ChangeTally(limits)
    self.isStrict = isStrict
    let runners = (old: PolicyTestRunner(old), new: PolicyTestRunner(new))
    var known: Set<String> = []
    for test in old.tests + new.tests where known.insert(test.script).inserted {
      tests += 1
      let (before, after) = (runners.old.run(test), runners.new.run(test))
      for (one, other) in zip(before.steps, after.steps) { compare(one, other) }
    }
  }

  private mutating func compare(_ old: PolicyTestStepResult, _ new: PolicyTestStepResult) {
    counts.compared += 1
    let change = AnswerChange(before: ChangeSide(old.answer), after: ChangeSide(new.answer))
    guard let isChange = counts.add(change, isStrict: isStrict) else { return }
    tally.note(
      change, isChange: isChange, site: old.step.app,
      example: ChangeExample(old.step.action.name, at: old.step.location.description))
  }
}

extension PolicyTest {
  /// Its actions: the same for tests that only stand elsewhere or expect something else.
  fileprivate var script: String {
    let steps = steps.map { "\($0.app) \($0.after) \($0.action)" }
    return "\(at.map(String.init) ?? "") \(features) \(groups) " + steps.joined(separator: "\n")
  }
}

/// A rule set before and after.
package struct RuleSetPair {
  let old: RuleSet
  let new: RuleSet
  /// For each old rule the number of the new one with the same id; nil without one.
  private let successors: [RuleNumber?]

  init(_ old: RuleSet, _ new: RuleSet) {
    self.old = old
    self.new = new
    var numbers: [String: RuleNumber] = [:]
    for (number, rule) in new.numbered { numbers[rule.id] = number }
    successors = old.rules.map { numbers[$0.id] }
  }

  /// The difference of the two on the URL; nil when the same rule gives the same answer.
  func change(on input: borrowing MatchInput, _ runner: RegexRunner) -> VerdictChange? {
    runner.beginDecision(subjectBytes: input.subjectBytes)
    let before = old.verdict(on: input, runner)
    runner.beginDecision(subjectBytes: input.subjectBytes)
    let after = new.verdict(on: input, runner)
    let change = VerdictChange(before: before, after: after)
    return change.isChange || !isSameRule(before.rule, after.rule) ? change : nil
  }

  private func isSameRule(_ old: RuleNumber?, _ new: RuleNumber?) -> Bool {
    guard let old, let new else { return old == nil && new == nil }
    return successors[Int(old.place)] == new
  }
}

/// Two answers of a pair, or the same by different rules.
struct VerdictChange: Hashable {
  let before: RuleVerdict
  let after: RuleVerdict

  /// Whether the answer is another one, and not just the rule.
  var isChange: Bool { before.verdict != after.verdict || before.then != after.then }
}
