import Glibc
import PolicyFiles
import Testing

/// Lists on a real disk: links, pipes, times, and files that change.
@Suite struct ListSystemFilesTests {
  private let root: String

  init() throws {
    var template = Array("/tmp/webviewguard-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    root = try #require(made) + "/"
    mkdir(root + "rules", 0o755)
    mkdir(root + "rules/lists", 0o755)
  }

  private func removeAll() {
    for name in ["a", "link", "out", "pipe", "far"] { unlink(root + "rules/lists/" + name) }
    for name in ["secret", "rules/lists", "rules"] where unlink(root + name) != 0 { rmdir(root + name) }
    rmdir(String(root.dropLast()))
  }

  private func write(_ text: String, to name: String) throws {
    let file = try #require(fopen(root + name, "w"))
    #expect(fputs(text, file) >= 0)
    fclose(file)
  }

  private func read(_ name: String) -> (file: ListFile?, problems: String) {
    var hosts = CollectedHosts()
    var diagnostics = Diagnostics()
    let place = ListPlace(below: root + "rules/", name: "lists/" + name)
    let file = ListReader(files: SystemFiles()).readHosts(place, .domains, into: &hosts, &diagnostics)
    return (file, diagnostics.sorted.map { "\($0.message) [\($0.code.rawValue)]" }.joined(separator: "\n"))
  }

  @Test func timeAndSizeAreThoseOfTheFile() throws {
    defer { removeAll() }
    try write("a.example\n", to: "rules/lists/a")
    var times = [timespec(tv_sec: 1_700_000_000, tv_nsec: 5), timespec(tv_sec: 1_700_000_001, tv_nsec: 7)]
    #expect(utimensat(AT_FDCWD, root + "rules/lists/a", &times, 0) == 0)
    symlink("a", root + "rules/lists/link")
    for name in ["a", "link"] {
      let file = try #require(read(name).file)
      #expect(file.modified == 1_700_000_001)
      #expect(file.storedBytes == 10)
    }
  }

  @Test func linksOutOfRulesAndOtherThingsAreRefused() throws {
    defer { removeAll() }
    try write("root:x:0:0\n", to: "secret")
    symlink("../../secret", root + "rules/lists/out")
    symlink("/etc/passwd", root + "rules/lists/far")
    symlink("nowhere", root + "rules/lists/link")
    mkfifo(root + "rules/lists/pipe", 0o600)
    #expect(read("out").problems == "the link leads out of the directory `rules` [unreadable-file]")
    #expect(read("far").problems == "the link leads out of the directory `rules` [unreadable-file]")
    #expect(read("link").problems == "file does not exist [unreadable-file]")
    #expect(read("pipe").problems == "not a regular file [not-a-regular-file]")
  }

  @Test func fileThatIsWrittenMeanwhileIsAProblem() throws {
    defer { removeAll() }
    try write("a.example\n", to: "rules/lists/a")
    let path = root + "rules/lists/a"
    func stream(_ change: () -> Void) throws(FileProblem) -> FileFacts {
      try SystemFiles().stream(path, below: root, limit: 100) { _ in
        change()
        return true
      }
    }
    #expect(try stream {}.size == 10)
    #expect(throws: FileProblem.changed) { try stream { try? write("b.example\n", to: "rules/lists/a") } }
    #expect(throws: FileProblem.changed) { try stream { truncate(path, 5) } }
    // Another file in its place is no change of this one.
    #expect(try stream { unlink(path) }.size == 5)
  }

  @Test func largeFilesAreRefusedBeforeTheyAreRead() throws {
    defer { removeAll() }
    try write("a.example\n", to: "rules/lists/a")
    truncate(root + "rules/lists/a", off_t(ListLimits.maximumBytes) + 1)
    #expect(read("a").problems == "file has more than the 268435456 bytes allowed [file-too-large]")
  }
}
