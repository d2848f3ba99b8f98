internal import GuardModel
internal import PolicyFiles
internal import URLRules

extension Lint {
  /// A rule that never answers, since rules before it take all that it takes; and a host of a rule that is taken by one
  /// before it with the other verdict, as a whole or but for `http:`.
  ///
  /// A rule that answers one of its own samples is not shadowed. For another rule, the rule that answered in its place
  /// is tested for taking every URL of the rule. Both cost the same for ten rules and for a hundred thousand.
  static let shadowed = Lint(.shadowedRule, .contradictedHost) { rules in
    var search = ShadowSearch(rules)
    return rules.inForce.compactMap { search.finding($0) }
  }
}

struct ShadowSearch {
  private let rules: LintedRules
  private var implication: Implication

  /// The values of one rule that are looked at one by one.
  static let maximumValues = 64

  init(_ rules: LintedRules) {
    self.rules = rules
    implication = Implication(rules.asker)
  }

  /// One value of a rule, and the rule before it that takes all of it.
  private struct Shadow {
    let value: Condition
    let question: RuleQuestion
    let witness: Witness
    let by: Rule
  }

  mutating func finding(_ linted: LintedRule) -> Diagnostic? {
    let values = Self.values(of: linted.rule.condition)
    guard values.count <= Self.maximumValues else { return nil }
    var shadows: [Shadow] = []
    var late: LateException?
    for value in values {
      var rule = linted.rule
      rule.condition = value.whole
      let questions = values.count == 1 ? linted.questions : rules.witnesses.questions(answeredBy: rule)
      if let shadow = shadow(over: rule, value: value.value, questions, linted) {
        shadows.append(shadow)
      } else if late == nil {
        late = LateException(rule, questions, before: linted.number, rules)
      }
    }
    if let first = shadows.first, shadows.count == values.count { return shadowed(linted, shadows, first) }
    return shadows.first { $0.by.verdict != linted.rule.verdict }.map { contradiction(linted, $0) }
      ?? late.map { $0.finding(linted, rules) }
  }

  private func contradiction(_ linted: LintedRule, _ other: Shadow) -> Diagnostic {
    rules.finding(
      .contradictedHost, linted,
      "calls \(other.value.sentence) \(linted.rule.verdict.name), which \(other.by.id.quoted) before it calls "
        + other.by.verdict.name,
      hint: "remove it here or there", other.witness)
  }

  private func shadowed(_ linted: LintedRule, _ shadows: [Shadow], _ first: Shadow) -> Diagnostic {
    var ids: [String] = []
    for shadow in shadows where !ids.contains(shadow.by.id) { ids.append(shadow.by.id) }
    let names = ids.prefix(3).quotedList + (ids.count > 3 ? " and \(ids.count - 3) more" : "")
    let takesRest = shadows.contains { $0.by.verdict == .internal && !$0.by.takesCredentials }
    let rest = !linted.isInternal && takesRest ? " but for URLs with a user name" : ""
    let isOther = shadows.contains { $0.by.verdict != linted.rule.verdict }
    return rules.finding(
      .shadowedRule, linted, "never answers\(rest): \(names) before it \(ids.count == 1 ? "takes" : "take") all of it",
      hint: isOther ? "an exception stands above what it is an exception from" : "remove it", first.witness)
  }

  /// The values of the first matcher that has several, each with the rest of the rule; or the rule as it is.
  private static func values(of condition: Condition) -> [(whole: Condition, value: Condition)] {
    let parts = condition.conjuncts
    guard let place = parts.firstIndex(where: { $0.alternatives.count > 1 && $0.limitsURL }) else {
      return [(condition, parts.first ?? condition)]
    }
    return parts[place].alternatives.prefix(maximumValues + 1).map { value in
      var copy = parts
      copy[place] = value
      return (.all(copy), value)
    }
  }

  /// The earlier rule that takes all URLs of a rule for one value, judged by the answers to its questions.
  private mutating func shadow(
    over rule: Rule, value: Condition, _ questions: [RuleQuestion], _ linted: LintedRule
  ) -> Shadow? {
    var found: Shadow?
    var asked: Set<RuleNumber> = []
    for question in questions {
      guard let answer = rules.asker.verdict(of: question)?.rule, answer < linted.number else { return nil }
      guard found == nil, asked.insert(answer).inserted, let witness = rules.witness(question) else { continue }
      let earlier = rules.ruleSet[answer]
      if takesAll(earlier, of: rule) { found = Shadow(value: value, question: question, witness: witness, by: earlier) }
    }
    return found
  }

