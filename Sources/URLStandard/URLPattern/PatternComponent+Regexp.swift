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

/// A component as one regular expression, and which of its bytes the author wrote.
package struct ComponentRegexp: Sendable {
  struct Place {
    var start: Int
    var end: Int
    /// Byte offset in the component's text.
    var offset: Int
  }

  package fileprivate(set) var text: [UInt8] = []
  fileprivate(set) var places: [Place] = []

  /// Where the author wrote what stands at `index`; of generated text, the place of the author's nearest before it.
  package func offset(of index: Int) -> Int {
    guard let place = places.last(where: { $0.start <= index }) ?? places.first else { return 0 }
    return place.offset + min(max(0, index - place.start), place.end - place.start)
  }
}
