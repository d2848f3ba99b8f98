internal import URLRules

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
