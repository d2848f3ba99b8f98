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

  @Test func hiddenNamesAreIgnored() {
    let result = load([
      "policy.d/a.yaml": app, "policy.d/.hidden.yaml": "[", "policy.d/.a.yaml.swp": "[", "rules/.x.yml": "[",
      "rules/lists/x.txt": "[", "notes.yaml": "[", "rules/.git/x.yaml": "[",
    ])
    #expect(result.files == ["c/policy.d/a.yaml"])
    #expect(result.diagnostics.isEmpty)
  }

  /// Review, section 3, item 2: a protection in a file that is skipped restricts nobody.
  @Test(arguments: [
    ("policy.d/20-protections.yml", "did you mean `20-protections.yaml`?"),
    ("webviewguard.yml", "did you mean `webviewguard.yaml`?"),
    ("policy.d/README", "let its name end in `.yaml`, begin it with a dot so that it is skipped, or move it away"),
    ("policy.d/a.yaml.bak", "let its name end in `.yaml`, begin it with a dot so that it is skipped, or move it away"),
    ("rules/sites.yml", "did you mean `sites.yaml`?"), ("rules/lists/sites.yml", "did you mean `sites.yaml`?"),
    (
      "rules/common/notes.txt",
      "let its name end in `.yaml`, begin it with a dot so that it is skipped, or move it away"
    ),
  ])
  func filesByAnotherNameAreErrors(_ name: String, _ hint: String) {
    let result = load(["policy.d/a.yaml": app, name: "protections: {}"])
    #expect(
      result.diagnostics.description == """
        c/\(name):1:1: error: the name does not end in `.yaml`, so that it would not be read [wrong-extension]
          hint: \(hint)
        """)
    #expect(result.policy == nil)
  }

  /// Review, behaviour 19: a file of comments only says nothing; one without a byte was cut off.
  @Test(arguments: ["# nothing yet", "\n  # a\n\t# b\r\n\n", "# policyRequired: false\n"])
  func filesOfCommentsAreEmptyConfigurations(_ text: String) {
    let result = load(["policy.d/a.yaml": app, "webviewguard.yaml": text, "policy.d/b.yaml": text])
    #expect(result.diagnostics.isEmpty)
    #expect(result.settings?.policyRequired == true && result.policy != nil)
    for empty in ["", "\n", "  \n\n"] {
      #expect(load(["policy.d/a.yaml": app, "webviewguard.yaml": empty]).diagnostics.hasErrors)
    }
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
    let wide = (0...4096).map { ("rules/lists/\($0).txt", "") }
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
