import Foundation
import Platform
import Testing

/// A directory for one test.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/wvg-platform-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func place(_ name: String) -> String { path + "/" + name }

  @discardableResult
  func file(_ name: String, _ bytes: [UInt8] = [], mode: mode_t = 0o600) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: place(name)))
    try #require(chmod(place(name), mode) == 0)
    return place(name)
  }

  func link(_ name: String, to target: String) throws -> String {
    try #require(symlink(target, place(name)) == 0)
    return place(name)
  }

  func pipe(_ name: String) throws -> String {
    try #require(mkfifo(place(name), 0o600) == 0)
    return place(name)
  }
}

/// The `errno` that a body ends with; 0 when it succeeds.
func errorNumber(_ body: () throws -> Void) -> Int32 {
  do { try body() } catch { return (error as? SystemError)?.number ?? -1 }
  return 0
}

/// Opening files that somebody else may have put there.
@Suite struct OpenFileTests {
  @Test func aFileIsReadWhole() throws {
    let folder = try Folder()
    for count in [0, 1, 65_535, 65_536, 65_537, 200_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let path = try folder.file("file", bytes)
      #expect(try OpenFile.reading(path).bytes(maximum: .max) == bytes)
      #expect(SmallFile.bytes(at: path, maximum: count) == bytes)
      #expect(SmallFile.bytes(at: path, maximum: count + 1) == bytes)
      // A reader that has a limit asks for one byte more, and sees that there is one.
      #expect(SmallFile.bytes(at: path, maximum: count / 2) == Array(bytes.prefix(count / 2)))
      if count > 2 { #expect(try OpenFile.reading(path).bytes(in: 1..<count - 1) == Array(bytes[1..<count - 1])) }
      #expect(throws: SystemError.self) { _ = try OpenFile.reading(path).bytes(in: 0..<count + 1) }
    }
  }

  @Test func filesOfTheKernelAreReadThoughTheyHaveNoSize() {
    #expect(SmallFile.text(at: "/proc/self/stat", maximum: 1 << 16)?.hasPrefix("\(getpid()) ") == true)
  }

  /// The attack: a pipe in the place of a file, into which nobody writes. A reader would wait for ever.
  @Test func aPipeKeepsNobodyWaiting() throws {
    let folder = try Folder()
    let path = try folder.pipe("pipe")
    let file = try OpenFile.reading(path)
    #expect(file.status?.kind == .other)
    #expect(SmallFile.bytes(at: path, maximum: 10) == [])
    // Nobody reads it: to append to it would else wait as well.
    let kept = try OpenFile.appending(path, emptied: false, mode: 0o600)
    #expect(kept.status?.kind == .other)
  }

  /// The attack: a link in the place of a file that the daemon makes or writes.
  @Test func linksAreNotFollowed() throws {
    let folder = try Folder()
    let target = try folder.file("target", [1, 2, 3])
    for link in [try folder.link("link", to: target), try folder.link("dangling", to: folder.place("nowhere"))] {
      #expect(errorNumber { _ = try OpenFile.reading(link, followsLink: false) } == ELOOP)
      #expect(errorNumber { _ = try OpenFile.keeping(link) } == ELOOP)
      #expect(errorNumber { _ = try OpenFile.appending(link, emptied: true, mode: 0o600) } == ELOOP)
      #expect(errorNumber { _ = try OpenFile.creating(link) } == EEXIST)
      #expect(errorNumber { _ = try FileLock(link) } == ELOOP)
    }
    #expect(try OpenFile.reading(folder.place("link")).bytes(maximum: 9) == [1, 2, 3], "a reader that says so follows")
    #expect(FileStatus(folder.place("nowhere")) == nil)
    #expect(FileStatus(folder.place("dangling")) == nil && FileStatus(entry: folder.place("dangling"))?.kind == .link)
  }

  @Test func directoriesAreNoFiles() throws {
    let folder = try Folder()
    #expect(SmallFile.bytes(at: folder.path, maximum: 10) == nil && errno == EISDIR)
    #expect(try OpenFile.reading(folder.path).status?.kind == .directory)
    #expect(errorNumber { _ = try OpenFile.keeping(folder.path) } == EISDIR)
    #expect(errorNumber { _ = try OpenFile.overwriting(folder.path, mode: 0o600) } == EISDIR)
    #expect(SmallFile.bytes(at: folder.place("missing"), maximum: 10) == nil && errno == ENOENT)
    #expect(SystemError("open", "/x", ENOENT).description == "cannot open `/x`: No such file or directory")
  }

  @Test func aFileIsReplacedAsAWhole() throws {
    let folder = try Folder()
    let path = try folder.file("file", [1], mode: 0o644)
    let before = try OpenFile.reading(path)
    // The attack: a link where the new one is written first.
    let victim = try folder.file("victim", [7])
    _ = try folder.link("file.new", to: victim)
    for (number, synced) in [(UInt8(2), false), (3, true)] {
      try SmallFile.replace(path, with: [number, number], mode: 0o640, synced: synced)
      #expect(SmallFile.bytes(at: path, maximum: 9) == [number, number])
    }
    #expect(try before.bytes(maximum: 9) == [1], "readers of the old one keep it")
    #expect(!before.isSame(as: path) && FileStatus(path)?.mode == 0o640)
    #expect(SmallFile.bytes(at: victim, maximum: 9) == [7] && FileStatus(entry: folder.place("file.new")) == nil)
    #expect(errorNumber { try SmallFile.replace(folder.place("none/file"), with: [], mode: 0o600) } == ENOENT)
  }

  @Test func whatIsAppendedStandsBehindTheRest() throws {
    let folder = try Folder()
    let path = folder.place("log")
    let first = try OpenFile.appending(path, emptied: false, mode: 0o640)
    let second = try OpenFile.appending(path, emptied: false, mode: 0o640)
    try first.write([1, 2].span)
    #expect(try second.write([9, 3, 4], in: 1..<3) == 3)
    try first.write([5].span)
    try first.syncData()
    #expect(try second.bytes(in: 0..<5) == [1, 2, 3, 4, 5])
    #expect(first.isSame(as: path) && FileStatus(path)?.size == 5 && FileStatus(path)?.onlyOwnerWrites == true)
    let emptied = try OpenFile.appending(path, emptied: true, mode: 0o640)
    #expect(first.status?.size == 0 && emptied.isSame(as: path))
  }

  /// No program that is started later inherits a descriptor.
  @Test func descriptorsAreNotInherited() throws {
    let folder = try Folder()
    func isInherited(_ file: borrowing OpenFile) -> Bool { fcntl(file.descriptor, F_GETFD) & FD_CLOEXEC == 0 }
    let path = folder.place("file")
    #expect(!isInherited(try OpenFile.creating(path)))
    #expect(!isInherited(try OpenFile.reading(path)))
    #expect(!isInherited(try OpenFile.streaming(path)))
    #expect(!isInherited(try OpenFile.keeping(path)))
    #expect(!isInherited(try OpenFile.appending(path, emptied: false, mode: 0o600)))
    #expect(!isInherited(try OpenFile.overwriting(path, mode: 0o600)))
  }

  /// A thousand files are closed again, also those that could not be opened after all.
  @Test func everyFileIsClosedAgain() throws {
    let folder = try Folder()
    let path = try folder.file("file")
    // Other tests open files meanwhile: what counts is that it does not grow with ours.
    let before = try Directory.names(in: "/proc/self/fd").count
    for _ in 0..<2000 {
      _ = try OpenFile.reading(path)
      _ = try? OpenFile.reading(folder.place("missing"))
      _ = try FileLock(path)
    }
    #expect(try Directory.names(in: "/proc/self/fd").count < before + 500)
  }
}

@Suite struct FileStatusTests {
  @Test func kindsAreTold() throws {
    let folder = try Folder()
    #expect(
      FileStatus(try folder.file("file", [1, 2], mode: 0o4750)).map { [$0.mode, UInt32($0.size)] } == [0o4750, 2])
    #expect(FileStatus(folder.path)?.kind == .directory && FileStatus("/dev/null")?.kind == .other)
    #expect(FileStatus(folder.place("file"))?.names == 1)
    try #require(link(folder.place("file"), folder.place("second")) == 0)
    #expect(FileStatus(folder.place("file"))?.names == 2)
    #expect(FileIdentity(path: folder.place("file")) == FileIdentity(path: folder.place("second")))
    #expect(FileIdentity(path: folder.place("missing")) == nil)
  }

