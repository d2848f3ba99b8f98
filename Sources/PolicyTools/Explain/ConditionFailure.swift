internal import GuardModel
internal import URLRules
internal import URLStandard

/// The reason why a condition does not hold: its need, and the value found instead.
///
///     scheme: https, of http://contoso.com/   ->  needs scheme `https`, this is `http`
struct ConditionFailure {
  let needed: String
  /// Nil when `needed` says it all.
  var found: String?

  var sentence: String { "needs " + [needed, found].compactMap(\.self).joined(separator: ", ") }
}

extension MatchInput {
  /// The first part of `condition` for which it does not hold, or cannot be told; nil when it holds.
  func failure(of condition: Condition, _ runner: RegexRunner) -> ConditionFailure? {
    let truth = freshTruth(of: condition, runner)
    guard truth != .yes else { return nil }
    switch condition {
    case .all(let parts):
      let culprit = parts.first { freshTruth(of: $0, runner) == truth }
      return culprit.flatMap { failure(of: $0, runner) }
    case .any(let parts): return failure(ofEvery: parts, truth, runner)
    case .not(let part): return failure(ofNot: part, truth, runner)
    case .from(let part):
      guard from.kind == .url else { return ConditionFailure(needed: "`from`, which nobody told") }
      return ofPage.failure(of: part, runner).map { $0.ofPage(from.judged.href) }
    default:
      guard let words = condition.words else { return nil }
      guard truth == .no else { return ConditionFailure(needed: unknown(words)) }
      return ConditionFailure(needed: words.sentence, found: found(words))
    }
  }

  /// The truth, with a budget of its own for patterns: an explanation looks at each several times.
  func freshTruth(of condition: Condition, _ runner: RegexRunner) -> Ternary {
    runner.beginDecision(subjectBytes: subjectBytes)
    return truth(of: condition, runner)
  }

  /// All values of one matcher are named, but only the first of other groups.
  private func failure(ofEvery parts: [Condition], _ truth: Ternary, _ runner: RegexRunner) -> ConditionFailure? {
    guard let culprit = parts.first(where: { freshTruth(of: $0, runner) == truth }) else {
      return ConditionFailure(needed: "one of no values")
    }
    guard var failure = failure(of: culprit, runner) else { return nil }
    let values = parts.compactMap(\.words)
    if truth == .no, values.count == parts.count, let key = values.first?.key, values.allSatisfy({ $0.key == key }) {
      return ConditionFailure(needed: "\(key) \(Self.alternatives(values.map(\.text.shown)))", found: failure.found)
    }
    if parts.count > 1 {
      let more = " (and so for \(parts.count - 1) more)"
      failure = ConditionFailure(
        needed: failure.needed + (failure.found == nil ? more : ""), found: failure.found.map { $0 + more })
    }
    return failure
  }

  private func failure(ofNot part: Condition, _ truth: Ternary, _ runner: RegexRunner) -> ConditionFailure? {
    if truth == .unknown { return failure(of: part, runner) }
    let held = holding(part, runner)
    return ConditionFailure(
      needed: held.isEmpty ? "what never holds" : "not \(held.joined(separator: ", "))",
      found: held.isEmpty ? nil : "which holds")
  }

  /// The matchers by which `condition` holds, in words.
  ///
  ///     { domain: contoso.com, not: { port: 81 } }   ->  domain `contoso.com`, not (port `81`)
  ///
  /// The `evidence` for an entry of a list follows the list.
  func holding(_ condition: Condition, _ runner: RegexRunner, _ evidence: (ListHit) -> String? = { _ in nil })
    -> [String]
  {
    guard freshTruth(of: condition, runner) == .yes else { return [] }
    switch condition {
    case .all(let parts): return parts.flatMap { holding($0, runner, evidence) }
    case .any(let parts):
      return parts.first { freshTruth(of: $0, runner) == .yes }.map { holding($0, runner, evidence) } ?? []
    case .not(let part): return ["not (\(part.sentence))"]
    case .from(let part):
      let held = ofPage.holding(part, runner, evidence)
      return [held.isEmpty ? "`from`" : "`from` with \(held.joined(separator: ", "))"]
    default:
      let entry = hit(of: condition).flatMap(evidence).map { " by \($0)" } ?? ""
      return condition.words.map { [$0.sentence + entry] } ?? []
    }
  }

  private static func alternatives(_ values: [String]) -> String {
    let shown = values.prefix(maximumAlternatives)
    guard values.count > shown.count else {
      return shown.count > 1
        ? shown.dropLast().joined(separator: ", ") + " or " + (shown.last ?? "") : shown.joined(separator: "")
    }
    return shown.joined(separator: ", ") + " or one of \(values.count - shown.count) more"
  }

  /// Maximum values of a list that are named.
  private static var maximumAlternatives: Int { 4 }
}

extension ConditionFailure {
  /// The same, said of the page or hop that led here.
  fileprivate func ofPage(_ href: String) -> ConditionFailure {
    ConditionFailure(needed: "`from` with \(needed)", found: "`from` is \(href.shown)")
  }
}

extension Condition {
  /// The whole condition in words, cut when it is long.
  package var sentence: String {
    switch self {
    case .all(let parts): return Self.joined(parts, ", ")
    case .any(let parts): return Self.joined(parts, " or ")
    case .not(let part): return "not (\(part.sentence))"
    case .from(let part): return "`from` with \(part.sentence)"
    default: return words?.sentence ?? ""
    }
  }

  private static func joined(_ parts: [Condition], _ separator: String) -> String {
    let shown = parts.prefix(4).map(\.sentence).joined(separator: separator)
    return parts.count > 4 ? "\(shown)\(separator)\(parts.count - 4) more" : shown
  }
}
