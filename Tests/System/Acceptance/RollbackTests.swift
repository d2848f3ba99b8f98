import Foundation
import JSONText
import Testing

/// Going back to a policy that was in force before.
@Suite struct RollbackTests {
  /// A daemon that had these versions in force, one after the other.
  private func daemon(_ versions: [Int]) throws -> DaemonProcess {
    let daemon = try DaemonProcess(ExamplePolicy.files(rules: ReloadPolicy.rules(versions[0])))
    try daemon.waitUntilKept()
    for version in versions.dropFirst() {
      try daemon.writeRules(ReloadPolicy.rules(version))
      #expect(try daemon.reload()["error"] == nil)
    }
    return daemon
  }

  @Test func thePolicyBeforeComesBackAndStays() throws {
    let daemon = try daemon([1, 2])
    let app = try Viewers.signedIn(daemon)
    let second = try #require(try daemon.status()["digest"])
    #expect(try app.version() == 2)
    let reply = try daemon.rollBack()
    #expect(reply["parameters"]?["changed"] == true)
    #expect(try app.version() == 1)
    let status = try daemon.status()
    #expect(status["source"] == "rolledBack")
    #expect(status["rolledBackFrom"] == .array([second]))
    // What was rolled back from does not come back by itself: not by a reload, not by a signal, not by a restart.
    #expect(try daemon.reload()["error"] == "org.webviewguard.Admin.RolledBack")
    let refused = try daemon.status()["lastLoad"]?["time"]
    daemon.hangUp()
    let deadline = Date(timeIntervalSinceNow: 240)
    while try daemon.status()["lastLoad"]?["time"] == refused, Date() < deadline { usleep(5_000) }
    #expect(try daemon.status()["lastLoad"]?["succeeded"] == false)
    #expect(try app.version() == 1)
    daemon.kill()
    try daemon.startAgain()
    #expect(try Viewers.signedIn(daemon).version() == 1)
    #expect(try daemon.status()["source"] == "rolledBack")
    let records = try daemon.records().filter { $0["type"] == "policy" && $0["source"] == "rolledBack" }
    #expect(records.map { $0["rolledBackFrom"] } == [second, second])
  }

  @Test func anotherConfigurationEndsIt() throws {
    let daemon = try daemon([1, 2])
    #expect(try daemon.rollBack()["error"] == nil)
    try daemon.writeRules(ReloadPolicy.broken)
    #expect(try daemon.reload()["error"] == "org.webviewguard.Admin.LoadFailed")
    #expect(try daemon.status()["source"] == "rolledBack", "a load that fails ends nothing")
    try daemon.writeRules(ReloadPolicy.third)
    #expect(try daemon.reload()["error"] == nil)
    let status = try daemon.status()
    #expect(status["source"] == "disk")
    #expect(status["rolledBackFrom"] == nil)
    daemon.stop()
    try daemon.startAgain()
    #expect(try Viewers.signedIn(daemon).version() == 3)
  }

  @Test func forceLoadsItAllTheSame() throws {
    let daemon = try daemon([1, 2])
    #expect(try daemon.rollBack()["error"] == nil)
    #expect(try daemon.reload(["force": true])["error"] == nil)
    #expect(try Viewers.signedIn(daemon).version() == 2)
    #expect(try daemon.status()["source"] == "disk")
    #expect(try daemon.reload()["parameters"]?["changed"] == false)
  }

  /// Step by step, as long as there is one; never to and fro.
  @Test func eachRollbackGoesFurtherBack() throws {
    let daemon = try daemon([1, 2, 3])
    let app = try Viewers.signedIn(daemon)
    var versions: [Int] = []
    for _ in 0..<2 {
      #expect(try daemon.rollBack()["error"] == nil)
      versions.append(try app.version())
    }
    #expect(versions == [2, 1])
    #expect(try daemon.rollBack()["error"] == "org.webviewguard.Admin.NothingToRollBackTo")
    #expect(try app.version() == 1)
    for version in [2, 3] {
      try daemon.writeRules(ReloadPolicy.rules(version))
      #expect(try daemon.reload()["error"] == "org.webviewguard.Admin.RolledBack", "version \(version)")
    }
  }

  @Test func aDigestNamesIt() throws {
    let daemon = try daemon([1, 2, 3])
    let digests = try #require(try daemon.status()["kept"]?.array).compactMap { $0["digest"]?.string }
    try #require(digests.count == 3)
    for unknown in ["", "0123", String(digests[2].prefix(7)), String(repeating: "0", count: 64), "../../etc"] {
      #expect(try daemon.rollBack(["to": .string(unknown)])["error"] == "org.webviewguard.Admin.UnknownPolicy")
    }
    #expect(try daemon.rollBack(["to": .string(digests[0])])["error"] == "org.webviewguard.Admin.NothingToRollBackTo")
    #expect(try daemon.rollBack(["to": .string(String(digests[2].prefix(8)))])["error"] == nil)
    #expect(try daemon.status()["digest"]?.string == digests[2])
    #expect(try Viewers.signedIn(daemon).version() == 1)
  }

  /// The policy that was rolled back to is gone: what was rolled back from is no substitute, and anything else is.
  @Test(arguments: [2, 3]) func aLostPolicyIsNotReplacedByWhatWasRolledBackFrom(_ onDisk: Int) throws {
    let daemon = try daemon([1, 2])
    #expect(try daemon.rollBack()["error"] == nil)
    daemon.stop()
    try FileManager.default.removeItem(at: try #require(daemon.keptPolicies.last))
    try daemon.writeRules(ReloadPolicy.rules(onDisk))
    try daemon.startAgain()
    let gone = "the policy that was rolled back to is not kept any more"
    // What came from disk is kept a little later than it is in force.
    let deadline = Date(timeIntervalSinceNow: 240)
    while onDisk == 3, try daemon.status()["keepError"] != nil, Date() < deadline { usleep(5_000) }
    let status = try daemon.status()
    #expect(status["state"] == (onDisk == 2 ? "noPolicy" : "ok"))
    #expect(status["keepError"]?.string == (onDisk == 2 ? gone : nil))
    #expect(daemon.stop().contains("a kept policy cannot be used"))
  }

  @Test func aTamperedPolicyIsNotGoneBackTo() throws {
    let daemon = try daemon([1, 2])
    let rules = try #require(daemon.keptPolicies.last).appendingPathComponent("rules/documents.yaml")
    try Data(ReloadPolicy.third.utf8).write(to: rules)
    let reply = try daemon.rollBack()
    #expect(reply["error"] == "org.webviewguard.Admin.LoadFailed")
    #expect(try Viewers.signedIn(daemon).version() == 2)
    #expect(try daemon.status()["rolledBackFrom"] == nil)
  }
}
