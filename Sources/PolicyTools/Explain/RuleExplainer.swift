internal import Bytes
internal import GuardModel
package import URLRules
internal import URLStandard

/// Explains a rule set's answers for single URLs. It looks at every rule, and is made for people, not for decisions.
package struct RuleExplainer: Sendable {
  let ruleSet: RuleSet
  private let evidence: @Sendable (ListHit, Rule) -> String?

  /// - Parameter evidence: Says where an entry of a list stands; without it a list is only named.
  package init(_ ruleSet: RuleSet, evidence: @escaping @Sendable (ListHit, Rule) -> String? = { _, _ in nil }) {
    self.ruleSet = ruleSet
    self.evidence = evidence
  }

  /// Maximum near rules that are told, and maximum hidden ones.
  private static let maximumMissed = 8
  private static let maximumHidden = 4
  /// Maximum rules whose values are tried in the search for a change.
  private static let maximumTried = 16

  package func explain(_ question: RuleQuestion) -> RuleExplanation {
    var input = question.input
    input.lists = ruleSet.lists
    let verdict = question.ask(ruleSet).verdict
    var explanation = RuleExplanation(question, URLExplanation(question.url, input), verdict)
    if let verdict, input.url.kind == .url {
      let scan = RuleScan(ruleSet, input, until: verdict.rule)
      tell(scan, verdict, input, in: &explanation)
      explanation.ruleChange = RuleChangeSearch(ruleSet, input, scan).nearest(to: verdict)
      explanation.changes = ChangeSearch(ruleSet, question, input, scan.nearest(Self.maximumTried)).nearest(to: verdict)
      explanation.wrapped = Self.wrappedAddress(in: input.url.judged.href)
    } else {
      explanation.deciding = verdict.map { _ in "it is external, by no rule" }
      explanation.changes = ChangeSearch(ruleSet, question, input, internalRules).nearest(to: verdict)
    }
    return explanation
  }

  /// The first rules that say internal: for a URL judged as an untold page.
  private var internalRules: [RuleNumber] {
    let internals = ruleSet.numbered.lazy.filter { _, rule in
      rule.verdict == .internal && ruleSet.holds(rule) && !ruleSet.monitors(rule)
    }
    return internals.prefix(Self.maximumTried).map(\.number)
  }

  private func tell(
    _ scan: RuleScan, _ verdict: RuleVerdict, _ input: MatchInput, in explanation: inout RuleExplanation
  ) {
    let runner = RegexRunner()
    let near = scan.nearest(Self.maximumMissed)
    explanation.missed = near.compactMap { number in
      ruleSet[number].miss(input, runner).map { RuleFinding(rule: number, words: $0) }
    }
    explanation.missedMore = scan.near.count - near.count
    explanation.otherCount = scan.farCount
    let hidden = scan.answering.filter { $0.rule != verdict.rule }
    explanation.hidden = hidden.prefix(Self.maximumHidden).map { answer in
      RuleFinding(rule: answer.rule, words: words(for: answer, behind: verdict, input, runner))
    }
    explanation.monitored = scan.monitored.prefix(Self.maximumHidden).map { answer in
      let verdict = ruleSet[answer.rule].verdict.name
      return RuleFinding(
        rule: answer.rule,
        words: "\(answer.isCertain ? "matches" : "may match"), but is only monitored: it would be \(verdict)")
    }
    explanation.hiddenMore = hidden.count - explanation.hidden.count
    explanation.deciding = deciding(verdict, scan, input, runner)
  }

  private func words(
    for answer: RuleScan.Answer, behind verdict: RuleVerdict, _ input: MatchInput, _ runner: RegexRunner
  ) -> String {
    let rule = ruleSet[answer.rule]
    let isBefore = verdict.rule.map { answer.rule < $0 } ?? true
    if !answer.isCertain {
      let reason = rule.doubt(input, runner) ?? "cannot be told"
      return "may match, too: \(reason)\(isBefore ? "; what it says is less strict" : "")"
    }
    return "matches, too, and would be \(rule.verdict.name)"
  }

  private func deciding(
    _ verdict: RuleVerdict, _ scan: RuleScan, _ input: MatchInput, _ runner: RegexRunner
  ) -> String {
    guard let number = verdict.rule else {
      let isRaised = input.url.hadCredentials && ruleSet.default == .internal
      return isRaised
        ? "no rule matches, and a URL with a user name or password is never internal by default"
        : "no rule matches, so the default counts"
    }
    let rule = ruleSet[number]
    guard let answer = scan.answering.first(where: { $0.rule == number }) else {
      return "it may match, which is enough for an external rule: the searches for patterns reached their limit"
    }
    if answer.isCertain {
      let held = input.holding(rule.condition, runner) { evidence($0, rule) }
      return held.isEmpty ? "it matches every URL" : "it matches: \(held.joined(separator: ", "))"
    }
    return "it may match, which is enough for an external rule: \(rule.doubt(input, runner) ?? "it cannot be told")"
  }
}

