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
