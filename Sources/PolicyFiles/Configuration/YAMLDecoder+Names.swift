/// The syntax of names of apps, classes, protections, rule sets and rules.
enum Name {
  /// Most bytes of a name.
  static let maximumLength = 128

  /// Whether `text` is 1 to 128 printable ASCII characters without spaces.
  ///
  /// Names are compared as bytes on the wire and printed between tabs. Letters that look alike, or that one program
  /// composes and another does not, would make two names that look like one.
  static func isValid(_ text: String) -> Bool {
    (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

extension Diagnostics {
  /// Reports an invalid name.
  mutating func checkName(_ name: Located<String>) {
    guard !Name.isValid(name.value) else { return }
    let message = name.value.isEmpty ? "a name may not be empty" : "\(name.value.quoted) is not a name"
    error(
      .invalidName, at: name.location, message,
      hint: "a name is 1 to \(Name.maximumLength) ASCII letters, digits and punctuation marks, without spaces")
  }
}

extension YAMLDecoder where Value == String {
  /// A name that is defined here.
  static var name: Self {
    Self("a string") { node, diagnostics in
      guard let text = node.decode(.string, into: &diagnostics) else { return nil }
      diagnostics.checkName(Located(text, at: node.location))
      return Name.isValid(text) ? text : nil
    }
  }
}

extension YAMLDecoder {
  /// One of some words, each with its value; messages as for `choice(of:)`.
  ///
  ///     .word(WebTransfer.allCases.map { ($0.name, $0) })
  ///
  /// - Parameter otherWords: words of elsewhere, each with the one of ours that a hint offers for it.
  static func word(_ table: [(word: String, value: Value)], otherWords: [String: String] = [:]) -> Self {
    let words = table.map(\.word)
    let expectation = "one of \(words.quotedList)"
    return Self(expectation) { node, diagnostics in
      guard let text = node.scalar?.text, !node.isNull else {
        diagnostics.wrongType(node, expected: expectation)
        return nil
      }
      if let match = table.first(where: { $0.word == text }) { return match.value }
      let other = otherWords[text].flatMap { words.contains($0) ? $0 : nil }
      let nearest = other ?? Suggestion.nearest(to: text, among: words)
      diagnostics.error(
        .unknownValue, at: node.location, "\(text.quoted) is not \(expectation)",
        hint: nearest.map { "did you mean \($0.quoted)?" })
      return nil
    }
  }
}

extension Diagnostics {
  /// Reports a reference to something that is not defined, with the nearest name that is.
  ///
  ///     unknown rule set `contoso-document`; hint: did you mean `contoso-documents`?
  mutating func unknownReference(_ what: String, _ name: Located<String>, among known: [String], none: String) {
    error(
      .unknownReference, at: name.location, "unknown \(what) \(name.value.quoted)",
      hint: known.isEmpty ? none : Self.hint(for: name.value, among: known))
  }

  private static func hint(for name: String, among known: [String]) -> String? {
    if let nearest = Suggestion.nearest(to: name, among: known) { return "did you mean \(nearest.quoted)?" }
    return known.count <= 12 ? "known: \(known.quotedList)" : nil
  }

  /// Reports something that has been defined before, with both places.
  mutating func definedTwice(_ what: String, _ name: Located<String>, first: SourceLocation) {
    error(
      .definedTwice, at: name.location, "\(what) \(name.value.quoted) is defined already at \(first)",
      hint: "keep one of the two")
  }
}