extension RuleExplainer {
  /// The entries of lists by which a rule takes the URL of a question, each in the words of the evidence.
  ///
  ///     the entry `ads.example` in rules/lists/ads.txt:17
  package func entries(of rule: Rule, for question: RuleQuestion) -> [String] {
    var entries: [String] = []
    var input = question.input
    input.lists = ruleSet.lists
    _ = input.holding(rule.condition, RegexRunner()) { hit in
      if let words = evidence(hit, rule) { entries.append(words) }
      return nil
    }
    return entries
  }
}

extension Rule {
  /// The first thing that keeps this rule from answering; nil when it answers.
  func miss(_ input: MatchInput, _ runner: RegexRunner) -> String? {
    runner.beginDecision(subjectBytes: input.subjectBytes)
    if answers(input, runner) != .no { return nil }
    if let speech = silence(input) { return speech }
    if let failure = input.failure(of: condition, runner) {
      let isUnknown = input.freshTruth(of: condition, runner) == .unknown
      return isUnknown ? failure.sentence + "; an internal rule has to be sure" : failure.sentence
    }
    return "all it needs is there, but a URL with a user name or password is never internal by it"
  }

  /// The unknown facts about it.
  func doubt(_ input: MatchInput, _ runner: RegexRunner) -> String? {
    silence(input) ?? input.failure(of: condition, runner)?.sentence
  }

  /// Why it speaks of something else, or may.
  private func silence(_ input: MatchInput) -> String? {
    let spoken = Purposes.words(purposes)
    switch purposes.speak(of: input.purposes) {
    case .yes: return nil
    case .no: return "speaks of \(spoken), this is \(Purposes.words(input.purposes))"
    case .unknown: return "speaks of \(spoken) only, and nobody told whether this is \(Purposes.words(input.purposes))"
    }
  }
}

extension Purposes {
  /// ``  `page` or `frame`  ``
  fileprivate static func words(_ purposes: Purposes) -> String {
    let words = names.filter { purposes.contains($0.purpose) }.map { "`\($0.name)`" }
    return words.isEmpty ? "nothing" : words.joined(separator: " or ")
  }
}

extension RuleExplainer {
  /// The address of another page that a URL carries in its path or query, as translators and redirectors do; nil when
  /// none is found.
  ///
  ///     https://translate.example/t?u=https%3A%2F%2Fwww.evil.example%2F   ->   https://www.evil.example/
  ///
  /// Only for telling: rules judge the URL that loads, not an address inside it.
  static func wrappedAddress(in href: String) -> String? {
    guard let record = URLRecord(href), record.isWeb else { return nil }
    if let inside = EmbeddedURL.inside(record) { return inside }
    let text = (record.pathname + record.search).decodedOnce
    for scheme in ["https://", "http://"] {
      guard let start = text.firstRange(of: scheme)?.lowerBound else { continue }
      let address = text[start...].prefix { $0 != "&" && $0 != ";" && $0 != " " && $0 != "\"" }
      if let inner = URLRecord(String(address)), !inner.hostname.isEmpty { return inner.href }
    }
    return nil
  }
}

extension String {
  /// The text with percent-encoded bytes decoded, once.
  fileprivate var decodedOnce: String {
    let bytes = Array(utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let byte = Self.byte(bytes[index + 1], bytes[index + 2])
      {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    let digits = [high, low].compactMap(\.hexDigitValue)
    return digits.count == 2 ? UInt8(digits[0] << 4 | digits[1]) : nil
  }
}

/// Looks for the one rule that, removed or moved, flips the verdict.
struct RuleChangeSearch {
  private let ruleSet: RuleSet
  private let input: MatchInput
  private let scan: RuleScan

  init(_ ruleSet: RuleSet, _ input: MatchInput, _ scan: RuleScan) {
    self.ruleSet = ruleSet
    self.input = input
    self.scan = scan
  }

  /// Removing the rule that answers comes before moving another one above it.
  func nearest(to verdict: RuleVerdict) -> RuleChange? {
    guard let deciding = verdict.rule else { return nil }
    let order = scan.answering.map(\.rule)
    let without = verdictOfRules(order.filter { $0 != deciding })
    if without.verdict != verdict.verdict { return RuleChange(kind: .removed(deciding), verdict: without) }
    let other = scan.answering.first { answer in
      answer.isCertain && answer.rule > deciding && ruleSet[answer.rule].verdict != verdict.verdict
    }
    guard let other, let place = order.firstIndex(where: { $0 < other.rule }) else { return nil }
    let moved = verdictOfRules(order[..<place] + [other.rule] + order[place...].filter { $0 != other.rule })
    guard moved.verdict != verdict.verdict else { return nil }
    return RuleChange(kind: .moved(other.rule, before: order[place]), verdict: moved)
  }

  /// Asks a rule set of these rules in this order. Rules that do not answer change nothing, so they are left out.
  private func verdictOfRules(_ order: [RuleNumber]) -> RuleVerdict {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: input.subjectBytes)
    var verdict = ruleSet.keeping(order).verdict(on: input, runner)
    verdict.rule = verdict.rule.map { order[Int($0.place)] }
    return verdict
  }
}

extension RuleSet {
  /// A rule set of some of these rules, in the given order; all of them are in force.
  fileprivate func keeping(_ order: [RuleNumber]) -> RuleSet {
    RuleSet(
      name: name, default: self.default, rules: order.map { self[$0] }, defaultLocation: defaultLocation,
      lists: lists
    ).enforced
  }
}
