import Foundation
import JSONText
import TestSupport
import Testing

/// SIGKILL while policies are loaded and kept: what is kept is whole, and is the last or the one before.
@Suite struct KeptPolicyCrashTests {
  @Test func killedAtAnyMomentAWholePolicyIsKept() throws {
    var random = SeededGenerator()
    let daemon = try DaemonProcess(ExamplePolicy.files())
    try daemon.waitUntilKept()
    for round in 0..<12 {
      let current = try Viewers.signedIn(daemon).version()
      let next = current % 3 + 1
      try daemon.writeRules(ReloadPolicy.rules(next))
      let administrator = try daemon.connectAsAdministrator()
      administrator.send("org.webviewguard.Admin.Reload")
      usleep(UInt32(random.below(120_000)))
      daemon.kill()
      try daemon.writeRules(ReloadPolicy.broken)
      try daemon.startAgain()
      let status = try daemon.status()
      #expect(status["source"] == "lastGood", "round \(round); \(random.note)")
      #expect(status["keepError"] == nil, "round \(round); \(random.note)")
      let version = try Viewers.signedIn(daemon).version()
      #expect([current, next].contains(version), "round \(round); \(random.note)")
    }
  }

  /// A full disk: the policy is in force, nothing half is kept, and status says so until there is room again.
  @Test func aFullDiskKeepsTheOldOnes() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(), arguments: ["--without-decision-log"])
    try daemon.waitUntilKept()
    let kept = daemon.keptPolicies
    try daemon.limitFiles(toBytes: 16)
    try daemon.writeRules(ReloadPolicy.second)
    #expect(try daemon.reload()["error"] == nil)
    #expect(try Viewers.signedIn(daemon).version() == 2)
    #expect(try daemon.status()["keepError"]?.string?.isEmpty == false)
    #expect(daemon.keptPolicies == kept)
    try daemon.limitFiles(toBytes: nil)
    #expect(try daemon.reload()["parameters"]?["changed"] == false)
    #expect(try daemon.status()["keepError"] == nil)
    #expect(daemon.keptPolicies.count == 2)
  }
}
