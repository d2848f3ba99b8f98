internal import Bytes

/// One component of a pattern, parsed.
package struct PatternComponent: Sendable, Hashable {
  package let name: URLComponent
  package let parts: [PatternPart]
  package let options: PatternOptions
  /// Distance from a part's offset to its place in the author's text.
  package let shift: Int

  init(
    _ name: URLComponent, _ text: ShiftedText, options: PatternOptions, encoding: ComponentEncoding
  ) throws(URLPatternError) {
    self.name = name
    self.options = options
    shift = text.shift
    do {
      parts = try PatternParser.parts(of: text.text, options: options, encoding: encoding)
    } catch {
      throw error.moved(by: text.shift, in: name)
    }
  }

  /// Whether a group has a regular expression of the author's.
  package var hasRegExpGroups: Bool { parts.contains { $0.kind == .regexp } }

  /// The groups' names, in order; those without one have a number.
  package var groupNames: [String] { parts.lazy.filter { $0.kind != .fixedText }.map(\.name) }
}

/// A component's text, and the distance from an offset in it to the place in the author's text.
struct ShiftedText {
  var text: String
  var shift = 0
}

// Source: URL Pattern Standard, section 2.3.
extension PatternComponent {
  /// The component as a pattern string, in the normal form that the web's `URLPattern` shows.
  ///
  ///     {foo}/(.*)     ->  foo/*
  ///     /{:id}?x       ->  /{:id}?x
  ///
  /// Reading it again gives the same component.
  package var text: String {
    var output: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if part.kind == .fixedText {
        write(fixedText: part, to: &output)
      } else {
        let previous = index > 0 ? parts[index - 1] : nil
        let next = index + 1 < parts.count ? parts[index + 1] : nil
        write(part, previous: previous, next: next, to: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private func write(fixedText part: PatternPart, to output: inout [UInt8]) {
    let needsBraces = part.modifier != .none
    if needsBraces { output.append("{") }
    output.append(escapingPattern: part.value)
    if needsBraces { output.append("}") }
    output.append(contentsOf: part.modifier.rawValue.utf8)
  }

  private func write(_ part: PatternPart, previous: PatternPart?, next: PatternPart?, to output: inout [UInt8]) {
    let needsBraces = needsBraces(part, previous: previous, next: next)
    if needsBraces { output.append("{") }
    output.append(escapingPattern: part.prefix)
    if part.hasCustomName {
      output.append(ASCII.colon)
      output.append(contentsOf: part.name.utf8)
    }
    let isAsterisk = isAsterisk(part, previous: previous, hasBraces: needsBraces)
    output.append(contentsOf: matcher(of: part, isAsterisk: isAsterisk))
    // Without the backslash the suffix would go on the name.
    if part.kind == .segmentWildcard, part.hasCustomName, Self.continuesName(part.suffix) {
      output.append(ASCII.backslash)
    }
    output.append(escapingPattern: part.suffix)
    if needsBraces { output.append("}") }
    output.append(contentsOf: part.modifier.rawValue.utf8)
  }

  private func matcher(of part: PatternPart, isAsterisk: Bool) -> [UInt8] {
    switch part.kind {
    case .fixedText: []
    case .regexp: Array("(".utf8) + part.value + Array(")".utf8)
    case .segmentWildcard: part.hasCustomName ? [] : Array("(".utf8) + options.segmentRegexp + Array(")".utf8)
    case .fullWildcard: Array((isAsterisk ? "*" : "(.*)").utf8)
    }
  }

  /// Whether `*` would be read as this wildcard, and not as the modifier of the part before it.
  private func isAsterisk(_ part: PatternPart, previous: PatternPart?, hasBraces: Bool) -> Bool {
    guard !part.hasCustomName else { return false }
    guard let previous else { return true }
    return previous.kind == .fixedText || previous.modifier != .none || hasBraces || !part.prefix.isEmpty
  }

  private func needsBraces(_ part: PatternPart, previous: PatternPart?, next: PatternPart?) -> Bool {
    if !part.suffix.isEmpty || !part.prefix.isEmpty && !isPrefix(part.prefix) { return true }
    if let next, swallows(next, part) { return true }
    guard part.prefix.isEmpty, let previous, previous.kind == .fixedText, let last = previous.value.last else {
      return false
    }
    return last == options.prefix
  }

  private func isPrefix(_ text: [UInt8]) -> Bool { options.prefix.map { text == [$0] } ?? false }

  /// Whether `part`, a plain `:name`, would read on into the text behind it.
  private func swallows(_ next: PatternPart, _ part: PatternPart) -> Bool {
    guard part.hasCustomName, part.kind == .segmentWildcard, part.modifier == .none else { return false }
    guard next.prefix.isEmpty, next.suffix.isEmpty else { return false }
    return next.kind == .fixedText ? Self.continuesName(next.value) : !next.hasCustomName
  }

  private static func continuesName(_ text: [UInt8]) -> Bool {
    text.first.map { Unicode.Scalar($0).continuesName } ?? false
  }
}

// Source: URL Pattern Standard, section 2.2.
extension PatternComponent {
  /// The regular expression of the web that the standard gives the component, in which group n is the nth group name's.
  ///
  ///     /docs/:id?   ->   ^\/docs(?:\/([^\/]+?))?$
  package var regexp: ComponentRegexp {
    var regexp = ComponentRegexp()
    regexp.text.append("^")
    for part in parts { write(part, to: &regexp) }
    regexp.text.append("$")
    return regexp
  }

  private func write(_ part: PatternPart, to regexp: inout ComponentRegexp) {
    let modifier = part.modifier.rawValue.utf8
    if part.kind == .fixedText {
      let isPlain = part.modifier == .none
      if !isPlain { regexp.text.append("(?:") }
      regexp.text.append(escapingRegexp: part.value)
      if !isPlain { regexp.text.append(")") }
      regexp.text.append(contentsOf: modifier)
    } else if part.prefix.isEmpty, part.suffix.isEmpty {
      regexp.text.append(part.modifier.repeats ? "((?:" : "(")
      append(matcherOf: part, to: &regexp)
      regexp.text.append(")")
      regexp.text.append(contentsOf: modifier)
      if part.modifier.repeats { regexp.text.append(")") }
    } else if part.modifier.repeats {
      writeRepeating(part, to: &regexp)
    } else {
      regexp.text.append("(?:")
      regexp.text.append(escapingRegexp: part.prefix)
      regexp.text.append("(")
      append(matcherOf: part, to: &regexp)
      regexp.text.append(")")
      regexp.text.append(escapingRegexp: part.suffix)
      regexp.text.append(")")
      regexp.text.append(contentsOf: modifier)
    }
  }

  /// Prefix and suffix stand outside the group at its ends, and inside it between two repetitions.
  private func writeRepeating(_ part: PatternPart, to regexp: inout ComponentRegexp) {
    regexp.text.append("(?:")
    regexp.text.append(escapingRegexp: part.prefix)
    regexp.text.append("((?:")
    append(matcherOf: part, to: &regexp)
    regexp.text.append(")(?:")
    regexp.text.append(escapingRegexp: part.suffix)
    regexp.text.append(escapingRegexp: part.prefix)
    regexp.text.append("(?:")
    append(matcherOf: part, to: &regexp)
    regexp.text.append("))*)")
    regexp.text.append(escapingRegexp: part.suffix)
    regexp.text.append(part.modifier == .zeroOrMore ? ")?" : ")")
  }

  private func append(matcherOf part: PatternPart, to regexp: inout ComponentRegexp) {
    switch part.kind {
    case .fixedText: break
    case .segmentWildcard: regexp.text.append(contentsOf: options.segmentRegexp)
    case .fullWildcard: regexp.text.append(contentsOf: PatternPart.fullWildcardRegexp)
    case .regexp:
      regexp.places.append(
        .init(start: regexp.text.count, end: regexp.text.count + part.value.count, offset: part.offset))
      regexp.text.append(contentsOf: part.value)
    }
  }
}

/// A component as one regular expression, with the places of the bytes that the author wrote.
package struct ComponentRegexp: Sendable {
  struct Place {
    var start: Int
    var end: Int
    /// Byte offset in the component's text.
    var offset: Int
  }

  package fileprivate(set) var text: [UInt8] = []
  fileprivate(set) var places: [Place] = []

  /// The place of `index` in the author's text; for generated text, the place of the author's nearest before it.
  package func offset(of index: Int) -> Int {
    guard let place = places.last(where: { $0.start <= index }) ?? places.first else { return 0 }
    return place.offset + min(max(0, index - place.start), place.end - place.start)
  }
}
