internal import Bytes
package import GuardModel
package import URLStandard

/// A pattern of the URL Pattern Standard: `pattern:` in a rule file.
///
///     try URLPattern("https://*.example.com/docs/:id")      // any query; port 443 only
///     try URLPattern("/docs/*", base: "https://example.com")
///     try URLPattern(URLPatternInit(hostname: "*.example.com"))      // any scheme, port and path
///
/// Traps: `https://*.example.com` does not take `https://example.com/`, and `https://*example.com` takes
/// `https://evilexample.com/`. A judged URL has no user name, password and fragment, so a pattern that asks for one
/// never matches; and `ws` and `wss` are judged as `http` and `https`.
///
/// Regular expressions are those of browsers; those that PCRE2 would read differently are refused
/// (``JavaScriptRegex``).
///
/// Source: https://urlpattern.spec.whatwg.org/, commit 203d435 (2026-03-20).
package final class URLPattern: Sendable {
  package let syntax: URLPatternSyntax
  package let ignoresCase: Bool
  /// The components that have to match, the cheapest first; components that take anything are left out.
  private let checks: [Check]
  /// Filing keys of the pattern: one of them holds of every judged URL of which `matches` is not certainly no. Nil when
  /// every URL must be looked at.
  package var keys: [IndexKey]? { filing?.keys }
  private let filing: PatternFiling?

  private struct Check: Sendable {
    var component: URLComponent
    var matcher: ComponentMatcher
  }

  /// Reads a pattern that is written like a URL. Without `base` it must say its scheme.
  package convenience init(_ text: String, base: String? = nil, ignoreCase: Bool = false) throws(URLPatternError) {
    try self.init(
      try URLPatternSyntax(text, base: base, ignoresCase: ignoreCase, isSpecial: Self.takesSpecialScheme),
      ignoresCase: ignoreCase)
  }

  /// Reads a pattern by its components; an absent one takes anything. A base stands among the components, and one given
  /// beside them is an error.
  package convenience init(
    _ parts: URLPatternInit, base: String? = nil, ignoreCase: Bool = false
  ) throws(URLPatternError) {
    try self.init(
      try URLPatternSyntax(parts, base: base, ignoresCase: ignoreCase, isSpecial: Self.takesSpecialScheme),
      ignoresCase: ignoreCase)
  }

  private init(_ syntax: URLPatternSyntax, ignoresCase: Bool) throws(URLPatternError) {
    self.syntax = syntax
    self.ignoresCase = ignoresCase
    var checks: [Check] = []
    for component in URLComponent.allCases {
      let matcher = try ComponentMatcher(syntax[component])
      if matcher.cost > 0 { checks.append(Check(component: component, matcher: matcher)) }
    }
    self.checks = checks.sorted { $0.matcher.cost < $1.matcher.cost }
    filing = PatternFiling(syntax)
  }

  private static func takesSpecialScheme(_ component: PatternComponent) throws(URLPatternError) -> Bool {
    let matcher = try ComponentMatcher(component)
    let runner = RegexRunner()
    return URLPatternSyntax.specialSchemes.contains { scheme in
      runner.beginDecision(subjectBytes: scheme.count)
      return matcher.matches(scheme.span, runner) != .no
    }
  }

  /// Whether the pattern matches. Allocates nothing; unknown when a limit is reached, or when the decision's budget is
  /// spent (``RegexRunner/beginDecision(subjectBytes:)``).
  ///
  ///     https://*.example.com/:id     on https://a.example.com/x?q     -> yes
  ///
  /// A record that holds no URL does not match.
  package func matches(_ record: borrowing URLRecord, _ runner: RegexRunner) -> Ternary {
    guard record.isValid else { return .no }
    var truth = Ternary.yes
    for index in checks.indices {
      let text = record.bytes.span.extracting(record.range(of: checks[index].component))
      switch checks[index].matcher.matches(text, runner) {
      case .no: return .no
      case .unknown: truth = .unknown
      case .yes: break
      }
    }
    // A URL that no key lets through certainly does not match, even where a limit was reached.
    return truth == .unknown && !mayHold(of: record) ? .no : truth
  }

  /// Whether one component takes a text.
  package func matches(_ component: URLComponent, _ text: Span<UInt8>, _ runner: RegexRunner) -> Ternary {
    guard let check = checks.first(where: { $0.component == component }) else { return .yes }
    return check.matcher.matches(text, runner)
  }

  private func mayHold(of record: borrowing URLRecord) -> Bool {
    guard let filing else { return true }
    return filing.holds(of: record)
  }

  /// Whether any group has a regular expression of the author's.
  package var hasRegExpGroups: Bool { syntax.hasRegExpGroups }

  /// A component as the web's `URLPattern` shows it.
  package func text(of component: URLComponent) -> String { syntax[component].text }

  /// All components, for people.
  ///
  ///     protocol https, hostname *.example.com, pathname /docs/:id
  ///
  /// Components that take anything are left out; empty ones are shown as `""`.
  package var componentText: String {
    let shown = URLComponent.allCases.compactMap { component -> String? in
      let text = text(of: component)
      return text == "*" ? nil : "\(component.rawValue) \(text.isEmpty ? "\"\"" : text)"
    }
    return shown.isEmpty ? "*" : shown.joined(separator: ", ")
  }
}

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

  /// Higher for slower forms.
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
      guard byte == bytes[index] || ignoresCase && byte.asciiLowercased == bytes[index] else { return false }
    }
    return true
  }
}
