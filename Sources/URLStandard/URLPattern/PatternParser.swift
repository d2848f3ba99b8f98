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
