import Foundation
import Glibc
import GuardService
import Testing

@Suite struct PlaceCheckTests {
  private let folder = PlaceFolder()
  /// A daemon of an ordinary user, who trusts the files of these tests: they are root's or the user's own.
  private let check = PlaceCheck(uid: geteuid() == 0 ? 4242 : geteuid(), gid: getegid())

  @Test(
    arguments: [
      (0o755, nil), (0o700, nil), (0o1755, nil), (0o775, nil),
      (0o757, "has mode 0757, so others may write it"), (0o1777, "has mode 1777, so others may write it"),
    ] as [(mode_t, String?)])
  func aDirectoryIsTheDaemonsOwn(_ mode: mode_t, _ problem: String?) throws {
    let path = try folder.directory(mode)
    #expect(check.finding(at: path, .directory)?.problem == problem)
  }

  /// The group that may write is another than the daemon's own.
  @Test func anotherGroupMayNotWrite() throws {
    let path = try folder.directory(0o770)
    let other = PlaceCheck(uid: check.uid, gid: check.gid + 1)
    let finding = try #require(other.finding(at: path, .directory))
    #expect(
      finding.description == "`\(path)` has mode 0770, so its group may write it; run `chmod g-w \(path)`")
  }

  /// Root's group may hold anybody.
  @Test func noGroupMayWriteWhatRootsDaemonReads() throws {
    guard geteuid() == 0 else { return }
    let path = try folder.directory(0o770)
    #expect(PlaceCheck(uid: 0, gid: getegid()).finding(at: path, .directory) != nil)
  }

  @Test func ownersAreRootAndTheDaemon() throws {
    guard geteuid() == 0 else { return }
    let path = try folder.directory(0o755)
    #expect(check.finding(at: path, .directory) == nil)
    #expect(chown(path, 4242, 4242) == 0)
    #expect(check.finding(at: path, .directory) == nil)
    #expect(chown(path, 4243, 4242) == 0)
    #expect(
      check.finding(at: path, .directory)?.description
        == "`\(path)` belongs to uid 4243, who could change it; run `chown 4242 \(path)`")
  }

  @Test(arguments: [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] as [(mode_t, Bool)])
  func aSecretIsItsOwnersAlone(_ mode: mode_t, _ isWell: Bool) throws {
    let path = try folder.file(mode)
    #expect((check.finding(at: path, .secret) == nil) == isWell)
    #expect(check.finding(at: path, .file) == nil)
  }

  @Test func whatIsThereIsOfItsKind() throws {
    let (file, directory) = (try folder.file(0o600), try folder.directory(0o700))
    #expect(check.finding(at: file, .directory)?.problem == "is no directory")
    #expect(check.finding(at: directory, .file)?.problem == "is no regular file")
    #expect(check.finding(at: directory + "/nothing", .secret) == nil)
  }

  @Test func aLogIsItsDirectoryItsFilesAndItsKey() throws {
    let path = try folder.directory(0o750)
    for (name, mode) in [
      ("decisions.jsonl", 0o666), ("decisions-00000000000000000001.jsonl", 0o646), ("other", 0o666),
      ("pseudonym.key", 0o644),
    ] as [(String, mode_t)] {
      try folder.file(mode, at: path + "/" + name)
    }
    #expect(
      check.logFindings(in: path).map { $0.path.split(separator: "/").last.map(String.init) } == [
        "decisions-00000000000000000001.jsonl", "decisions.jsonl", "pseudonym.key",
      ])
  }

  /// Who may write the directory of a file, or the one where a link to it leads, may put another in its place.
  @Test func aConfigurationIsItsFilesAndTheirDirectories() throws {
    let root = try folder.directory(0o755)
    let elsewhere = try folder.directory(0o757)
    #expect(mkdir(root + "/rules", 0o755) == 0)
    #expect(mkdir(root + "/rules/lists", 0o755) == 0)
    #expect(chmod(root + "/rules/lists", 0o707) == 0)
    try folder.file(0o644, at: root + "/rules/lists/a.txt")
    try folder.file(0o644, at: elsewhere + "/b.yaml")
    #expect(symlink(elsewhere + "/b.yaml", root + "/rules/b.yaml") == 0)
    let files = [root + "/rules/lists/a.txt", root + "/rules/b.yaml"]
    let found = Set(check.configurationFindings(roots: [root], files: files).map(\.path))
    #expect(found == [root + "/rules/lists", elsewhere])
    #expect(check.configurationFindings(roots: [root], files: []).isEmpty)
  }

  // MARK: The way

  /// Who may write, or owns, a directory above the place puts another one there.
  @Test(
    arguments: [
      (0o755, nil), (0o711, nil), (0o1777, nil), (0o757, "has mode 0757, so others may write it"),
      (0o777, "has mode 0777, so its group and others may write it"),
    ] as [(mode_t, String?)])
  func theWayIsTheDaemonsOwn(_ mode: mode_t, _ problem: String?) throws {
    let above = try folder.directory(mode)
    #expect(mkdir(above + "/between", 0o755) == 0 && mkdir(above + "/between/place", 0o755) == 0)
    let check = PlaceCheck(uid: check.uid, gid: check.gid + 1)
    #expect(check.parentFindings(of: above + "/between/place").map(\.problem) == [problem].compactMap(\.self))
    #expect(
      check.parentFindings(of: above + "/between/../between/./place/").map(\.problem) == [problem].compactMap(\.self))
    #expect(check.parentFindings(of: above).isEmpty, "the place itself is for others to judge")
    #expect(check.stateFindings(in: above + "/between/place").map(\.problem) == [problem].compactMap(\.self))
    #expect(check.logFindings(in: above + "/between/place").map(\.problem) == [problem].compactMap(\.self))
    let configuration = check.configurationFindings(roots: [above + "/between/place"], files: [])
    #expect(configuration.map(\.problem) == [problem].compactMap(\.self))
  }

  @Test func nobodyElseOwnsADirectoryOnTheWay() throws {
    guard geteuid() == 0 else { return }
    let above = try folder.directory(0o755)
    #expect(mkdir(above + "/place", 0o755) == 0 && chown(above, 4243, 4243) == 0)
    #expect(
      check.parentFindings(of: above + "/place").map(\.description) == [
        "`\(above)` belongs to uid 4243, who could put another `place` there; run `chown 4242 \(above)`"
      ])
    #expect(chown(above, 4242, 4242) == 0)
    #expect(check.parentFindings(of: above + "/place").isEmpty)
  }

  /// As `/tmp`: everybody makes entries there, and only an entry's owner moves it.
  @Test func inAStickyDirectoryTheEntrysOwnerCounts() throws {
    guard geteuid() == 0 else { return }
    let above = try folder.directory(0o1777)
    #expect(mkdir(above + "/between", 0o755) == 0 && mkdir(above + "/between/place", 0o755) == 0)
    #expect(check.parentFindings(of: above + "/between/place").isEmpty)
    #expect(chown(above + "/between", 4243, 4243) == 0)
    let found = Set(check.parentFindings(of: above + "/between/place").map(\.path))
    #expect(found == [above + "/between"])
  }

  /// A link is followed, however many there are: whoever may change it, or where it leads, changes the place.
  @Test func linksOnTheWayAreFollowed() throws {
    let (root, elsewhere) = (try folder.directory(0o755), try folder.directory(0o757))
    #expect(mkdir(elsewhere + "/place", 0o755) == 0)
    #expect(symlink(elsewhere, root + "/first") == 0 && symlink("first", root + "/second") == 0)
    for path in [root + "/second/place", root + "/first/place", elsewhere + "/place", root + "/second/place/none"] {
      #expect(check.parentFindings(of: path).map(\.path) == [elsewhere], "\(path)")
    }
    #expect(symlink(elsewhere + "/place", root + "/third") == 0)
    #expect(check.parentFindings(of: root + "/third").map(\.path) == [elsewhere], "a link as the place itself")
    #expect(symlink("loop", root + "/loop") == 0)
    #expect(check.parentFindings(of: root + "/loop/place").isEmpty, "nothing is there")
  }

  @Test func aLinkBelongsToWhomTheDaemonTrusts() throws {
    guard geteuid() == 0 else { return }
    let (sticky, place) = (try folder.directory(0o1777), try folder.directory(0o755))
    #expect(symlink(place, sticky + "/link") == 0)
    #expect(check.parentFindings(of: sticky + "/link/file").isEmpty)
    #expect(lchown(sticky + "/link", 4243, 4243) == 0)
    #expect(
      check.parentFindings(of: sticky + "/link/file").map(\.description) == [
        "`\(sticky)/link` belongs to uid 4243, who could put another one there; run `chown -h 4242 \(sticky)/link`"
      ])
  }
}

/// Places of one test, gone with it.
private final class PlaceFolder {
  private let path: String
  private var count = 0

  init() {
    path = "/tmp/wvg-places-\(UInt32.random(in: 0 ... .max))"
    mkdir(path, 0o755)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func directory(_ mode: mode_t) throws -> String {
    count += 1
    let made = path + "/\(count)"
    try #require(mkdir(made, 0o700) == 0 && chmod(made, mode) == 0)
    return made
  }

  func file(_ mode: mode_t) throws -> String {
    count += 1
    return try file(mode, at: path + "/\(count)")
  }

  @discardableResult
  func file(_ mode: mode_t, at made: String) throws -> String {
    let descriptor = open(made, O_WRONLY | O_CREAT, 0o600)
    try #require(descriptor >= 0 && fchmod(descriptor, mode) == 0)
    close(descriptor)
    return made
  }
}
