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

  /// Whether `*` would be read as this wildcard, and not as the modifier of what stands before it.
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

  /// Whether `part`, a plain `:name`, would read on into what follows it.
  private func swallows(_ next: PatternPart, _ part: PatternPart) -> Bool {
    guard part.hasCustomName, part.kind == .segmentWildcard, part.modifier == .none else { return false }
    guard next.prefix.isEmpty, next.suffix.isEmpty else { return false }
    return next.kind == .fixedText ? Self.continuesName(next.value) : !next.hasCustomName
  }

  private static func continuesName(_ text: [UInt8]) -> Bool {
    text.first.map { Unicode.Scalar($0).continuesName } ?? false
  }
}
