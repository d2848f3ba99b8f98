internal import Platform

extension YAMLDecoder where Value == String {
  /// Text. A plain number, boolean or null is an error, since another YAML reader would not take it for text.
  ///
  ///     name: mail      # "mail"
  ///     name: yes       # "yes"
  ///     name: 0815      # error: expected a string, found the number `0815`; hint: put it in quotes: `"0815"`
  package static var string: Self {
    Self("a string") { node, diagnostics in
      guard let scalar = node.scalar, scalar.resolved == .string else {
        diagnostics.wrongType(node, expected: "a string", hint: node.scalar?.quotingHint)
        return nil
      }
      return scalar.text
    }
  }

  /// Text as it is written, also when it looks like a number or a boolean: for versions and lists of ports.
  ///
  ///     version: 1.10   # "1.10"
  package static var verbatimString: Self {
    Self("a string or a number") { node, diagnostics in
      guard let scalar = node.scalar, scalar.resolved != .null else {
        diagnostics.wrongType(node, expected: "a string or a number", hint: node.scalar?.quotingHint)
        return nil
      }
      return scalar.text
    }
  }

  /// Text of at least one character.
  package static var nonEmptyString: Self {
    Self("a string") { node, diagnostics in
      guard let text = Self.string.decode(node, into: &diagnostics) else { return nil }
      guard !text.isEmpty else {
        diagnostics.error(.outOfRange, at: node.location, "the string may not be empty")
        return nil
      }
      return text
    }
  }
}

extension YAMLDecoder where Value == Bool {
  /// `true` or `false`, plain and in lower case; nothing else is a boolean.
  ///
  /// The trap it closes: `yes`, `on` and `True` are true to YAML 1.1 and text to YAML 1.2. One reader switches a
  /// setting on that the other leaves off.
  package static var bool: Self {
    Self("true or false") { node, diagnostics in
      switch node.scalar {
      case YAMLScalar("true", isPlain: true): return true
      case YAMLScalar("false", isPlain: true): return false
      default:
        diagnostics.wrongType(node, expected: "true or false", hint: node.scalar?.booleanHint)
        return nil
      }
    }
  }
}

extension YAMLDecoder where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the words of an enumeration.
  ///
  ///     enum Mode: String, CaseIterable { case block, redirect }
  ///     mode: blok      # error: `blok` is not one of `block`, `redirect`; hint: did you mean `block`?
  package static func choice(of type: Value.Type) -> Self {
    let words = type.allCases.map(\.rawValue)
    let expectation = "one of \(words.quotedList)"
    return Self(expectation) { node, diagnostics in
      guard let text = node.scalar?.text, !node.isNull || words.contains(text) else {
        diagnostics.wrongType(node, expected: expectation)
        return nil
      }
      if let value = Value(rawValue: text) { return value }
      let nearest = Suggestion.nearest(to: text, among: words)
      diagnostics.error(
        .unknownValue, at: node.location, "\(text.quoted) is not \(expectation)",
        hint: nearest.map { "did you mean \($0.quoted)?" })
      return nil
    }
  }
}

extension YAMLScalar {
  fileprivate var quotingHint: String? {
    switch resolved {
    case .null where text.isEmpty: "give it a value, or write `\"\"` for an empty string"
    case .string: nil
    default: "put it in quotes: \("\"\(text)\"".quoted)"
    }
  }

  fileprivate var booleanHint: String? {
    let looksBoolean = ["true", "false", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    return looksBoolean ? "write true or false" : nil
  }
}

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

/// Turns names of users and groups into the numbers that the kernel gives with a connection.
package protocol NameResolver: Sendable {
  /// The number of a user; nil when the system knows none of this name.
  func userID(named name: String) -> UInt32?
  /// The number of a group; nil when the system knows none of this name.
  func groupID(named name: String) -> UInt32?
}

/// The users and groups of the machine, from wherever its name service takes them.
///
/// Trap: a directory service that is down answers like one that does not know the name. The policy then binds no user
/// there, and the loader warns.
package struct SystemNames: NameResolver {
  package init() {}

  package func userID(named name: String) -> UInt32? { Users.uid(ofUser: name) }

  package func groupID(named name: String) -> UInt32? { Users.gid(ofGroup: name) }
}
