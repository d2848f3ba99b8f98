package import URLRules

/// One test of a rule file: a URL, or a chain of redirects, and the expected answers of the rules.
///
///     { url: "https://mail.contoso.com/", expect: internal, rule: tenant }
///     { chain: [ { url: "https://a.example/", expect: external }, { url: "https://b.example/", expect: internal } ] }
///
/// A test states its whole context: without `hop` it is no hop, without `from` and `document` these are unknown.
package struct RuleTest: Sendable, Hashable {
  /// One step, or those of a chain.
  package var steps: [RuleTestStep]
  package var isChain: Bool
  /// The place of the test.
  package var location: SourceLocation

  package init(steps: [RuleTestStep], isChain: Bool = false, location: SourceLocation) {
    self.steps = steps
    self.isChain = isChain
    self.location = location
  }
}

/// One URL of a test, with its context and the expected answer.
package struct RuleTestStep: Sendable, Hashable {
  /// The word that stands for the fall-through where a rule's id is expected.
  package static let defaultRule = "default"

  package var question: RuleQuestion
  package var expect: ExpectedVerdict
  /// The id of the rule that must decide, or `default`; nil when any may.
  package var rule: String?
  /// The time, in seconds since 1970; nil for a time at which no rule has expired, so that no date breaks the test.
  package var at: Int64?
  package var location: SourceLocation

  package init(
    question: RuleQuestion, expect: ExpectedVerdict, rule: String? = nil, at: Int64? = nil, location: SourceLocation
  ) {
    self.question = question
    self.expect = expect
    self.rule = rule
    self.at = at
    self.location = location
  }
}

/// The answer that a test expects: a verdict, or that the text is no URL.
package enum ExpectedVerdict: String, Sendable, Hashable, CaseIterable {
  case `internal`
  case external
  case invalidURL
}

/// The tests of one rule set.
package struct RuleSetTests: Sendable {
  /// Rules that only monitor are in force here, so that tests prove the future behaviour; a step with `at` is asked as
  /// the rules stand at that time.
  package var ruleSet: RuleSet
  package var tests: [RuleTest]
  /// The rule file they stand in.
  package var file: String

  package init(ruleSet: RuleSet, tests: [RuleTest], file: String) {
    self.ruleSet = ruleSet.enforced
    self.tests = tests
    self.file = file
  }
}

/// One test as it is written, with the places of the rules it names.
struct RuleTestDraft: Sendable {
  var test: RuleTest
  /// The rules that the steps name, to be looked up when all includes are known.
  var rules: [Located<String>]

  static var decoder: YAMLDecoder<RuleTestDraft> {
    .mapping { reader in
      reader.has("chain") ? chain(&reader) : single(&reader)
    }
  }

  private static func single(_ reader: inout MappingReader) -> RuleTestDraft? {
    let url = reader.required("url", .string)
    let from = reader.optional("from", .string)
    let document = reader.optional("document", .string)
    let hop = reader.optional("hop", .bool)
    let purposes = reader.optional("for", RuleFileReader.purposes)
    let time = reader.optional("at", PointInTime.decoder(day: .beginning))
    let expect = reader.required("expect", .choice(of: ExpectedVerdict.self))
    let rule = reader.optional("rule", .located(.nonEmptyString))
    guard let url, let expect else { return nil }
    let question = RuleQuestion(
      url: url, document: document, from: from, hop: hop ?? false, purpose: purposes ?? .page)
    let step = RuleTestStep(question: question, expect: expect, rule: rule?.value, at: time, location: reader.location)
    return RuleTestDraft(
      test: RuleTest(steps: [step], location: reader.location), rules: [rule].compactMap(\.self))
  }

  /// Each step comes from the URL of the step before, and is a hop from the second on.
  private static func chain(_ reader: inout MappingReader) -> RuleTestDraft? {
    let links = reader.required("chain", .list(of: link, atLeast: 1))
    let document = reader.optional("document", .string)
    var from = reader.optional("from", .string)
    let purposes = reader.optional("for", RuleFileReader.purposes)
    let time = reader.optional("at", PointInTime.decoder(day: .beginning))
    guard let links else { return nil }
    var steps: [RuleTestStep] = []
    for link in links {
      let question = RuleQuestion(
        url: link.url, document: document, from: from, hop: link.hop ?? !steps.isEmpty, purpose: purposes ?? .page)
      steps.append(
        RuleTestStep(question: question, expect: link.expect, rule: link.rule?.value, at: time, location: link.location)
      )
      from = link.url
    }
    return RuleTestDraft(
      test: RuleTest(steps: steps, isChain: true, location: reader.location), rules: links.compactMap(\.rule))
  }

  private struct Link {
    var url: String
    var expect: ExpectedVerdict
    var rule: Located<String>?
    var hop: Bool?
    var location: SourceLocation
  }

  private static var link: YAMLDecoder<Link> {
    .mapping { reader in
      let url = reader.required("url", .string)
      let expect = reader.required("expect", .choice(of: ExpectedVerdict.self))
      let rule = reader.optional("rule", .located(.nonEmptyString))
      let hop = reader.optional("hop", .bool)
      guard let url, let expect else { return nil }
      return Link(url: url, expect: expect, rule: rule, hop: hop, location: reader.location)
    }
  }
}
