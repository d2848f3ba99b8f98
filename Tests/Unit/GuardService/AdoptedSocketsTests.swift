import Foundation
import GuardService
import Platform
import Testing

/// What a service manager hands over, read from the environment.
@Suite struct AdoptedSocketsTests {
  private static func environment(_ values: [String: String]) -> (String) -> String? { { values[$0] } }

  @Test func eachDescriptorHasItsName() throws {
    let listed = try AdoptedSockets.listed(
      in: Self.environment(["LISTEN_PID": "7", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "guard:admin:contoso-kiosk"]),
      for: 7)
    #expect(
      listed == [
        AdoptedSocket(name: "guard", descriptor: 3), AdoptedSocket(name: "admin", descriptor: 4),
        AdoptedSocket(name: "contoso-kiosk", descriptor: 5),
      ])
    let sockets = AdoptedSockets(listed)
    #expect(sockets.guardSockets.map(\.descriptor) == [3])
    #expect(sockets.adminSockets.map(\.descriptor) == [4])
    #expect(sockets.appSockets.map(\.name) == ["contoso-kiosk"])
  }

  @Test func aDaemonOfItsOwnIsHandedNothing() throws {
    #expect(try AdoptedSockets.listed(in: Self.environment([:]), for: 7).isEmpty)
    let none = Self.environment(["LISTEN_PID": "7", "LISTEN_FDS": "0", "LISTEN_FDNAMES": ""])
    #expect(try AdoptedSockets.listed(in: none, for: 7).isEmpty)
  }

  @Test func whatIsMeantForAParentIsNotTaken() throws {
    let parents = Self.environment(["LISTEN_PID": "6", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "guard"])
    #expect(try AdoptedSockets.listed(in: parents, for: 7).isEmpty)
  }

  @Test(arguments: [
    ["LISTEN_FDS": "2", "LISTEN_FDNAMES": "guard"],
    ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "guard:admin"],
    ["LISTEN_FDS": "2", "LISTEN_FDNAMES": "guard:"],
    ["LISTEN_FDS": "1"],
    ["LISTEN_FDS": "-1", "LISTEN_FDNAMES": "guard"],
    ["LISTEN_FDS": "257", "LISTEN_FDNAMES": String(repeating: "x:", count: 256) + "x"],
    ["LISTEN_FDS": "99999999999", "LISTEN_FDNAMES": "guard"],
    ["LISTEN_FDS": "one", "LISTEN_FDNAMES": "guard"],
    [:],
  ])
  func whatCannotBeToldApartIsRefused(_ values: [String: String]) {
    let stated = values.merging(["LISTEN_PID": "7"]) { own, _ in own }
    #expect(throws: StartError.self) { try AdoptedSockets.listed(in: Self.environment(stated), for: 7) }
  }

  @Test func aSocketKnowsItsPath() throws {
    let path = "/tmp/wvg-\(UInt32.random(in: 0 ... .max)).sock"
    let listening = try ListeningSocket(path)
    #expect(AdoptedSocket(name: "guard", descriptor: listening.descriptor).path == path)
    #expect(AdoptedSocket(name: "guard", descriptor: -1).path == nil)
  }
}

/// A Unix socket that listens, and is gone with its owner.
private final class ListeningSocket {
  let descriptor: Int32
  private let path: String

  init(_ path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(UnixAddress(path: path)?.bind(descriptor) == true && listen(descriptor, 1) == 0)
  }

  deinit {
    close(descriptor)
    unlink(path)
  }
}
