internal import GuardModel
package import URLStandard

/// One component of a pattern in the cheapest form that matches it.
enum ComponentMatcher: Sendable {
  case any
  case exact([UInt8], ignoresCase: Bool)
  /// This at the start, that at the end, anything between.
  case around(prefix: [UInt8], suffix: [UInt8], ignoresCase: Bool)
  case steps(PatternStepMatcher)
  case regex(Regex)

  init(_ component: PatternComponent) throws(URLPatternError) {
    if component.hasRegExpGroups {
      self = .regex(try Self.regex(component))
      return
    }
    let steps = PatternStep.steps(of: component)
    let ignoresCase = component.options.ignoresCase
    switch steps.count {
    case 0: self = .exact([], ignoresCase: false)
    case 1 where steps[0].isPlainWildcard: self = .any
    case 1 where steps[0].isPlainText: self = .exact(steps[0].prefix, ignoresCase: ignoresCase)
    default:
      self = Self.around(steps, ignoresCase: ignoresCase) ?? .steps(PatternStepMatcher(steps, ignoresCase: ignoresCase))
    }
  }

  private static func around(_ steps: [PatternStep], ignoresCase: Bool) -> ComponentMatcher? {
    let text = steps.map { $0.isPlainText ? $0.prefix : [] }
    switch steps.map(\.isPlainWildcard) {
    case [true, false] where steps[1].isPlainText: return .around(prefix: [], suffix: text[1], ignoresCase: ignoresCase)
    case [false, true] where steps[0].isPlainText: return .around(prefix: text[0], suffix: [], ignoresCase: ignoresCase)
    case [false, true, false] where steps[0].isPlainText && steps[2].isPlainText:
      return .around(prefix: text[0], suffix: text[2], ignoresCase: ignoresCase)
    default: return nil
    }
  }

  private static func regex(_ component: PatternComponent) throws(URLPatternError) -> Regex {
    let regexp = try component.javaScriptRegex()
    do {
      return try Regex(regexp.pcre2Pattern)
    } catch {
      // The text is sound by now, so that only PCRE2's own limits are left.
      let place = component.regexp.offset(of: 0)
      throw URLPatternError("\(error)", component: component.name, offset: place).moved(
        by: component.shift, in: component.name)
    }
  }

  /// Whether `text` is taken. Only the last two forms cost more than one comparison.
  func matches(_ text: Span<UInt8>, _ runner: RegexRunner) -> Ternary {
    switch self {
    case .any: return .yes
    case .exact(let bytes, let ignoresCase):
      return Ternary(text.count == bytes.count && text.begins(with: bytes, at: 0, ignoresCase: ignoresCase))
    case .around(let prefix, let suffix, let ignoresCase):
      guard text.count >= prefix.count + suffix.count else { return .no }
      return Ternary(
        text.begins(with: prefix, at: 0, ignoresCase: ignoresCase)
          && text.begins(with: suffix, at: text.count - suffix.count, ignoresCase: ignoresCase))
    case .steps(let matcher):
      guard runner.canSpend else { return .unknown }
      var effort = 0
      let truth = matcher.matches(text, &runner.positions, &effort)
      return runner.spend(effort, subjectBytes: text.count) ? truth : .unknown
    case .regex(let regex): return regex.matches(text, runner)
    }
  }

  /// More for what takes longer.
  var cost: Int {
    switch self {
    case .any: 0
    case .exact: 1
    case .around: 2
    case .steps: 3
    case .regex: 4
    }
  }
}

extension PatternComponent {
  /// The component as a browser's regular expression; throws where the author's part of it is none, or is refused here.
  package func javaScriptRegex() throws(URLPatternError) -> JavaScriptRegex {
    let regexp = regexp
    do {
      return try JavaScriptRegex(regexp.text, ignoresCase: options.ignoresCase)
    } catch {
      throw URLPatternError(error.description, offset: regexp.offset(of: error.offset)).moved(by: shift, in: name)
    }
  }
}

extension Span<UInt8> {
  /// Whether `bytes`, which are in lower case when case is ignored, stand at `start`.
  // INVARIANT: start + bytes.count <= count.
  func begins(with bytes: [UInt8], at start: Int, ignoresCase: Bool) -> Bool {
    for index in bytes.indices {
      let byte = self[start + index]
      guard byte == bytes[index] || ignoresCase && byte.lowercased == bytes[index] else { return false }
    }
    return true
  }
}
