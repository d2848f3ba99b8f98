import Foundation
import GuardService
import Platform
import Testing

/// What the service manager hears; a socket stands in for it.
@Suite struct SupervisionTests {
  private let manager: ServiceManager

  init() throws { manager = try ServiceManager() }

  private func supervision(_ more: [String: String] = [:]) -> Supervision {
    let values = more.merging(["NOTIFY_SOCKET": manager.path]) { own, _ in own }
    return Supervision(environment: { values[$0] }, process: 7)
  }

  @Test func itHearsOfStartLoadAndEnd() {
    var supervision = supervision()
    supervision.ready("generation 1 is in force")
    supervision.reloading(atMicroseconds: 5)
    supervision.say("generation 1 is in force")
    supervision.say("generation 2 is in force")
    supervision.stopping()
    #expect(
      manager.heard() == [
        "READY=1\nSTATUS=generation 1 is in force", "RELOADING=1\nMONOTONIC_USEC=5",
        "STATUS=generation 2 is in force", "STOPPING=1\nSTATUS=stopping",
      ])
  }

  @Test func aWriterThatHangsEndsTheSignsOfLife() {
    var supervision = supervision()
    supervision.beat(logWaits: false, stateWaits: false)
    #expect(manager.heard() == ["WATCHDOG=1"])
    supervision.beat(logWaits: true, stateWaits: false)
    supervision.beat(logWaits: false, stateWaits: true)
    #expect(manager.heard().isEmpty)
    supervision.logReported()
    supervision.beat(logWaits: true, stateWaits: false)
    #expect(manager.heard() == ["WATCHDOG=1"], "it is slow, and lives")
    supervision.beat(logWaits: true, stateWaits: false)
    #expect(manager.heard().isEmpty)
    supervision.stateReported()
    supervision.beat(logWaits: true, stateWaits: true)
    #expect(manager.heard().isEmpty, "one that lives does not stand in for the other")
  }

  @Test(
    arguments: [
      (["WATCHDOG_USEC": "30000000"], 10_000_000_000),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], 10_000_000_000),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "0"], nil),
      (["WATCHDOG_USEC": "-3"], nil), (["WATCHDOG_USEC": "9223372036854775807"], nil), ([:], nil),
    ] as [([String: String], Int64?)])
  func theTimeBetweenSignsIsAThirdOfWhatIsAllowed(_ values: [String: String], _ interval: Int64?) {
    #expect(supervision(values).interval == interval)
  }

  @Test func withoutAServiceManagerNothingIsSaid() {
    var alone = Supervision(environment: { $0 == "WATCHDOG_USEC" ? "1000000" : nil }, process: 7)
    alone.ready("ready")
    alone.beat(logWaits: false, stateWaits: false)
    #expect(alone.interval == nil)
    #expect(manager.heard().isEmpty)
  }

  @Test(arguments: ["", "relative", "/" + String(repeating: "x", count: 108), "vsock:2:1"])
  func anAddressThatIsNoneIsNobody(_ address: String) { #expect(ServiceNotifier(address: address) == nil) }

  @Test func aManagerThatIsGoneIsNoError() throws {
    let notifier = try #require(ServiceNotifier(address: "/nonexistent/notify"))
    #expect(!notifier.send("READY=1"))
  }
}

/// The receiving end of a notification socket.
private final class ServiceManager {
  let path = "/tmp/wvg-notify-\(UInt32.random(in: 0 ... .max))"
  private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)

  init() throws {
    try #require(UnixAddress(path: path)?.bind(descriptor) == true)
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// What came since the last time, one text a datagram.
  func heard() -> [String] {
    var messages: [String] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(descriptor, &bytes, bytes.count, 0), count >= 0 {
      messages.append(String(decoding: bytes[..<count], as: UTF8.self))
    }
    return messages
  }
}