  /// The owner of a file may have written it, and each user who may write it.
  @Test func filesOfOthersAreOthers() throws {
    let folder = try Folder()
    let own = geteuid()
    for (mode, isOnly) in [(0o600, true), (0o644, true), (0o755, true), (0o664, false), (0o646, false), (0o777, false)]
    {
      let status = try #require(FileStatus(try folder.file("file", mode: mode_t(mode))))
      #expect(status.isOnly(of: own) == isOnly, "mode \(String(mode, radix: 8))")
      #expect(status.isOnly(of: own &+ 77) == (own == 0 && isOnly), "root's files are believed, other users' are not")
    }
    if own == 0 {
      try #require(chown(folder.place("file"), 4242, 4242) == 0 && chmod(folder.place("file"), 0o600) == 0)
      let status = try #require(FileStatus(folder.place("file")))
      #expect(!status.isOnly(of: 0) && status.isOnly(of: 4242) && status.group == 4242)
    }
  }

  /// A change of anything shows, also of what a program can set back.
  @Test func anythingThatChangesShows() throws {
    let folder = try Folder()
    let path = try folder.file("file", [1])
    let before = try #require(FileStatus(path))
    try #require(chmod(path, 0o640) == 0)
    #expect(FileStatus(path) != before)
    try SmallFile.replace(path, with: [1], mode: 0o600)
    #expect(FileStatus(path)?.identity != before.identity)
  }
}

