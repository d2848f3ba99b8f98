/// One component of a pattern, parsed.
package struct PatternComponent: Sendable, Hashable {
  package let name: URLComponent
  package let parts: [PatternPart]
  package let options: PatternOptions
  /// What to add to a part's offset to get the place in what the author wrote.
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

/// A component's text, and what to add to an offset in it to get the place in what the author wrote.
struct ShiftedText {
  var text: String
  var shift = 0
}
