import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// The fast matcher against the standard's own regular expressions, and the keys against the matcher.
struct URLPatternAgreementTests {
  private let patterns = RandomURLPatterns()

  /// Each component is generated as a regular expression and run by the steps of the standard. It shares nothing with
  /// the matcher of components without the author's regular expressions.
  private struct Reference {
    let regexes: [(component: URLComponent, regex: JavaScriptRegex)]

    init(_ syntax: URLPatternSyntax) throws {
      regexes = try URLComponent.allCases.map { component in
        let text = String(decoding: syntax[component].regexp.text, as: UTF8.self)
        return (component, try JavaScriptRegex(text, ignoresCase: syntax[component].options.ignoresCase))
      }
    }

    func matches(_ record: URLRecord) -> Ternary {
      var truth = Ternary.yes
      for (component, regex) in regexes {
        let text = Array(record.bytes[record.range(of: component)])
        switch regex.match(text.span) {
        case .noMatch: return .no
        case .tooCostly: truth = .unknown
        case .groups: break
        }
      }
      return truth
    }

    /// The protocols of random patterns are few and short.
    static func takesSpecialScheme(_ component: PatternComponent) -> Bool {
      guard let regex = try? JavaScriptRegex(String(decoding: component.regexp.text, as: UTF8.self)) else {
        return false
      }
      return URLPatternSyntax.specialSchemes.contains { scheme in
        if case .groups = regex.match(scheme.span) { true } else { false }
      }
    }
  }

  private func makePattern(
    _ random: inout SeededGenerator
  ) -> (pattern: URLPattern, reference: Reference, parts: URLPatternInit)? {
    let ignoresCase = random.oneIn(5)
    let parts = patterns.parts(&random)
    let text = random.oneIn(2) ? patterns.text(&random) : nil
    do {
      if let text {
        let pattern = try URLPattern(text, ignoreCase: ignoresCase)
        let syntax = try URLPatternSyntax(
          text, base: nil, ignoresCase: ignoresCase, isSpecial: Reference.takesSpecialScheme)
        return (pattern, try Reference(syntax), shown(pattern))
      }
      let pattern = try URLPattern(parts, ignoreCase: ignoresCase)
      let syntax = try URLPatternSyntax(
        parts, base: nil, ignoresCase: ignoresCase, isSpecial: Reference.takesSpecialScheme)
      return (pattern, try Reference(syntax), parts)
    } catch {
      return nil
    }
  }

  private func shown(_ pattern: URLPattern) -> URLPatternInit {
    var parts = URLPatternInit()
    for component in URLComponent.allCases where pattern.text(of: component) != "*" {
      parts[component] = pattern.text(of: component)
    }
    return parts
  }

  @Test
  func theFastMatcherAgreesWithTheStandardsRegularExpressions() throws {
    var random = SeededGenerator()
    let note = random.note
    let runner = RegexRunner()
    var matched = 0
    var unknown = 0
    var count = 0
    for _ in 0..<Effort.scaled(12_000) {
      guard let (pattern, reference, parts) = makePattern(&random) else { continue }
      for round in 0..<6 {
        let text = round < 4 ? patterns.url(like: parts, &random) : patterns.url(&random)
        guard let record = URLRecord(text) else { continue }
        runner.beginDecision(subjectBytes: record.bytes.count)
        let found = pattern.matches(record, runner)
        let expected = reference.matches(record)
        count += 1
        if found == .yes { matched += 1 }
        if found == .unknown || expected == .unknown { unknown += 1 }
        guard found != .unknown, expected != .unknown else { continue }
        #expect(found == expected, "`\(text)` and \(pattern.componentText): \(note)")
      }
    }
    #expect(matched > count / 10, "\(note)")
    #expect(unknown < count / 1000, "\(note)")
  }

  @Test
  func wheneverAPatternMayMatchOneOfItsKeysHolds() throws {
    var random = SeededGenerator()
    let note = random.note
    let runner = RegexRunner()
    var keyed = 0
    for _ in 0..<Effort.scaled(12_000) {
      guard let (pattern, _, parts) = makePattern(&random), let keys = pattern.keys else { continue }
      for round in 0..<6 {
        let text = round < 4 ? patterns.url(like: parts, &random) : patterns.url(&random)
        var subject = URLSubject()
        subject.read(text)
        guard subject.kind == .url else { continue }
        // Now and then there is no budget, and every answer that costs something is unknown.
        runner.beginDecision(subjectBytes: random.oneIn(4) ? Int.max : subject.judged.bytes.count)
        guard pattern.matches(subject.judged, runner) != .no else { continue }
        keyed += 1
        #expect(keys.contains { holds($0, subject.judged) }, "`\(text)` and \(pattern.componentText): \(note)")
      }
    }
    #expect(keyed > Effort.scaled(3_000), "\(note)")
  }

  private func holds(_ key: IndexKey, _ judged: URLRecord) -> Bool {
    switch key {
    case .host(let name, let below, let path):
      let host = Array(judged.bytes[judged.hostRange])
      let isBelow = below && judged.hostKind == .domain && host.suffix(name.count + 1) == [UInt8(ascii: ".")] + name
      return (host == name || isBelow) && judged.bytes[judged.pathRange].starts(with: path)
    case .url(let href): return judged.bytes == href
    case .text(let pattern):
      let runner = RegexRunner()
      runner.beginDecision(subjectBytes: 64)
      return (try? Regex(pattern).matches(judged.bytes.span, runner)) == .yes
    case .list, .network: return false
    }
  }
}