@Suite struct DirectoryTests {
  @Test func allNamesAreListed() throws {
    let folder = try Folder()
    let names = ["a", ".hidden", "..odd", "ünïcode", String(repeating: "n", count: 255)]
    for name in names { try folder.file(name) }
    #expect(try Set(Directory.names(in: folder.path)) == Set(names))
    #expect(errorNumber { _ = try Directory.names(in: folder.place("missing")) } == ENOENT)
    #expect(errorNumber { _ = try Directory.names(in: folder.place("a")) } == ENOTDIR)
  }

  @Test func directoriesAreMadeWithThoseOnTheirWay() throws {
    let folder = try Folder()
    for _ in 0..<2 { try Directory.make(folder.place("a/b/c")) }
    #expect(FileStatus(folder.place("a/b"))?.mode == 0o700 && FileStatus(folder.place("a/b/c"))?.kind == .directory)
    try Directory.sync(folder.place("a/b"))
    try folder.file("file")
    #expect(errorNumber { try Directory.make(folder.place("file/c")) } == ENOTDIR)
    #expect(errorNumber { try Directory.sync(folder.place("file")) } == ENOTDIR)
    #expect(errorNumber { try Directory.make("") } == ENOENT)
  }

  @Test func onlyOneHasTheLock() throws {
    let folder = try Folder()
    let path = folder.place("lock")
    for _ in 0..<3 {
      let lock = try FileLock(path)
      #expect(errorNumber { _ = try FileLock(path) } == EWOULDBLOCK)
      #expect(lock.isInPlace)
      try #require(rename(path, path + ".old") == 0)
      #expect(!lock.isInPlace)
      try folder.file("lock")
      #expect(!lock.isInPlace, "another file took its place")
      _ = try FileLock(path)
      withExtendedLifetime(lock) {}
    }
  }
}
