internal import GuardModel
package import URLRules
package import URLStandard

extension URLPattern {
  /// What one component matched.
  package struct ComponentMatch: Sendable, Hashable {
    package var input: String
    /// By name, or by number for groups without one; nil for a group that took no part.
    package var groups: [String: String?]

    package init(input: String, groups: [String: String?]) {
      self.input = input
      self.groups = groups
    }
  }

  /// What came of matching with groups.
  package enum Execution: Sendable, Hashable {
    case match([URLComponent: ComponentMatch])
    case noMatch
    /// The number of steps that are spent on groups did not do.
    case tooCostly
  }

  /// Matches a URL, and says what each group took. It allocates, and it knows no decision's budget.
  package func exec(_ text: String, base: String? = nil) -> Execution {
    guard let base else { return URLRecord(text).map { exec($0) } ?? .noMatch }
    guard let baseRecord = URLRecord(base), let record = URLRecord(text, base: baseRecord) else { return .noMatch }
    return exec(record)
  }

  package func exec(_ record: URLRecord) -> Execution {
    exec(URLComponent.allCases.map { Array(record.bytes[record.range(of: $0)]) })
  }

  /// Matches an input by its components; what is not said is empty. A base beside them is an error.
  package func exec(_ parts: URLPatternInit, base: String? = nil) throws(URLPatternError) -> Execution {
    if base != nil { throw URLPatternError("an input by components has its base among them") }
    guard let components = try? parts.componentsOfInput() else { return .noMatch }
    return exec(components)
  }

  private func exec(_ inputs: [[UInt8]]) -> Execution {
    var matches: [URLComponent: ComponentMatch] = [:]
    var isTooCostly = false
    for (component, input) in zip(URLComponent.allCases, inputs) {
      switch groups(of: component, in: input) {
      case .noMatch: return .noMatch
      case .tooCostly: isTooCostly = true
      case .groups(let ranges): matches[component] = Self.match(syntax[component], input, ranges)
      }
    }
    return isTooCostly ? .tooCostly : .match(matches)
  }

  /// The matcher of decisions goes first, because failure is what costs the other one most.
  private func groups(of name: URLComponent, in input: [UInt8]) -> JavaScriptRegex.Match {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: input.count)
    if matches(name, input.span, runner) == .no { return .noMatch }
    // A pattern whose regular expressions are refused was never made.
    guard let regex = try? syntax[name].javaScriptRegex() else { return .tooCostly }
    return regex.match(input.span)
  }

  /// A named group inside an author's regular expression counts, so that the names after it go to other groups than
  /// one would think; that is what the standard says.
  private static func match(
    _ component: PatternComponent, _ input: [UInt8], _ ranges: [Range<Int>?]
  ) -> ComponentMatch {
    var groups: [String: String?] = [:]
    for (name, range) in zip(component.groupNames, ranges) {
      groups.updateValue(range.map { String(decoding: input[$0], as: UTF8.self) }, forKey: name)
    }
    return ComponentMatch(input: String(decoding: input, as: UTF8.self), groups: groups)
  }
}
