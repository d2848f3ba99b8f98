internal import GuardModel
import PolicyFiles
internal import PolicyTools
import TestSupport
import Testing
import URLRules

@Suite struct RuleBoundariesTests {
  private func load(_ text: String) throws -> RuleSetTests {
    let result = RuleFileLoader(files: MemoryFiles(["r.yaml": text])).load("r.yaml")
    #expect(!result.diagnostics.hasErrors, "\(result.diagnostics.description)")
    return try #require(result.tests)
  }

  private static let rules = """
    ruleSet: s
    default: external
    rules:
      - { id: guests, external: { host: guests.contoso.com } }
      - { id: ours, internal: { domain: contoso.com, scheme: https } }
      - { id: loop, internal: { host: 127.0.0.1, scheme: http, from: { domain: contoso.com }, hop: true } }
      - { id: never, internal: { domain: contoso.com, scheme: https } }
    tests:
      - { url: "mailto:x@contoso.com", expect: external }
      - { url: "https://user@mail.contoso.com/", expect: external }
      - { url: "https://mail.contoso.com/a/b?q", expect: internal, rule: ours }

    """

  @Test func theNeighboursOfATestedURL() throws {
    let boundaries = try #require(RuleBoundaries(of: 1, in: try load(Self.rules)))
    #expect(boundaries.witness.question.url == "https://mail.contoso.com/a/b?q")
    #expect(!boundaries.isMadeUp)
    let lines = boundaries.neighbours.map { neighbour in
      let step = neighbour.step
      let mark = neighbour.differs ? "*" : " "
      return "\(mark) \(neighbour.change): \(step.question.url) \(step.rule ?? step.expect.rawValue)"
    }
    #expect(
      lines.joined(separator: "\n") == """
          upper case in the host: https://MAIL.CONTOSO.COM/a/b?q ours
          a dot behind the host: https://mail.contoso.com./a/b?q ours
          sub-domain: https://www.mail.contoso.com/a/b?q ours
          parent domain: https://contoso.com/a/b?q ours
          longer name: https://evilmail.contoso.com/a/b?q ours
        * longer domain: https://evilcontoso.com/a/b?q default
        * two dots behind the host: https://mail.contoso.com../a/b?q default
        * look-alike letter: https://mail.xn--contos-1qf.com/a/b?q default
        * look-alike digit: https://mail.contos0.com/a/b?q default
        * as the beginning of another name: https://mail.contoso.com.evil.example/a/b?q default
        * user name: https://user@mail.contoso.com/a/b?q default
        * as a user name: https://mail.contoso.com@evil.example/a/b?q default
          `\\` and `@` behind the host: https://mail.contoso.com\\@evil.example/a/b?q ours
        * `\\` before the host: https://evil.example\\.mail.contoso.com/a/b?q default
        * as the path of another host: https://evil.example/mail.contoso.com/a/b?q default
        * scheme `http`: http://mail.contoso.com/a/b?q default
        * scheme `ftp`: ftp://mail.contoso.com/a/b?q default
          port 8443: https://mail.contoso.com:8443/a/b?q ours
          upper case in the path: https://mail.contoso.com/A/B?q ours
          slash at the end: https://mail.contoso.com/a/b/?q ours
          doubled slash: https://mail.contoso.com//a/b?q ours
          encoded slash: https://mail.contoso.com/a%2Fb?q ours
          encoded letter: https://mail.contoso.com/%61/b?q ours
          `\\` for `/`: https://mail.contoso.com\\a\\b?q ours
          a step up again: https://mail.contoso.com/x/../a/b?q ours
          an encoded step up again: https://mail.contoso.com/x/%2e%2e/a/b?q ours
          only the host: https://mail.contoso.com/ ours
          another path: https://mail.contoso.com/x ours
          query: https://mail.contoso.com/a/b?q&x=1 ours
          without the query: https://mail.contoso.com/a/b ours
          fragment: https://mail.contoso.com/a/b?q#x ours
          as a redirect: https://mail.contoso.com/a/b?q ours
        """)
  }

  @Test func addressesAndHowTheyWereReached() throws {
    let boundaries = try #require(RuleBoundaries(of: 2, in: try load(Self.rules)))
    #expect(boundaries.isMadeUp)
    #expect(boundaries.witness.question.url == "http://127.0.0.1/")
    let texts = Set(boundaries.neighbours.map { "\($0.change): \($0.step.question.url) \($0.step.expect.rawValue)" })
    #expect(texts.contains("address as one number: http://2130706433/ internal"))
    #expect(texts.contains("address mapped to IPv6: http://[::ffff:127.0.0.1]/ external"))
    #expect(texts.contains("as the beginning of another name: http://127.0.0.1.evil.example/ external"))
    #expect(texts.contains("from a page that is not known: http://127.0.0.1/ external"))
    #expect(texts.contains("from another page: http://127.0.0.1/ external"))
    #expect(texts.contains("without a redirect: http://127.0.0.1/ external"))
    #expect(!texts.contains { $0.hasPrefix("sub-domain") || $0.hasPrefix("parent") })
  }

  @Test func aRuleThatDecidesNothingHasNone() throws {
    let tests = try load(Self.rules)
    #expect(RuleBoundaries(of: 3, in: tests) == nil)
    #expect(RuleBoundaries(of: 4, in: tests) == nil)
  }

  /// All that is written can be pasted below `tests:` and passes.
  @Test func everyNeighbourPassesWhenPasted() throws {
    var random = SeededGenerator()
    let rules = try RandomRules()
    var count = 0
    for _ in 0..<Effort.scaled(200) {
      let ruleSet = rules.ruleSet(&random)
      let tests = RuleSetTests(ruleSet: ruleSet, tests: [], file: "r.yaml")
      let found = ruleSet.numbered.compactMap { RuleBoundaries(of: $0.number, in: tests) }
      let lines = found.flatMap { [$0.witness] + $0.neighbours.map(\.step) }.map { "  - \($0.yaml)\n" }
      count += lines.count
      guard !lines.isEmpty else { continue }
      let ids = ruleSet.rules.map { "  - { id: \($0.id), external: { host: \($0.id).example } }\n" }.joined()
      let file = "ruleSet: s\ndefault: external\nrules:\n\(ids)tests:\n\(lines.joined())"
      let pasted = try load(file)
      #expect(pasted.tests.count == lines.count, "\(random.note)")
      let runner = RuleTestRunner(ruleSet)
      let failures = pasted.tests.map(runner.run).flatMap(\.steps).compactMap(\.failure)
      #expect(failures == [], "\(random.note)")
    }
    #expect(count > Effort.scaled(10_000), "\(random.note)")
  }
}
