import Glibc
import PolicyEngine
import PolicyFiles
import Testing

/// The loader on a real directory: links, pipes, permissions.
@Suite struct ConfigurationSystemFilesTests {
  /// A new directory, which `body` gets and which is gone afterwards.
  private func withDirectory(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/webviewguard-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    let path = try #require(made)
    defer { remove(path) }
    try body(path)
  }

  private func remove(_ path: String) {
    for entry in (try? SystemFiles().entries(of: path)) ?? [] {
      let child = path + "/" + entry.name
      if unlink(child) != 0 { remove(child) }
    }
    rmdir(path)
  }

  private func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    #expect(fputs(text, file) >= 0)
    fclose(file)
  }

  @Test func readsFilesAndLinksAndNothingElse() throws {
    try withDirectory { root in
      mkdir(root + "/policy.d", 0o755)
      try write("apps: { x: {} }", to: root + "/outside")
      symlink("../outside", root + "/policy.d/link.yaml")
      symlink("nowhere", root + "/policy.d/broken.yaml")
      mkfifo(root + "/policy.d/pipe.yaml", 0o600)
      let result = ConfigurationLoader(roots: [root]).load()
      #expect(result.files == [root + "/policy.d/link.yaml"])
      #expect(
        result.diagnostics.sorted.map(\.location.file) == [
          root + "/policy.d/broken.yaml", root + "/policy.d/pipe.yaml",
        ])
      #expect(result.diagnostics.sorted.map(\.code) == [.notARegularFile, .notARegularFile])
      unlink(root + "/policy.d/broken.yaml")
      unlink(root + "/policy.d/pipe.yaml")
      #expect(ConfigurationLoader(roots: [root]).load().policy?.apps.map(\.name) == ["x"])
    }
  }

  @Test func problemsAreTheSystemsOwn() throws {
    try withDirectory { root in
      let files = SystemFiles()
      #expect(throws: FileProblem.missing) { try files.read(root + "/none", limit: 1) }
      #expect(throws: FileProblem.missing) { try files.entries(of: root + "/none") }
      #expect(throws: FileProblem.notARegularFile) { try files.read(root, limit: 1) }
      try write("12345", to: root + "/five")
      #expect(throws: FileProblem.tooLarge) { try files.read(root + "/five", limit: 4) }
      #expect(throws: FileProblem.system("Not a directory")) { try files.read(root + "/five/x", limit: 4) }
      #expect(try files.read(root + "/five", limit: 5) == Array("12345".utf8))
      #expect(files.kind(of: root + "/five") == .regular)
      #expect(files.kind(of: root) == .directory)
      #expect(files.workingDirectory.hasPrefix("/"))
    }
  }

  @Test func namesAreResolvedByTheSystem() {
    #expect(SystemNames().userID(named: "root") == 0)
    #expect(SystemNames().groupID(named: "root") == 0)
    #expect(SystemNames().groupID(named: "no such group") == nil)
    #expect(SystemNames().userID(named: "") == nil)
  }
}
