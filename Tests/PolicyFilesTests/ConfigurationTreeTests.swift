import PolicyEngine
import PolicyFiles
import Testing

@Suite struct ConfigurationTreeTests {
  private let app = "apps: { x: {} }"

  @Test func laterRootMasksFileOfTheSameName() {
    let files = MemoryFiles([
      "usr/policy.d/a.yaml": "apps: { a: {} }", "usr/policy.d/b.yaml": "apps: { b: {} }",
      "etc/policy.d/b.yaml": "apps: { c: {} }", "etc/webviewguard.yaml": "graceSeconds: 1",
      "usr/webviewguard.yaml": "graceSeconds: 2",
    ])
    let result = load(files, roots: ["usr", "etc/"])
    #expect(result.files == ["usr/policy.d/a.yaml", "etc/policy.d/b.yaml", "etc/webviewguard.yaml"])
    #expect(result.policy?.apps.map(\.name) == ["a", "c"])
    #expect(result.settings?.graceSeconds == 1)
    #expect(result.diagnostics.isEmpty)
  }

  @Test func keyInTwoFilesIsAnErrorEvenAcrossRoots() {
    let files = MemoryFiles(["usr/policy.d/a.yaml": app, "etc/policy.d/b.yaml": app])
    #expect(
      load(files, roots: ["usr", "etc"]).diagnostics.description == """
        etc/policy.d/b.yaml:1:9: error: app `x` is defined already at usr/policy.d/a.yaml:1:9 [defined-twice]
          hint: keep one of the two
        """)
  }

  @Test func onlyTheLastRootHasToExist() {
    let files = MemoryFiles(["etc/policy.d/a.yaml": app])
    #expect(load(files, roots: ["usr", "etc"]).diagnostics.isEmpty)
    let result = load(files, roots: ["etc", "home"])
    #expect(
      result.diagnostics.description == """
        home:1:1: error: the configuration directory does not exist [missing-directory]
          hint: make it, for instance with `webviewguard init`, or name another with `--config DIR`
        """)
    #expect(result.policy == nil)
  }

  @Test func rootThatIsAFileIsToldApart() {
    let result = load(MemoryFiles(["c/policy.d/a.yaml": app]), roots: ["c/policy.d/a.yaml"])
    #expect(
      result.diagnostics.description == """
        c/policy.d/a.yaml:1:1: error: the configuration directory is not a directory [missing-directory]
          hint: name the directory that holds `policy.d`, not a file in it
        """)
  }

  @Test func otherNamesAreIgnored() {
    let result = load([
      "policy.d/a.yaml": app, "policy.d/.hidden.yaml": "[", "policy.d/README": "[", "policy.d/a.yaml.bak": "[",
      "rules/lists/x.txt": "[", "notes.yaml": "[", "rules/.git/x.yaml": "[",
    ])
    #expect(result.files == ["c/policy.d/a.yaml"])
    #expect(result.diagnostics.isEmpty)
  }

  @Test func yamlFilesByAnotherNameAreWarnedOf() {
    let result = load(["policy.d/a.yaml": app, "policy.d/b.yml": "[", "webviewguard.yml": "["])
    #expect(
      result.diagnostics.description == """
        c/policy.d/b.yml:1:1: warning: files that end in `.yml` are not read [wrong-extension]
          hint: rename it, so that it ends in `.yaml`
        c/webviewguard.yml:1:1: warning: files that end in `.yml` are not read [wrong-extension]
          hint: rename it, so that it ends in `.yaml`
        """)
    #expect(result.policy != nil)
  }

  @Test func directoriesBelowPolicyAreWarnedOf() {
    #expect(
      load(["policy.d/a.yaml": app, "policy.d/more/b.yaml": app]).diagnostics.description == """
        c/policy.d/more:1:1: warning: directories in `policy.d` are not read [ignored-directory]
          hint: move its files up
        """)
  }

  @Test func emptyConfigurationIsWarnedOf() {
    var files = MemoryFiles([:])
    files.emptyDirectories = ["c"]
    #expect(
      load(files).diagnostics.description == """
        c:1:1: warning: the policy names no app, so nobody may ask [no-apps]
          hint: describe an app under `apps` in a file of `policy.d` that ends in `.yaml`
        """)
  }

  @Test func whatIsNoFileOrCannotBeReadIsAnError() {
    var files = MemoryFiles([
      "c/policy.d/a.yaml": app, "c/policy.d/dir.yaml/x": "", "c/rules": "",
      "c/policy.d/big.yaml": String(repeating: "#", count: 1 << 20) + "#",
    ])
    files.others = ["c/policy.d/pipe.yaml"]
    files.unreadable = ["c/policy.d/secret.yaml", "c/webviewguard.yaml"]
    let result = load(files)
    #expect(
      result.diagnostics.description == """
        c/policy.d/big.yaml:1:1: error: file has more than the 1048576 bytes allowed [file-too-large]
        c/policy.d/dir.yaml:1:1: error: not a regular file [not-a-regular-file]
          hint: put a file here, or a link to one, or remove it
        c/policy.d/pipe.yaml:1:1: error: not a regular file [not-a-regular-file]
          hint: put a file here, or a link to one, or remove it
        c/policy.d/secret.yaml:1:1: error: file cannot be read: Permission denied [unreadable-file]
        c/rules:1:1: error: the directory cannot be read: it does not exist [unreadable-directory]
        c/webviewguard.yaml:1:1: error: file cannot be read: Permission denied [unreadable-file]
        """)
    #expect(result.settings == nil)
  }

  @Test func endlessTreesAreCutOff() {
    let deep = "c/rules" + String(repeating: "/d", count: 9) + "/x.yaml"
    #expect(
      load(MemoryFiles(["c/policy.d/a.yaml": app, deep: "[]"])).diagnostics.description == """
        c/rules/d/d/d/d/d/d/d/d:1:1: error: directories are nested deeper than 8 [too-many-files]
          hint: is there a link that leads back to a directory above?
        """)
    let wide = (0...4096).map { ("rules/\($0).txt", "") }
    let result = load(Dictionary(uniqueKeysWithValues: wide + [("policy.d/a.yaml", app)]))
    #expect(
      result.diagnostics.description == """
        c:1:1: error: more than 4096 files and directories [too-many-files]
          hint: is there a link that leads back to a directory above?
        """)
  }

  @Test func digestCoversNamesAndBytesAndNotTheRoot() {
    let one = load(MemoryFiles(["a/policy.d/a.yaml": app, "a/policy.d/b.yaml": "{}"]), roots: ["a"])
    let copy = load(MemoryFiles(["b/policy.d/a.yaml": app, "b/policy.d/b.yaml": "{}"]), roots: ["b"])
    let renamed = load(MemoryFiles(["a/policy.d/a.yaml": app, "a/policy.d/c.yaml": "{}"]), roots: ["a"])
    let moved = load(MemoryFiles(["a/policy.d/a.yaml": app + "{", "a/policy.d/b.yaml": "}"]), roots: ["a"])
    #expect(one.digest == copy.digest)
    #expect(Set([one, renamed, moved].map(\.digest)).count == 3)
    // sha256 of 16 bytes of lengths, "policy.d/a.yaml" and the file, computed by another program.
    #expect(load(["policy.d/a.yaml": "{}"]).digest == Self.digestOfOneFile)
  }

  private static let digestOfOneFile = "9106425db91ea95aac6e14d9ebc71bdf296491411665a3e8be56dc4cd3a38434"
}
