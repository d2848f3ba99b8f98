internal import GuardModel

/// Words that people are shown, of at least one character, such as the message of a rule.
///
/// Warns of characters that nobody sees, or takes for a blank. The attack: a rule from elsewhere whose message has an
/// override in it, so that people read another one. The notice shows U+FFFD in place of an override; its author
/// should know before.
extension YAMLDecoder where Value == String {
  ///     reader.optional("message", .shownWords)
  static var shownWords: Self {
    Self("a string") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      diagnostics.warnOfUnseen(in: text, at: node.location)
      return text
    }
  }
}

extension Diagnostics {
  /// One warning for all of them: it names the first, and how many follow.
  ///
  ///     "Pay\u202Elap"    character 4 of the words is U+202E (RIGHT-TO-LEFT OVERRIDE), which nobody sees
  mutating func warnOfUnseen(in words: String, at location: SourceLocation) {
    let unseen = words.unicodeScalars.enumerated().filter { $0.element.isHiddenInWords || $0.element.looksLikeBlank }
    guard let (place, scalar) = unseen.first else { return }
    let trap = scalar.isHiddenInWords ? "which nobody sees" : "which looks like a blank"
    let verb = unseen.count == 2 ? "follows" : "follow"
    let more = unseen.count > 1 ? ", and \(unseen.count - 1) more like it \(verb)" : ""
    warning(
      .unseenCharacter, at: location, "character \(place + 1) of the words is \(scalar.numberAndName), \(trap)\(more)",
      hint: scalar.hintForWords)
  }
}

extension Unicode.Scalar {
  /// `U+202E (RIGHT-TO-LEFT OVERRIDE)`.
  fileprivate var numberAndName: String {
    let digits = String(value, radix: 16, uppercase: true)
    let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let name = properties.name ?? properties.nameAlias
    return name.map { "\(number) (\($0))" } ?? number
  }

  fileprivate var hintForWords: String {
    switch value {
    case 0x0A, 0x0D: "write the words in one line: `>-` in front of several lines makes one of them"
    default: looksLikeBlank ? "write a plain blank, or remove it" : "remove it"
    }
  }
}