  /// Whether the earlier rule answers wherever the later one would, as long as the purpose is known and, for an external
  /// rule under an internal one, no user name stands in the URL.
  private mutating func takesAll(_ earlier: Rule, of later: Rule) -> Bool {
    guard earlier.purposes.isSuperset(of: later.purposes), earlier.expires ?? .max >= later.expires ?? .max else {
      return false
    }
    if earlier.verdict == .internal, later.takesCredentials, !earlier.takesCredentials { return false }
    guard implication.holds(later.condition, earlier.condition) else { return false }
    if later.verdict == .internal || earlier.condition.isAlwaysKnown || later.condition.isAlwaysKnown { return true }
    // A rule that may answer is outdone by a rule that may answer more strictly.
    return earlier.verdict == .external && earlier.then.isAsStrict(as: later.then)
  }
}

extension RuleAction {
  fileprivate func isAsStrict(as other: RuleAction) -> Bool { self == other || self == .block || other == .none }
}

/// An external rule that stands below the internal one it is an exception from, and is left with little: mostly `http:`.
///
///     internal: { domain: contoso.com, scheme: https }
///     external: { host: guests.contoso.com }           // https://guests.contoso.com/ is internal
///
/// An internal rule that takes less than the external one below it, or the same over `https:` only, is meant so: it is
/// the exception. Neighbours of the URL tell which one takes more.
struct LateException {
  private let witness: Witness
  private let by: Rule

  /// Nil when the rule, asked its own questions, answers one over `https:`; or when it is not narrower than the rule
  /// that answers in its place.
  init?(_ rule: Rule, _ questions: [RuleQuestion], before number: RuleNumber, _ rules: LintedRules) {
    let secure = questions.filter { $0.webParts?.scheme == "https" }
    let answers = secure.compactMap { rules.asker.verdict(of: $0) }
    let isLate = answers.allSatisfy { answer in answer.verdict == .internal && answer.rule.map { $0 < number } == true }
    guard rule.verdict == .external, isLate,
      let question = secure.first, let first = answers.first?.rule, let witness = rules.witness(question)
    else { return nil }
    by = rules.ruleSet[first]
    self.witness = witness
    // A rule that ends is put above others for as long as it lasts.
    guard by.expires ?? .max >= rule.expires ?? .max else { return nil }
    guard Self.takesLess(rule, than: by, around: question, rules.asker) else { return nil }
  }

  /// Whether the one takes nothing there that the other does not, and the other something that the one does not.
  private static func takesLess(
    _ rule: Rule, than other: Rule, around question: RuleQuestion, _ asker: RuleAsker
  ) -> Bool {
    var takesLess = false
    for neighbour in question.neighbours {
      let isTaken = asker.answer(of: rule, to: neighbour) != .no
      let isTakenByOther = asker.answer(of: other, to: neighbour) == .yes
      if isTaken, !isTakenByOther { return false }
      if isTakenByOther, !isTaken { takesLess = true }
    }
    return takesLess
  }

  func finding(_ linted: LintedRule, _ rules: LintedRules) -> Diagnostic {
    rules.finding(
      .contradictedHost, linted,
      "comes too late for \(witness.question.url.quoted), which \(by.id.quoted) before it calls internal",
      hint: "an exception stands above what it is an exception from; add `scheme: http` if only that is meant", witness)
  }
}

extension RuleQuestion {
  /// The same page on hosts around this one, and other pages on it.
  fileprivate var neighbours: [RuleQuestion] {
    guard let parts = webParts else { return [] }
    let below = (parts.path.hasSuffix("/") ? parts.path : parts.path + "/") + "another"
    return Self.hosts(around: parts.host).compactMap { with(host: $0) }
      + ["/", "/another", below].compactMap { with(path: $0) }
  }

  /// Its parent, a sibling and a child; of an IPv4 address those with one number raised.
  private static func hosts(around host: String) -> [String] {
    if host.hasPrefix("[") { return [] }
    let labels = host.split(separator: ".").map(String.init)
    let numbers = labels.compactMap { Int($0) }
    if numbers.count == 4, labels.count == 4 {
      return labels.indices.map { index in
        var copy = numbers
        copy[index] = (copy[index] + 1) % 256
        return copy.map(String.init).joined(separator: ".")
      }
    }
    let parent = labels.dropFirst().joined(separator: ".")
    return (parent.isEmpty ? [] : [parent, "another." + parent]) + ["another." + host]
  }
}
