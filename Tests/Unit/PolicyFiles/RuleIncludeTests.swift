import PolicyFiles
import Testing
import URLRules

@Suite struct RuleIncludeTests {
  private func set(_ rules: String, name: String = "s") -> String {
    "ruleSet: \(name)\ndefault: external\nrules:\n\(rules)"
  }

  private func loadRules(_ files: [String: String]) -> LoadResult {
    var all = Dictionary(uniqueKeysWithValues: files.map { ("rules/" + $0.key, $0.value) })
    all["policy.d/a.yaml"] = "apps: { x: {} }"
    return load(all)
  }

  @Test func rulesAreSplicedInPlaceUnderTheNameOfTheirFile() {
    let result = loadRules([
      "a.yaml": set(
        "  - { id: one, internal: { port: 1 } }\n  - include: b/c.yaml\n  - { id: two, internal: { port: 2 } }"),
      "b/c.yaml":
        "rules:\n  - { id: x, internal: { port: 3 } }\n  - include: d.yaml\n  - { id: y, internal: { port: 4 } }",
      "d.yaml": set("  - { id: z, internal: { port: 5 } }", name: "shared"),
    ])
    #expect(result.diagnostics.description == "")
    #expect(
      result.tests.map { $0.ruleSet.rules.map(\.id) } == [
        ["one", "c/x", "c/shared/z", "c/y", "two"], ["z"],
      ])
    #expect(
      result.tests.first?.ruleSet.rules.map(\.location) == [
        "c/rules/a.yaml:4:5", "c/rules/b/c.yaml:2:5", "c/rules/d.yaml:4:5", "c/rules/b/c.yaml:4:5",
        "c/rules/a.yaml:6:5",
      ])
  }

  @Test func cyclesAreToldOnceWithTheirChain() {
    let result = loadRules([
      "a.yaml": set("  - include: b.yaml"), "b.yaml": "rules: [{ include: c.yaml }]",
      "c.yaml": "rules: [{ include: b.yaml }]", "self.yaml": "rules: [{ include: self.yaml }]",
    ])
    #expect(
      result.diagnostics.description == """
        c/rules/c.yaml:1:20: error: the file includes itself: `b.yaml` -> `c.yaml` -> `b.yaml` [include-cycle]
          hint: remove one of these includes
        c/rules/self.yaml:1:20: error: the file includes itself: `self.yaml` -> `self.yaml` [include-cycle]
          hint: remove one of these includes
        """)
  }

  @Test func includingAFileTwiceGivesItsIdsTwice() {
    let result = loadRules([
      "a.yaml": set("  - include: b.yaml\n  - include: b.yaml\n  - include: x/b.yaml"),
      "b.yaml": "rules: [{ id: x, internal: { port: 1 } }, { id: y, internal: { port: 1 } }]",
      "x/b.yaml": "rules: [{ id: y, internal: { port: 2 } }]",
    ])
    #expect(
      result.diagnostics.description == """
        c/rules/a.yaml:5:14: error: rule `b/x` is defined already at c/rules/b.yaml:1:15 [defined-twice]
          hint: every rule of a rule set needs an id of its own; a file can be included once
        c/rules/a.yaml:6:14: error: rule `b/y` is defined already at c/rules/b.yaml:1:49 [defined-twice]
          hint: every rule of a rule set needs an id of its own; a file can be included once
        """)
  }

  @Test func namesStayBelowTheDirectory() {
    let result = loadRules([
      "a.yaml": set(
        """
          - include: ../policy.d/a.yaml
          - include: /etc/passwd.yaml
          - include: ./b.yaml
          - include: rules/b.yaml
          - include: b
          - include: bb.yaml
          - include: elsewhere.yaml
        """),
      "b.yaml": "rules: []",
    ])
    let invalid =
      "[invalid-include]\n  hint: write it as in `common/sign-in.yaml`, without `..` and without `/` in front"
    #expect(
      result.diagnostics.description == """
        c/rules/a.yaml:4:14: error: `../policy.d/a.yaml` is not a name below the directory `rules` \(invalid)
        c/rules/a.yaml:5:14: error: `/etc/passwd.yaml` is not a name below the directory `rules` \(invalid)
        c/rules/a.yaml:6:14: error: `./b.yaml` is not a name below the directory `rules` \(invalid)
        c/rules/a.yaml:7:14: error: there is no rule file `rules/b.yaml` [include-not-found]
          hint: names begin below `rules`: write `b.yaml`
        c/rules/a.yaml:8:14: error: `b` is not a name below the directory `rules` \(invalid)
        c/rules/a.yaml:9:14: error: there is no rule file `bb.yaml` [include-not-found]
          hint: did you mean `b.yaml`?
        c/rules/a.yaml:10:14: error: there is no rule file `elsewhere.yaml` [include-not-found]
          hint: names begin below the directory `rules`
        """)
  }

  @Test func nestingEnds() {
    var files = ["a.yaml": set("  - include: n0.yaml")]
    for number in 0..<20 { files["n\(number).yaml"] = "rules: [{ include: n\(number + 1).yaml }]" }
    files["n20.yaml"] = "rules: []"
    #expect(
      loadRules(files).diagnostics.description
        == "c/rules/n14.yaml:1:20: error: includes are nested deeper than 16 [include-too-deep]")
  }

  /// Twelve files that each include the next two: 4096 ways to the last one.
  @Test func includesThatMultiplyEnd() {
    var files = ["a.yaml": set("  - include: l0.yaml\n  - include: r0.yaml")]
    for number in 0..<11 {
      for side in ["l", "r"] {
        files["\(side)\(number).yaml"] = "rules: [{ include: l\(number + 1).yaml }, { include: r\(number + 1).yaml }]"
      }
    }
    files["l11.yaml"] = "rules: []"
    files["r11.yaml"] = "rules: []"
    let result = loadRules(files)
    #expect(
      result.diagnostics.sorted.first?.description
        == "c/rules/a.yaml:4:14: error: a rule set with more than 1000 includes, with those of its includes "
        + "[too-many-rules]"
    )
    #expect(result.policy == nil)
  }

  @Test func ruleSetsOfOneNameAreAnError() {
    #expect(
      loadRules(["a.yaml": set("  []"), "b.yaml": set("  []")]).diagnostics.description == """
        c/rules/b.yaml:1:10: error: rule set `s` is defined already at c/rules/a.yaml:1:10 [defined-twice]
          hint: keep one of the two
        """)
  }

  @Test func testsMayNameIncludedRules() {
    let tests =
      "\ntests:\n  - { url: \"https://x:5/\", expect: internal, rule: b/x }\n"
      + "  - { url: x, expect: invalidURL, rule: b/z }"
    let result = loadRules([
      "a.yaml": set("  - include: b.yaml") + tests, "b.yaml": "rules: [{ id: x, internal: { port: 5 } }]",
    ])
    #expect(
      result.diagnostics.description == """
        c/rules/a.yaml:7:41: error: unknown rule `b/z` [unknown-reference]
          hint: did you mean `b/x`?
        """)
  }
}
