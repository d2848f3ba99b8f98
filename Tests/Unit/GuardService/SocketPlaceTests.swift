import Foundation
import GuardModel
import GuardService
import Platform
import PolicyFiles
import TestSupport
import Testing

/// Where the sockets lie, who holds them, and who may connect.
@Suite struct SocketPlaceTests {
  private let folder = TestFolder()
  private var place: SocketPlace { SocketPlace(directory: folder.path + "/run") }

  /// The mode of a file.
  private static func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  // MARK: Paths

  @Test(arguments: ["/run/wvg", "/run/wvg/"]) func aDirectoryHasTheirNames(_ directory: String) {
    let place = SocketPlace(directory: directory)
    #expect(
      place.guardSocket == "/run/wvg/guard.sock" && place.adminSocket == "/run/wvg/admin.sock")
    #expect(
      place.contractFile == "/run/wvg/contract.json" && place.doubtFile == "/run/wvg/state.doubt")
    #expect(place.ownSockets == [place.guardSocket, place.adminSocket])
  }

  /// The command line wins over the configuration, and that over the standard place.
  @Test(
    arguments: [
      (nil, nil, "/std/guard.sock"), ("/cmd", nil, "/cmd/guard.sock"),
      (nil, "/cfg/g.sock", "/cfg/g.sock"),
      ("/cmd", "/cfg/g.sock", "/cmd/guard.sock"),
    ] as [(String?, String?, String)])
  func theCommandLineWins(_ stated: String?, _ configured: String?, _ expected: String) {
    var options = DaemonOptions(roots: [])
    options.socketDirectory = stated
    var settings = DaemonSettings()
    settings.sockets.guard = configured
    #expect(options.place(settings, standard: "/std").guardSocket == expected)
    #expect(
      options.place(settings, standard: "/std").adminSocket == (stated ?? "/std") + "/admin.sock")
  }

  @Test func appsHaveTheirOwn() {
    var settings = DaemonSettings()
    settings.sockets.apps = [.init(name: "kiosk"), .init(name: "mail")]
    settings.sockets.apps[1].path = "/elsewhere/m.sock"
    let place = DaemonOptions(roots: []).place(settings, standard: "/std")
    #expect(
      place.ownSockets == [
        "/std/guard.sock", "/std/admin.sock", "/std/kiosk.sock", "/elsewhere/m.sock",
      ])
  }

  // MARK: Holding them

  @Test func onlyOneDaemonHoldsThem() throws {
    do {
      let lock = try place.claim()
      #expect(Self.mode(folder.path + "/run") == 0o755)
      #expect(throws: StartError.alreadyRunning(place.guardSocket)) { _ = try place.claim() }
      place.clear(lock)
    }
    _ = try place.claim()
  }

  /// A crash leaves sockets behind; whoever takes the lock clears them away, and nothing but them.
  @Test func theSocketsOfADaemonThatIsGoneGo() throws {
    try place.clear(place.claim())
    for name in ["guard.sock", "admin.sock", "contract.json", "other"] {
      try folder.write("x", to: "run/" + name)
    }
    _ = try place.claim()
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/run").sorted()
    #expect(left == ["contract.json", "lock", "other"])
  }

  /// The attack: a user who may write into the directory puts a socket of its own there.
  @Test(
    arguments: [(0o755, true), (0o700, true), (0o775, false), (0o777, false), (0o757, false)]
      as [(mode_t, Bool)])
  func aDirectoryOfOthersIsRefused(_ mode: mode_t, _ isTaken: Bool) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/run", withIntermediateDirectories: true)
    chmod(folder.path + "/run", mode)
    do {
      _ = try place.claim()
      #expect(isTaken)
    } catch {
      #expect(!isTaken && error == .directoryNotOurs(folder.path + "/run"))
    }
  }

  @Test func aFileOrALinkIsNoDirectory() throws {
    try folder.write("x", to: "run")
    #expect(throws: StartError.self) { _ = try place.claim() }
    try FileManager.default.removeItem(atPath: folder.path + "/run")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/real", withIntermediateDirectories: true)
    symlink(folder.path + "/real", folder.path + "/run")
    #expect(throws: StartError.directoryNotOurs(folder.path + "/run")) { _ = try place.claim() }
  }

  /// Each row: bytes of the socket's path, and whether it can be one.
  @Test(arguments: [(103, true), (104, false), (200, false)]) func aPathHasALimit(
    _ length: Int, _ isTaken: Bool
  ) throws {
    let directory =
      folder.path + "/" + String(repeating: "d", count: length - folder.path.utf8.count - 12)
    let place = SocketPlace(directory: directory)
    #expect(place.guardSocket.utf8.count == length)
    do {
      _ = try place.claim()
      // That of administrators has as many bytes.
      #expect(isTaken)
    } catch {
      #expect(!isTaken && error == .socketPathTooLong(place.guardSocket))
    }
  }

  /// When the directory is another's by now, the sockets in it may be another daemon's.
  @Test func whatIsAnothersByNowIsLeftAlone() throws {
    let lock = try place.claim()
    rename(folder.path + "/run", folder.path + "/old")
    let other = try place.claim()
    try folder.write("x", to: "run/guard.sock")
    place.clear(lock)
    #expect(FileManager.default.fileExists(atPath: place.guardSocket))
    place.clear(other)
    #expect(!FileManager.default.fileExists(atPath: place.guardSocket))
  }

  // MARK: Files

  @Test func eachHasItsMode() throws {
    var settings = DaemonSettings()
    settings.sockets.apps = [.init(name: "closed"), .init(name: "open")]
    settings.sockets.apps[1].open = true
    var options = DaemonOptions(roots: [])
    options.socketDirectory = folder.path + "/run"
    let place = options.place(settings)
    let lock = try place.claim()
    var descriptors: [Int32] = []
    for (_, file) in try place.files() { descriptors.append(try file.listen().descriptor) }
    let modes = ["closed", "open", "admin", "guard"].map {
      Self.mode(folder.path + "/run/\($0).sock")
    }
    #expect(modes == [0o600, 0o666, 0o660, 0o666])
    for descriptor in descriptors { close(descriptor) }
    place.clear(lock)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/run")
    #expect(left == ["lock"])
  }

  @Test func aGroupThatIsNotThereIsSaid() throws {
    var settings = DaemonSettings()
    settings.sockets.apps = [.init(name: "kiosk")]
    settings.sockets.apps[0].group = "no-such-group-here"
    let place = DaemonOptions(roots: []).place(settings, standard: folder.path)
    #expect(throws: StartError.unknownGroup("no-such-group-here", socket: "kiosk")) {
      _ = try place.files()
    }
  }

  /// A socket takes the place of whatever file is there, and is one that clients can connect to at once.
  @Test(arguments: ["nothing", "a file", "a socket", "a link"]) func aSocketTakesItsPlace(
    _ before: String
  ) throws {
    let path = folder.path + "/s.sock"
    var earlier: Int32 = -1
    switch before {
    case "a file": try folder.write("x", to: "s.sock")
    case "a socket": earlier = try SocketFile(path: path, mode: 0o600).listen().descriptor
    case "a link": symlink("/etc/hostname", path)
    default: break
    }
    let made = try SocketFile(path: path, mode: 0o640).listen()
    let descriptor = made.descriptor
    #expect(made.identity != nil && made.identity == FileIdentity(path: path))
    defer { for open in [descriptor, earlier] where open >= 0 { close(open) } }
    var status = stat()
    #expect(
      lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        && status.st_mode & 0o777 == 0o640)
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(client) }
    #expect(UnixAddress(path: path)?.connect(client) == true)
  }

  /// A socket in a place that is none, a file without room for its name: an error, and no open descriptor.
  @Test func aSocketThatCannotBeMadeIsAnError() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    for _ in 0..<50 {
      for path in [folder.path + "/none/s.sock", "/" + String(repeating: "x", count: 200), ""] {
        #expect(throws: StartError.self) { _ = try SocketFile(path: path, mode: 0o600).listen() }
      }
    }
    let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    // Other suites open files meanwhile, but not by the hundred.
    #expect(after < before + 100)
  }

  // MARK: The key of the log

  @Test func theKeyOfTheLogIsMadeOnce() throws {
    var options = DaemonOptions(roots: [])
    options.logDirectory = folder.path
    let key = try options.pseudonymKey(DaemonSettings())
    #expect(key.count == 32 && Set(key).count > 8)
    #expect(try options.pseudonymKey(DaemonSettings()) == key)
    #expect(Self.mode(folder.path + "/pseudonym.key") == 0o600)
    let other = TestFolder()
    options.logDirectory = other.path
    #expect(try options.pseudonymKey(DaemonSettings()) != key)
  }

  /// A key of another length was not made by the daemon: accounts would get other names, or names that can be guessed.
  @Test(arguments: [0, 1, 31, 33, 64, 10_000]) func aKeyOfAnotherLengthIsRefused(_ length: Int)
    throws
  {
    var options = DaemonOptions(roots: [])
    options.logDirectory = folder.path
    try folder.write(String(repeating: "k", count: length), to: "pseudonym.key")
    #expect(throws: StartError.self) { _ = try options.pseudonymKey(DaemonSettings()) }
  }
}
