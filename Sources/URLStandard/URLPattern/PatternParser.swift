internal import Bytes

/// Reads the pattern string of one component into a part list.
///
/// Source: URL Pattern Standard, section 2.1.5.
struct PatternParser {
  private let input: PatternString
  private let options: PatternOptions
  private let encoding: ComponentEncoding
  private let tokens: [PatternToken]
  private var index = 0
  private var parts: [PatternPart] = []
  private var names: Set<String> = []
  private var nextNumber = 0
  /// Fixed text that may go on, and the index of its first token.
  private var pending = ""
  private var pendingStart = 0

  /// The part list of `text`.
  static func parts(
    of text: String, options: PatternOptions, encoding: ComponentEncoding
  ) throws(URLPatternError) -> [PatternPart] {
    var parser = try PatternParser(PatternString(text), options: options, encoding: encoding)
    while parser.index < parser.tokens.count { try parser.readPart() }
    return parser.parts
  }

  private init(
    _ input: PatternString, options: PatternOptions, encoding: ComponentEncoding
  ) throws(URLPatternError) {
    self.input = input
    self.options = options
    self.encoding = encoding
    tokens = try PatternTokenizer.tokens(of: input, isStrict: true)
  }

  /// Reads a group with the character before it, fixed text, or a `{…}`.
  private mutating func readPart() throws(URLPatternError) {
    let start = index
    let character = consume(.char)
    let matcher = consumeMatcher()
    if matcher.isPresent {
      var prefix = character.map { input.text($0.value) } ?? ""
      if let character, !isPrefix(character) {
        appendPending(prefix, from: start)
        prefix = ""
      }
      try addPending()
      return try add(matcher, prefix: prefix, suffix: "", modifier: consumeModifier(), from: start)
    }
    if let text = character ?? consume(.escapedChar) { return appendPending(input.text(text.value), from: start) }
    if consume(.open) != nil { return try readBraces(from: start) }
    try addPending()
    if consume(.end) == nil { throw refusal(insteadOf: .end, openedAt: start) }
  }

  private mutating func readBraces(from start: Int) throws(URLPatternError) {
    let prefix = consumeText()
    let matcher = consumeMatcher()
    let suffix = consumeText()
    if consume(.close) == nil { throw refusal(insteadOf: .close, openedAt: start) }
    try add(matcher, prefix: prefix, suffix: suffix, modifier: consumeModifier(), from: start)
  }

  private func isPrefix(_ token: PatternToken) -> Bool {
    options.prefix.map { input.holds(token, Unicode.Scalar($0)) } ?? false
  }

  private mutating func appendPending(_ text: String, from start: Int) {
    if pending.isEmpty { pendingStart = start }
    pending += text
  }
}

// Looking at the tokens.
extension PatternParser {
  /// The parts of a group: a name, a regular expression or asterisk, or both.
  private struct Matcher {
    var name: PatternToken?
    var body: PatternToken?

    var isPresent: Bool { name != nil || body != nil }
  }

  private mutating func consume(_ kind: PatternToken.Kind) -> PatternToken? {
    guard index < tokens.count, tokens[index].kind == kind else { return nil }
    index += 1
    return tokens[index - 1]
  }

  private mutating func consumeMatcher() -> Matcher {
    let name = consume(.name)
    let regexp = consume(.regexp)
    return Matcher(name: name, body: name == nil && regexp == nil ? consume(.asterisk) : regexp)
  }

  private mutating func consumeModifier() -> PatternPart.Modifier {
    guard let token = consume(.otherModifier) ?? consume(.asterisk) else { return .none }
    return PatternPart.Modifier(rawValue: input.text(token.value)) ?? .none
  }

  private mutating func consumeText() -> String {
    var text = ""
    while let token = consume(.char) ?? consume(.escapedChar) { text += input.text(token.value) }
    return text
  }

  /// Says why the next token cannot stand where it does.
  private func refusal(insteadOf kind: PatternToken.Kind, openedAt start: Int) -> URLPatternError {
    let token = tokens[min(index, tokens.count - 1)]
    let offset = input.byteOffset(of: token.index)
    switch (kind, token.kind) {
    case (.close, .end): return URLPatternError("`{` is never closed", offset: self.offset(ofToken: start))
    case (.close, .open): return URLPatternError("`{` cannot stand inside `{…}`", offset: offset)
    case (.close, .name), (.close, .regexp), (.close, .asterisk):
      return URLPatternError("`{…}` holds at most one group", offset: offset)
    case (_, .close): return URLPatternError("`}` closes nothing; the character itself is `\\}`", offset: offset)
    default:
      let found = input.text(token.value)
      return URLPatternError("`\(found)` has nothing before it; the character itself is `\\\(found)`", offset: offset)
    }
  }
}

// Adding to the part list.
extension PatternParser {
  private func offset(ofToken index: Int) -> Int { input.byteOffset(of: tokens[index].index) }

  private func encoded(_ text: String, from start: Int) throws(URLPatternError) -> [UInt8] {
    guard let bytes = encoding.encode(text) else {
      throw URLPatternError("`\(text)` is not \(encoding.noun)", offset: offset(ofToken: start))
    }
    return bytes
  }

  private mutating func addPending() throws(URLPatternError) {
    guard !pending.isEmpty else { return }
    let value = try encoded(pending, from: pendingStart)
    pending = ""
    parts.append(PatternPart(kind: .fixedText, value: value, modifier: .none))
  }

  private mutating func add(
    _ matcher: Matcher, prefix: String, suffix: String, modifier: PatternPart.Modifier, from start: Int
  ) throws(URLPatternError) {
    if !matcher.isPresent, modifier == .none { return appendPending(prefix, from: start) }
    try addPending()
    guard matcher.isPresent else {
      guard !prefix.isEmpty else { return }
      let value = try encoded(prefix, from: start)
      parts.append(PatternPart(kind: .fixedText, value: value, modifier: modifier))
      return
    }
    var part = part(for: matcher, modifier: modifier)
    guard names.insert(part.name).inserted else {
      throw URLPatternError("the group name `\(part.name)` is used twice", offset: offset(ofToken: start))
    }
    part.prefix = try encoded(prefix, from: start)
    part.suffix = try encoded(suffix, from: start)
    parts.append(part)
  }

  /// The group itself. A regular expression that equals a wildcard is that wildcard.
  private mutating func part(for matcher: Matcher, modifier: PatternPart.Modifier) -> PatternPart {
    var part = PatternPart(kind: .segmentWildcard, value: [], modifier: modifier)
    if let body = matcher.body {
      let regexp = Array(input.text(body.value).utf8)
      if body.kind == .asterisk || regexp == PatternPart.fullWildcardRegexp {
        part.kind = .fullWildcard
      } else if regexp != options.segmentRegexp {
        part.kind = .regexp
        part.value = regexp
        part.offset = input.byteOffset(of: body.value.lowerBound)
      }
    }
    if let name = matcher.name {
      part.name = input.text(name.value)
    } else {
      part.name = String(nextNumber)
      nextNumber += 1
    }
    return part
  }
}

extension PatternPart {
  /// `*` as a regular expression.
  package static let fullWildcardRegexp = Array(".*".utf8)
}

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
