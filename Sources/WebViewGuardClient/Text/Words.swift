internal import GuardModel

// Turns words of the wire back into values. Words of a newer daemon have no value here.

extension Outcome {
  /// The outcome for a word; `block` for any other word.
  init(word: GuardValue?) {
    self = word?.string.flatMap { text in Self.allCases.first { $0.name == text } } ?? .block
  }
}

extension Location {
  init?(word: String) {
    guard let match = Self.allCases.first(where: { $0.name == word }) else { return nil }
    self = match
  }
}

extension Verdict {
  init?(word: String) {
    guard let match = [Verdict.internal, .external].first(where: { $0.name == word }) else { return nil }
    self = match
  }
}

extension EventKind {
  /// The method that asks: `Navigate`, `OpenURL`; nil for `unknown`, which cannot be asked.
  var method: String? { self == .unknown ? nil : name.prefix(1).uppercased() + name.dropFirst() }
}

extension FailureContract {
  /// The contract's answer for a kind of event.
  func answer(to kind: EventKind) -> FailureAnswer {
    switch kind {
    case .navigate, .openURL: navigation
    case .copy, .paste, .clipboardChanged, .dragEnd: clipboard
    default: other
    }
  }

  /// The contract in a value; parts that are broken or missing come from `self`.
  ///
  ///     {"answerMs":250,"navigation":"open","other":7}    // 2000 ms, 250 ms, open, closed, closed
  init(reading value: GuardValue) {
    self.init()
    if let said = value["startMs"]?.integer, Self.times.contains(said) { startMilliseconds = said }
    if let said = value["answerMs"]?.integer, Self.times.contains(said) { answerMilliseconds = said }
    navigation = value["navigation"]?.string.flatMap(FailureAnswer.init) ?? .closed
    clipboard = value["clipboard"]?.string.flatMap(FailureAnswer.init) ?? .closed
    other = value["other"]?.string.flatMap(FailureAnswer.init) ?? .closed
  }
}
