import PolicyFiles
import Testing
import URLRules

@Suite struct RuleFileLoaderTests {
  private let main = "ruleSet: s\ndefault: external\nrules: [{ include: common/b.yaml }]"
  private let fragment = "rules: [{ id: x, internal: { host: a.example } }]"

  private func load(_ path: String, _ files: [String: String], in directory: String = "/home/admin")
    -> RuleFileLoader.Result
  {
    var memory = MemoryFiles(files)
    memory.workingDirectory = directory
    return RuleFileLoader(files: memory).load(path)
  }

  @Test func includesBeginAtTheNearestDirectoryCalledRules() {
    let result = load(
      "/rules/x/rules/sets/a.yaml", ["/rules/x/rules/sets/a.yaml": main, "/rules/x/rules/common/b.yaml": fragment])
    #expect(result.diagnostics.description == "")
    #expect(result.ruleSet?.rules.map(\.id) == ["b/x"])
    #expect(result.files == ["/rules/x/rules/common/b.yaml", "/rules/x/rules/sets/a.yaml"])
  }

  @Test func withoutSuchADirectoryTheyBeginBesideTheFile() {
    #expect(load("a.yaml", ["a.yaml": main, "common/b.yaml": fragment]).ruleSet?.name == "s")
    #expect(load("dir/a.yaml", ["dir/a.yaml": main, "dir/common/b.yaml": fragment]).ruleSet?.name == "s")
    #expect(load("../a.yaml", ["../a.yaml": main, "../common/b.yaml": fragment], in: "/c/rules").ruleSet?.name == "s")
  }

  @Test func theWorkingDirectoryMayLieBelowRules() {
    let files = ["a.yaml": main, "/c/rules/common/b.yaml": fragment]
    #expect(load("a.yaml", files, in: "/c/rules/sets").ruleSet?.rules.map(\.id) == ["b/x"])
  }

  @Test func errorsOfIncludedFilesCount() {
    let result = load("rules/a.yaml", ["rules/a.yaml": main, "rules/common/b.yaml": "rules: [{ id: x }]"])
    #expect(result.ruleSet == nil)
    #expect(
      result.diagnostics.description
        == "rules/common/b.yaml:1:9: error: one of the keys `internal`, `external` is missing [missing-key]")
  }

  @Test func fileThatIncludesItselfEnds() {
    let result = load("rules/a.yaml", ["rules/a.yaml": "ruleSet: s\ndefault: external\nrules: [{ include: a.yaml }]"])
    #expect(result.diagnostics.sorted.map(\.code) == [.includeCycle])
  }
}
