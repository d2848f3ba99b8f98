/// One piece of a parsed component: fixed text or one matching group, with its modifier.
///
///     /docs/:id?     ->   fixed text `/docs`; group `id` up to the next `/`, prefix `/`, optional
///
/// Source: URL Pattern Standard, section 2.1.3.
package struct PatternPart: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case fixedText
    /// A group with a regular expression of the author's.
    case regexp
    /// As little as possible, at least one byte, up to the component's delimiter.
    case segmentWildcard
    /// As much as possible of anything.
    case fullWildcard
  }

  package enum Modifier: String, Sendable, Hashable {
    case none = ""
    case optional = "?"
    case zeroOrMore = "*"
    case oneOrMore = "+"

    /// Whether the part may be left out.
    package var isOptional: Bool { self == .optional || self == .zeroOrMore }

    /// Whether the part may come more than once.
    package var repeats: Bool { self == .zeroOrMore || self == .oneOrMore }
  }

  package var kind: Kind
  /// The fixed text, encoded as the URL parser would, or the regular expression; empty for wildcards.
  package var value: [UInt8]
  package var modifier: Modifier
  /// The group's name, or its number when it has none; empty for fixed text.
  package var name = ""
  /// Text that is repeated or left out together with the group.
  package var prefix: [UInt8] = []
  package var suffix: [UInt8] = []
  /// Byte offset of the regular expression in the author's text.
  package var offset = 0

  /// Whether the author gave the group a name.
  var hasCustomName: Bool { name.utf8.first.map { !$0.isASCIIDigit } ?? false }
}

/// The syntax of a component's pattern string.
///
/// Source: URL Pattern Standard, section 2.1.4.
package struct PatternOptions: Sendable, Hashable {
  /// The byte that ends a `:name`; nil where there is no such byte.
  package var delimiter: UInt8?
  /// The byte that belongs to the group behind it without brackets.
  package var prefix: UInt8?
  package var ignoresCase = false

  static func options(delimiter: UInt8? = nil, prefix: UInt8? = nil, ignoresCase: Bool = false) -> PatternOptions {
    PatternOptions(delimiter: delimiter, prefix: prefix, ignoresCase: ignoresCase)
  }

  /// `:name` as a regular expression.
  package var segmentRegexp: [UInt8] {
    var text = Array("[^".utf8)
    if let delimiter { text.append(escapingRegexp: [delimiter]) }
    return text + "]+?".utf8
  }
}

extension [UInt8] {
  /// Appends `text` so that a JavaScript regular expression takes it literally.
  package mutating func append(escapingRegexp text: [UInt8]) { append(text, escaping: ".+*?^${}()[]|/\\") }

  /// Appends `text` so that a pattern string takes it literally.
  mutating func append(escapingPattern text: [UInt8]) { append(text, escaping: "+*?:{}()\\") }

  private mutating func append(_ text: [UInt8], escaping special: String) {
    for byte in text {
      if special.utf8.contains(byte) { append(ASCII.backslash) }
      append(byte)
    }
  }
}
