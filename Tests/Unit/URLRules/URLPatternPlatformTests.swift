import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// The URLPattern data of the web platform tests, as synced by Ada at commit 308110b (2026-06-29).
@Suite(.enabled(if: SharedData.isExpected, Comment(rawValue: SharedData.absence)))
struct URLPatternPlatformTests {
  private static let folder = "wpt/urlpattern/"

  @Test
  func everyPatternMatchesAsThePlatformTestsSay() throws {
    let cases = try SharedData.cases(Self.folder + "urlpatterntestdata.json")
    #expect(cases.count == 369)
    var refused = 0
    for (index, patternCase) in cases.enumerated() {
      let platformCase = PlatformCase(patternCase, index)
      if patternCase["expected_obj"] == "error" { refused += 1 }
      platformCase.expectPattern()
    }
    #expect(refused == 44)
  }

  /// The two methods that these files are for are not in the standard (commit 203d435), so that only the patterns are
  /// read.
  @Test(arguments: [("urlpattern-compare-test-data.json", 25), ("urlpattern-generate-test-data.json", 19)])
  func patternsOfProposedMethodsAreReadAndWrittenAlike(file: String, count: Int) throws {
    let cases = try SharedData.cases(Self.folder + file)
    #expect(cases.count == count)
    for patternCase in cases {
      for name in ["pattern", "left", "right"] where patternCase.names.contains(name) {
        let item = patternCase[name].map { JSONItem.text($0) } ?? patternCase.object(name).map { .object($0) } ?? .other
        expectRoundTrip(try PlatformCase.pattern([item]))
      }
    }
  }

  /// What a component is shown as is read as that component again.
  private func expectRoundTrip(_ pattern: URLPattern) {
    var parts = URLPatternInit()
    for component in URLComponent.allCases { parts[component] = pattern.text(of: component) }
    guard let again = try? URLPattern(parts) else {
      Issue.record("`\(pattern.componentText)` cannot be read again")
      return
    }
    #expect(again.componentText == pattern.componentText)
  }
}

/// One case of the platform tests, judged as their own harness judges it.
private struct PlatformCase {
  let content: JSONCase
  let arguments: [JSONItem]
  let inputs: [JSONItem]
  let note: Comment

  init(_ content: JSONCase, _ index: Int) {
    self.content = content
    arguments = content.list("pattern") ?? []
    inputs = content.list("inputs") ?? []
    note = Comment(rawValue: "case \(index): \(arguments)")
  }

  func expectPattern() {
    guard content["expected_obj"] != "error" else {
      #expect(throws: URLPatternError.self, note) { try Self.pattern(arguments) }
      return
    }
    guard let pattern = try? Self.pattern(arguments) else {
      Issue.record("\(note): refused")
      return
    }
    for component in URLComponent.allCases {
      #expect(pattern.text(of: component) == expectedText(component), "\(note): \(component)")
    }
    if content.names.contains("inputs") { expectMatch(pattern) }
  }

  /// The pattern that JavaScript's constructor makes of the arguments.
  static func pattern(_ arguments: [JSONItem]) throws -> URLPattern {
    let options = arguments.count > 1 ? arguments[arguments.count - 1] : .other
    let ignoresCase = if case .object(let members) = options { members.isTrue("ignoreCase") } else { false }
    switch arguments.first {
    case .text(let text): return try URLPattern(text, base: base(arguments), ignoreCase: ignoresCase)
    // One case gives the options where the components belong; JavaScript reads no component from them.
    case .object(let parts):
      return try URLPattern(URLPatternInit(parts), base: base(arguments), ignoreCase: ignoresCase)
    default: return try URLPattern(URLPatternInit())
    }
  }

  /// The second of three arguments is the base whatever it is, and an object is a strange text then.
  private static func base(_ arguments: [JSONItem]) -> String? {
    guard arguments.count > 1 else { return nil }
    switch arguments[1] {
    case .text(let text): return text
    case .object: return arguments.count == 3 ? "[object Object]" : nil
    case .other: return nil
    }
  }
}

// What the harness expects of the components of a pattern, most of which the data does not say.
extension PlatformCase {
  private func expectedText(_ component: URLComponent) -> String {
    if let text = content.object("expected_obj")?[component.rawValue] { return text }
    if isExactlyEmpty(component) { return "" }
    guard case .object(let parts) = arguments.first else { return baseText(component, of: baseArgument) }
    if let text = parts[component.rawValue] { return text }
    return inherits(component, parts) ? baseText(component, of: parts["baseURL"]) : "*"
  }

  private var baseArgument: String? {
    if arguments.count > 1, case .text(let base) = arguments[1] { base } else { nil }
  }

  private func baseText(_ component: URLComponent, of base: String?) -> String {
    guard let base = base.flatMap({ URLRecord($0) }), component != .username, component != .password else { return "*" }
    return base.text(base.range(of: component))
  }

  private func isExactlyEmpty(_ component: URLComponent) -> Bool {
    content.list("exactly_empty_components")?.contains {
      if case .text(let name) = $0 { name == component.rawValue } else { false }
    } ?? false
  }

  private func inherits(_ component: URLComponent, _ parts: JSONCase) -> Bool {
    let chain: [URLComponent] = [.protocol, .hostname, .port, .pathname, .search, .hash]
    guard let index = chain.firstIndex(of: component) else { return false }
    return chain[...index].allSatisfy { !parts.names.contains($0.rawValue) }
  }
}

// Matching.
extension PlatformCase {
  private func expectMatch(_ pattern: URLPattern) {
    if content["expected_match"] == "error" {
      #expect(throws: URLPatternError.self, note) { try execute(pattern) }
      return
    }
    guard let execution = try? execute(pattern) else {
      Issue.record("\(note): the input is an error")
      return
    }
    expectDecision(pattern, content.object("expected_match") == nil ? .no : .yes)
    guard let expected = content.object("expected_match") else {
      #expect(execution == .noMatch, note)
      return
    }
    guard case .match(let components) = execution else {
      Issue.record("\(note): \(execution)")
      return
    }
    for component in URLComponent.allCases {
      #expect(components[component] == self.expected(expected, component), "\(note): \(component)")
    }
  }

  private func expected(_ match: JSONCase, _ component: URLComponent) -> URLPattern.ComponentMatch {
    guard let object = match.object(component.rawValue) else {
      return .init(input: "", groups: isExactlyEmpty(component) ? [:] : ["0": ""])
    }
    var groups: [String: String?] = [:]
    for name in object.object("groups")?.names ?? [] {
      groups.updateValue(object.object("groups")?[name], forKey: name)
    }
    return .init(input: object["input"] ?? "", groups: groups)
  }

  private func execute(_ pattern: URLPattern) throws -> URLPattern.Execution {
    var base: String?
    if inputs.count > 1, case .text(let text) = inputs[1] { base = text }
    return switch inputs.first {
    case .text(let text): pattern.exec(text, base: base)
    case .object(let parts): try pattern.exec(URLPatternInit(parts), base: base)
    default: try pattern.exec(URLPatternInit())
    }
  }

  /// An input that is a URL is also put to the matcher of decisions.
  private func expectDecision(_ pattern: URLPattern, _ expected: Ternary) {
    guard case .text(let text) = inputs.first, inputs.count == 1, let record = URLRecord(text) else { return }
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: record.bytes.count)
    #expect(pattern.matches(record, runner) == expected, note)
  }
}

extension URLPatternInit {
  fileprivate init(_ parts: JSONCase) {
    self.init(baseURL: parts["baseURL"])
    for component in URLComponent.allCases { self[component] = parts[component.rawValue] }
  }
}
