import Foundation
import Platform
import Testing

@Suite struct UsersTests {
  @Test func theSystemsOwnAreFound() {
    #expect(Users.uid(ofUser: "root") == 0 && Users.name(ofUser: 0) == "root" && Users.gid(ofUser: 0) == 0)
    #expect(Users.gid(ofGroup: "root") == 0 && Users.name(ofGroup: 0) == "root" && Users.isUser(0) == true)
  }

  @Test(arguments: ["", "nobody-of-this-name", "0", "root ", "ro\u{0}ot", "röot", String(repeating: "x", count: 5000)])
  func aNameThatNobodyHasIsNobodys(_ name: String) {
    // The C library reads a name up to its NUL, and knows no `ro`.
    #expect(Users.uid(ofUser: name) == nil && Users.gid(ofGroup: name) == nil)
  }

  @Test func aNumberThatNobodyHasIsNobodys() {
    let uid: UInt32 = 3_999_999_997
    #expect(Users.name(ofUser: uid) == nil && Users.gid(ofUser: uid) == nil && Users.isUser(uid) == false)
    #expect(Users.name(ofGroup: uid) == "3999999997")
  }
}

@Suite struct SystemClockTests {
  @Test func theClocksAgreeAndGoOn() {
    let (wall, monotonic, uptime) = (SystemClock.wall, SystemClock.monotonic, SystemClock.uptime)
    #expect(SystemClock.milliseconds >= UInt64(wall / 1_000_000) && wall > 1_700_000_000_000_000_000)
    for _ in 0..<1000 { #expect(SystemClock.monotonic >= monotonic) }
    #expect(SystemClock.monotonicMicroseconds >= UInt64(monotonic / 1000))
    #expect(SystemClock.uptime >= uptime && uptime + 1 >= UInt64(monotonic / 1_000_000))
  }
}

@Suite struct UnixAddressTests {
  /// A socket of its own, closed at the end.
  private final class Socket {
    let descriptor: Int32

    init(_ kind: __socket_type) throws {
      descriptor = socket(AF_UNIX, Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }
  }

  @Test func aPathMayHave107Bytes() throws {
    #expect(UnixAddress.maximumBytes == 107)
    let folder = "/tmp/wvg-\(UInt32.random(in: 0 ... .max))"
    try #require(mkdir(folder, 0o700) == 0)
    defer { rmdir(folder) }
    for count in [folder.utf8.count + 2, 106, 107] {
      let path = folder + "/" + String(repeating: "s", count: count - folder.utf8.count - 1)
      let address = try #require(UnixAddress(path: path))
      let (server, client) = (try Socket(SOCK_STREAM), try Socket(SOCK_STREAM))
      #expect(!address.connect(client.descriptor) && errno == ENOENT)
      #expect(address.bind(server.descriptor) && UnixAddress.text(ofSocket: server.descriptor) == path)
      #expect(!address.connect(client.descriptor) && errno == ECONNREFUSED)
      try #require(listen(server.descriptor, 1) == 0)
      #expect(address.connect(client.descriptor))
      #expect(UnixAddress.peerUser(of: client.descriptor) == geteuid())
      #expect(access(path, F_OK) == 0, "under its whole name")
      unlink(path)
    }
  }

  /// The kernel would take the beginning for the whole, and another socket may lie there.
  @Test func aPathThatIsTooLongIsNone() {
    for path in ["", "/" + String(repeating: "s", count: 107), String(repeating: "ü", count: 54), "/tmp/a\u{0}b"] {
      #expect(UnixAddress(path: path) == nil, "\(path.utf8.count) bytes")
    }
    #expect(
      UnixAddress("relative") == nil && UnixAddress("") == nil
        && UnixAddress("@" + String(repeating: "a", count: 107)) == nil)
  }

  @Test func abstractNamesAreNoFiles() throws {
    let name = "@wvg-\(UInt64.random(in: 0 ... .max))"
    let address = try #require(UnixAddress(name))
    let (server, client) = (try Socket(SOCK_DGRAM), try Socket(SOCK_DGRAM))
    #expect(!address.send([1], from: client.descriptor))
    #expect(address.bind(server.descriptor) && UnixAddress.text(ofSocket: server.descriptor) == name)
    #expect(address.send([1, 2, 3], from: client.descriptor))
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(Platform.Stream.read(server.descriptor, into: &buffer) == 3 && Array(buffer.prefix(3)) == [1, 2, 3])
    #expect(UnixAddress.text(ofSocket: client.descriptor) == nil, "it has no name")
    #expect(UnixAddress.peerUser(of: -1) == nil && errno == EBADF)
  }

  /// A pipe whose reader is gone: an error, and no end of the process.
  @Test func aStreamThatBreaksIsSaid() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    func write(_ bytes: [UInt8]) -> Bool { Platform.Stream.write(bytes.span, to: ends[1]) }
    #expect(write([1, 2]))
    var buffer = [UInt8](repeating: 0, count: 4)
    #expect(Platform.Stream.read(ends[0], into: &buffer, from: 1) == 2 && buffer == [0, 1, 2, 0])
    close(ends[0])
    #expect(!write([1]) && errno == EPIPE)
    close(ends[1])
  }
}
