import DataRemoval
import Foundation
import Glibc
import GuardModel
import Testing

/// Directories that their own user removes. What other users, mounts and racing programs do to it is tried in
/// `Tests/System/attacks/test_wipe_files.py`.
@Suite struct DirectoryRemovalTests {
  private let home = Home()

  private var removal: DirectoryRemoval { DirectoryRemoval(owner: geteuid(), home: home.path) }

  @Test func everythingGoesAndIsCounted() throws {
    try home.file("data/a")
    try home.file("data/b/c/d")
    try home.link("data/b/link", to: home.path)
    #expect(removal.remove(home.path + "/data") == .done(home.tally(removed: 6)))
    #expect(!home.has("data"))
    #expect(home.has(""))
  }

  @Test func nothingIsThere() {
    #expect(removal.remove(home.path + "/data") == .absent)
    #expect(removal.remove(home.path + "/missing/data") == .absent)
  }

  @Test func aDirectoryOfAnotherUserIsRefused() throws {
    try home.file("data/a")
    let other = DirectoryRemoval(owner: geteuid() + 1, home: home.path)
    #expect(other.remove(home.path + "/data") == .refused(.otherOwner(geteuid())))
    #expect(home.has("data/a"))
  }

  @Test(arguments: ["/", "data", "/tmp/../tmp/x", "/srv"])
  func noPathOfAMistakeIsTouched(_ path: String) {
    guard case .refused(.path) = removal.remove(path) else {
      Issue.record("\(path) was not refused")
      return
    }
  }

  @Test func theHomeIsRefused() throws {
    try home.file("a")
    #expect(removal.remove(home.path) == .refused(.path(.home)))
    #expect(removal.remove(String(home.path[..<(home.path.lastIndex(of: "/") ?? home.path.endIndex)])) != .absent)
    #expect(home.has("a"))
  }

  @Test func linksAreRefused() throws {
    try home.file("data/a")
    try home.link("link", to: home.path + "/data")
    #expect(removal.remove(home.path + "/link") == .refused(.link))
    try home.file("data/in/b")
    #expect(removal.remove(home.path + "/link/in") == .refused(.link))
    #expect(home.has("data/in/b"))
  }

  @Test func aFileIsRefused() throws {
    try home.file("data")
    #expect(removal.remove(home.path + "/data") == .refused(.noDirectory))
    #expect(home.has("data"))
  }

  /// More directories in each other than are open at one time.
  @Test func foldedDirectoriesAreFoundAgain() throws {
    let way = (0..<150).map { "d\($0)" }.joined(separator: "/")
    try home.file("data/\(way)/last")
    for depth in stride(from: 0, to: 150, by: 10) {
      let part = (0...depth).map { "d\($0)" }.joined(separator: "/")
      for number in 0..<20 { try home.file("data/\(part)/z\(number)") }
    }
    #expect(removal.remove(home.path + "/data") == .done(home.tally(removed: 152 + 15 * 20)))
  }

  @Test func whatIsTooDeepStaysAndIsTold() throws {
    try home.file("data/a/b/c/d/e")
    try home.file("data/a/f")
    var shallow = removal
    shallow.limits.depth = 3
    #expect(shallow.remove(home.path + "/data") == .done(home.tally(removed: 1, kept: [.tooDeep: 1])))
    #expect(home.has("data/a/b/c/d/e"))
  }

  @Test func moreEntriesThanItLooksAtStayAndAreTold() throws {
    for number in 0..<50 { try home.file("data/\(number)") }
    var short = removal
    short.limits.entries = 20
    #expect(short.remove(home.path + "/data") == .done(home.tally(removed: 20, kept: [.tooMany: 1])))
  }

  @Test func otherNamesOfFilesAreCounted() throws {
    try home.file("data/a")
    try #require(link(home.path + "/data/a", home.path + "/b") == 0)
    var tally = home.tally(removed: 2)
    tally.linked = 1
    #expect(removal.remove(home.path + "/data") == .done(tally))
    #expect(home.has("b"))
  }

  /// The fence is around one thread: the process goes on as before.
  @Test func theProcessIsNotFencedIn() throws {
    try home.file("data/a")
    _ = removal.remove(home.path + "/data")
    try home.file("other/a")
    #expect(home.has("other/a"))
    #expect(removal.remove(home.path + "/other") == .done(home.tally(removed: 2)))
  }
}

private final class Home: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.path + "/wvg-home-\(UInt64.random(in: 0 ... .max))"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) throws {
    let place = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("x".utf8).write(to: place)
  }

  func link(_ name: String, to target: String) throws { try #require(symlink(target, path + "/" + name) == 0) }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

  func tally(removed: Int, kept: [KeptReason: Int] = [:]) -> RemovalTally {
    var tally = RemovalTally()
    (tally.removed, tally.kept) = (removed, kept)
    return tally
  }
}
