import PolicyFiles
internal import PolicyTools
import Testing
import URLRules

/// Lints that look at whole files, at lists, or at a policy with its rule sets.
@Suite struct LintFileTests {
  /// Whoever writes `scheme: [http, https]` means it, and a test that names a rule says what it is there for.
  @Test func whatIsMeantIsAccepted() {
    let text = """
      ruleSet: s
      default: external
      rules:
        - { id: a, internal: { domain: contoso.com, scheme: [http, https] } }
        - { id: b, external: { domain: evil.example } }
      tests: [{ url: "https://evil.example/", expect: external, rule: b }]
      """
    #expect(LintTests.all(["r.yaml": text]) == "")
  }

  @Test func ruleSetWithoutTestsIsFound() {
    let text = """
      ruleSet: s
      default: external
      rules: [{ id: a, internal: { host: a.example, scheme: https, from: { host: b.example } } }]
      """
    let expected = #"""
      r.yaml:1:1: warning: nothing tests `s` [no-tests]
        witness: `https://a.example/` from `https://b.example/` is internal by `a`
        hint: begin with `tests: [{ url: "https://a.example/", from: "https://b.example/", expect: internal, rule: \#
      a }]`
      """#
    #expect(LintTests.all(["r.yaml": text]) == expected)
  }

  /// However many entries a list has, its rule is told once.
  @Test func listsWithoutSchemeAreFound() {
    let files = [
      "r.yaml": """
      ruleSet: s
      default: external
      rules:
        - { id: a, internal: { list: { file: lists/domains.txt, format: domains } } }
        - { id: b, internal: { list: { file: lists/filters.txt, format: urlFilters } } }
        - { id: c, internal: { list: { file: lists/domains.txt, format: domains }, scheme: https }, for: [frame] }
      tests: [{ url: "https://x.example/", expect: external }]
      """,
      "lists/domains.txt": "contoso.com\nfabrikam.com\n",
      "lists/filters.txt": "northwind.com\nhttps://adventure.com\n",
    ]
    let expected = """
      r.yaml:4:5: warning: `a` takes `http:` on every port, which anybody on the way can write [plain-http]
        witness: `http://contoso.com:8080/` is internal by `a`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      r.yaml:5:5: warning: `b` takes `http:` on every port, which anybody on the way can write [plain-http]
        witness: `http://northwind.com:8080/` is internal by `b`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      """
    #expect(LintTests.all(files) == expected)
  }

  @Test func listsThatOverlapAreFound() {
    let files = [
      "r.yaml": """
      ruleSet: s
      default: external
      rules:
        - { id: a, internal: { list: { file: lists/in.txt, format: domains }, scheme: https } }
        - { id: b, external: { list: { file: lists/out.txt, format: domains } }, then: block }
      tests: [{ url: "https://x.example/", expect: external }]
      """,
      "lists/in.txt": "contoso.com\nb.example\nshop.example\nco.uk\n",
      "lists/out.txt": "evil.test\nmail.contoso.com\nb.example\nexample\nc.uk\n",
    ]
    let expected = """
      lists/in.txt:4:1: warning: `co.uk` is a public suffix, so the entry takes every site below it [public-suffix]
        hint: name the sites, if these are not all meant
      r.yaml:5:5: warning: `b` takes `b.example`, `mail.contoso.com`, `shop.example` by `lists/out.txt`, as `a` before it \
      does by `lists/in.txt` [list-overlap]
        witness: `https://b.example/` is internal by `a`
        hint: where both hold the rule that comes first decides; remove them from one list when that is not meant
      """
    #expect(LintTests.all(files) == expected)
  }

  @Test func filtersThatDoNothingAreFound() {
    let rules = """
        - { id: a, external: { chromium: { block: ["*", contoso.com, b.example, b.example], allow: [contoso.com] } } }
        - { id: b, internal: { domain: a.example, scheme: https } }
      """
    let expected = """
      r.yaml:4:51: warning: `contoso.com` does nothing: the same filter allows it, and wins [hidden-filter]
        hint: `https://contoso.com/` shows it
      r.yaml:4:64: warning: `b.example` does nothing: `*` in its list takes all that it takes [hidden-filter]
        hint: `https://b.example/` shows it
      r.yaml:4:75: warning: `b.example` stands in this list before [hidden-filter]
        hint: `https://b.example/` shows it
      """
    #expect(LintTests.findings(rules) == expected)
  }

  /// Filters of `filter` are read as those of Chromium's policies, and deceive in the same ways.
  @Test func filtersOfRulesThatDoNothingAreFound() {
    let rules = """
        - { id: a, internal: { filter: "wss://chat.contoso.com" } }
        - { id: b, internal: { filter: ["https://a*b.example", "https://c.example", "https://d.c.example"] } }
        - { id: c, external: { host: x.example, not: { filter: "0x7f.1" } }, then: block }
        - { id: d, internal: { filter: ["https://e.example", "https://f.example"] } }
      """
    let expected = """
      r.yaml:4:34: warning: `wss://chat.contoso.com` has a scheme that no URL which is judged has [hidden-filter]
        hint: `wss://chat.contoso.com/` shows it
      r.yaml:5:35: warning: `https://a*b.example` has a `*` that stands for itself [hidden-filter]
        hint: `https://axb.example/` shows it
      r.yaml:5:79: warning: `https://d.c.example` does nothing: `https://c.example` in its list takes all that it \
      takes [hidden-filter]
        hint: `https://d.c.example/` shows it
      r.yaml:6:58: warning: `0x7f.1` has a host that no web page has: write it as a browser shows it \
      [hidden-filter]
        hint: `http://127.0.0.1/` shows it
      """
    #expect(LintTests.findings(rules) == expected)
  }

  @Test func policiesAreLinted() {
    let files = [
      "c/policy.d/app.yaml": """
      apps:
        one.example:
          peers: [{ sameUser: true }]
          classes:
            page: { externalURLs: open, subFrames: true }
      protections:
        loose: { accounts: [anna@contoso.com], webTransfer: any }
      """,
      "c/rules/open.yaml": """
      ruleSet: open
      default: internal
      rules:
        - { id: evil, external: { domain: evil.example } }
      tests: [{ url: "https://evil.example/", expect: external }]
      """,
      "c/rules/unused.yaml": """
      ruleSet: unused
      default: external
      rules:
        - { id: ours, internal: { domain: contoso.com, scheme: https } }
      tests: [{ url: "https://x.example/", expect: external }]
      """,
    ]
    let result = ConfigurationLoader(roots: ["c"], files: MemoryFiles(files), resolver: FixedNames()).load()
    let sets = result.tests.map { LintedRules($0, at: LintTests.time, LintTests.suffixes) }
    let expected = """
      c/policy.d/app.yaml:5:7: warning: class `page` has rules that call every URL internal which they do not name \
      [internal-default]
        witness: `https://somebody-else.example/` is internal by `default`
        hint: write `default: external` in `open`, and name what is yours
      c/rules/open.yaml:2:10: warning: what `open` calls external loads in place all the same \
      [external-without-effect]
        witness: `https://evil.example/` is external by `evil`
        hint: every protection says `webTransfer: any`; say what becomes of external pages there, or with `then` here
      c/rules/unused.yaml:1:1: warning: no class uses `unused` [unused-rule-set]
        witness: `https://contoso.com/` is internal by `ours`
        hint: name it in a class (`externalURLs`); else it counts only where an app asks for it by name
      """
    #expect(result.diagnostics.description == "")
    #expect(result.policy.map { PolicyLint($0, sets, at: LintTests.time).findings.description } == expected)
  }
}
