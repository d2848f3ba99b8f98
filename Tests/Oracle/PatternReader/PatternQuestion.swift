internal import GuardModel
internal import JSONText
internal import TestSupport
internal import URLRules
internal import URLStandard

/// What the oracle asks about one URL pattern, in the form that `pattern_readings.py` describes.
///
/// An input is matched twice, by `exec` and by the matcher of rules; where those disagree, the answer is a text that says
/// so, which no browser gives.
struct PatternQuestion {
  private let question: JSONTree

  init(_ question: JSONTree) { self.question = question }

  /// `{"valid": false}`, or everything a browser shows of the pattern and of its matches.
  func answer() throws -> JSONTree {
    guard let pattern = try? readPattern() else { return ["valid": false] }
    let inputs = question["inputs"]?.array ?? []
    return [
      "valid": true,
      "components": .object(URLComponent.allCases.map { JSONTree.Member($0.rawValue, .string(pattern.text(of: $0))) }),
      "hasRegExpGroups": .bool(pattern.hasRegExpGroups),
      "results": .array(try inputs.map { try Self.match(pattern, $0) }),
    ]
  }

  private func readPattern() throws -> URLPattern {
    let base = question["base"]?.string
    let ignoresCase = question["ignoreCase"]?.bool ?? false
    guard let pattern = question["pattern"] else { throw URLPatternError("there is no pattern") }
    if let text = pattern.string { return try URLPattern(text, base: base, ignoreCase: ignoresCase) }
    return try URLPattern(Self.parts(pattern), base: base, ignoreCase: ignoresCase)
  }

  private static func parts(_ tree: JSONTree) -> URLPatternInit {
    var parts = URLPatternInit(baseURL: tree["baseURL"]?.string)
    for component in URLComponent.allCases { parts[component] = tree[component.rawValue]?.string }
    return parts
  }

  private static func match(_ pattern: URLPattern, _ input: JSONTree) throws -> JSONTree {
    let execution = try input.string.map { pattern.exec($0) } ?? pattern.exec(parts(input))
    if let truth = input.string.flatMap({ rulesTruth(pattern, $0) }), truth != execution.truth {
      return .string("the matcher of rules says \(truth)")
    }
    switch execution {
    case .noMatch: return .null
    case .tooCostly: return .string("too costly")
    case .match(let components):
      return .object(
        URLComponent.allCases.map { JSONTree.Member($0.rawValue, groups(components[$0]?.groups ?? [:])) })
    }
  }

  /// What a rule with this pattern says about a URL; nil when the text is none.
  private static func rulesTruth(_ pattern: URLPattern, _ text: String) -> Ternary? {
    guard let record = URLRecord(text) else { return nil }
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: text.utf8.count)
    return pattern.matches(record, runner)
  }

  private static func groups(_ groups: [String: String?]) -> JSONTree {
    .object(groups.map { JSONTree.Member($0.key, $0.value.map { .string($0) } ?? .null) })
  }
}

extension URLPattern.Execution {
  fileprivate var truth: Ternary {
    switch self {
    case .match: .yes
    case .noMatch: .no
    case .tooCostly: .unknown
    }
  }
}
