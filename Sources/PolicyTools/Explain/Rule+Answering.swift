import GuardModel
internal import URLRules

extension Rule {
  /// Whether this rule answers for the input. An internal rule answers only when it certainly matches; an external one
  /// that may match may answer. What the index says at once, said of one rule.
  func answers(_ input: borrowing MatchInput, _ runner: RegexRunner) -> Ternary {
    if verdict == .internal, input.url.hadCredentials, !takesCredentials { return .no }
    let spoken = purposes.speak(of: input.purposes)
    if spoken == .no { return .no }
    let truth = Ternary.and(spoken, input.truth(of: condition, runner))
    return verdict == .internal && truth == .unknown ? .no : truth
  }
}
