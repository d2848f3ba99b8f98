import Foundation
import JSONText
import Testing

/// A bad configuration at the start: the last policy that was in force is used, and nothing else.
@Suite struct LastGoodTests {
  private func brokenAgain() throws -> DaemonProcess {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    try daemon.waitUntilKept()
    try daemon.writeRules(ReloadPolicy.second)
    #expect(try daemon.reload()["error"] == nil)
    #expect(daemon.keptPolicies.count == 2)
    daemon.stop()
    try daemon.writeRules(ReloadPolicy.broken)
    return daemon
  }

  @Test func aBadConfigurationAtTheStartIsReplacedByTheLastGoodOne() throws {
    let daemon = try brokenAgain()
    try daemon.startAgain()
    let status = try daemon.status()
    #expect(status["state"] == "ok")
    #expect(status["source"] == "lastGood")
    #expect(status["lastError"]?.string?.contains("documents.yaml:2:10: error") == true)
    #expect(status["lastLoad"]?["succeeded"] == false)
    #expect(status["kept"]?.array?.first?["digest"] == status["digest"])
    #expect(try Viewers.signedIn(daemon).version() == 2)
    let said = daemon.stop()
    #expect(said.contains("the last good policy is in force"))
    let loads = try daemon.records().filter { $0["type"] == "policy" }.suffix(2)
    #expect(loads.map { $0["loaded"] } == [false, true])
    #expect(loads.last?["source"] == "lastGood")
  }

  /// Mended, the configuration on disk is in force again, and nothing remembers.
  @Test func aMendedConfigurationEndsIt() throws {
    let daemon = try brokenAgain()
    try daemon.startAgain()
    try daemon.writeRules(ReloadPolicy.third)
    #expect(try daemon.reload()["parameters"]?["changed"] == true)
    let status = try daemon.status()
    #expect(status["source"] == "disk")
    #expect(status["lastError"] == nil)
    #expect(try Viewers.signedIn(daemon).version() == 3)
    #expect(daemon.keptPolicies.count == 3)
  }

  @Test func onlyThreeAreKept() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    try daemon.waitUntilKept()
    for name in ["a", "b", "c", "d"] {
      try daemon.writeRules(ExamplePolicy.rules.replacing("id: tenant", with: "id: tenant-\(name)"))
      #expect(try daemon.reload()["error"] == nil)
    }
    #expect(daemon.keptPolicies.count == 3)
    let status = try daemon.status()
    #expect(status["kept"]?.array?.first?["digest"] == status["digest"])
    #expect(status["kept"]?.array?.count == 3)
  }

  /// Who can write there could put any policy in force.
  @Test(arguments: ["written by others", "other rules", "one file more", "a link", "gone", "another name"])
  func whatSomebodyElseMayHaveWrittenIsNotUsed(_ how: String) throws {
    let daemon = try brokenAgain()
    try tamper(how, try #require(daemon.keptPolicies.first))
    if how == "gone" { try FileManager.default.removeItem(at: try #require(daemon.keptPolicies.first)) }
    try daemon.startAgain()
    let status = try daemon.status()
    #expect(status["state"] == "noPolicy")
    #expect(status["source"] == nil)
    let navigation = try daemon.connect().decide("Navigate", ["url": "https://news.example/"])
    #expect(navigation["outcome"] == "block")
    let aside = daemon.stateDirectory.appendingPathComponent("policy/unusable").path
    guard how != "gone" else { return }
    #expect(FileManager.default.fileExists(atPath: aside))
    #expect(status["keepError"]?.string?.isEmpty == false)
    // Whoever knows what an older one says may go back to it.
    #expect(try daemon.rollBack()["error"] == nil)
    #expect(try Viewers.signedIn(daemon).version() == 1)
    #expect(daemon.stop().contains("a kept policy cannot be used"))
    try daemon.startAgain()
    #expect(try daemon.status()["source"] == "rolledBack")
  }

  private func tamper(_ how: String, _ kept: URL) throws {
    let rules = kept.appendingPathComponent("rules/documents.yaml")
    switch how {
    case "written by others": chmod(rules.path, 0o666)
    case "other rules": try Data(ExamplePolicy.rules.utf8).write(to: rules)
    case "one file more": try Data("apps: {}\n".utf8).write(to: kept.appendingPathComponent("policy.d/z.yaml"))
    case "a link":
      let elsewhere = kept.deletingLastPathComponent().appendingPathComponent("elsewhere.yaml")
      try FileManager.default.moveItem(at: rules, to: elsewhere)
      try FileManager.default.createSymbolicLink(at: rules, withDestinationURL: elsewhere)
    case "another name":
      let digest = String(repeating: "0", count: 64)
      let name = kept.lastPathComponent.prefix(21) + digest
      try FileManager.default.moveItem(
        at: kept, to: kept.deletingLastPathComponent().appendingPathComponent(String(name)))
    default:
      // The older ones as well.
      let folder = kept.deletingLastPathComponent()
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != kept.lastPathComponent
      {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      }
    }
  }

  /// Lists are kept as well, with the time at which they changed.
  @Test func listsAreKept() throws {
    let rules = """
      ruleSet: documents
      default: external
      rules:
        - { id: tenant, internal: { domain: contoso.com, scheme: https } }
        - { id: sharing, external: { list: { file: lists/sharing.txt, format: domains } }, then: block }
      """
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let folder = daemon.directory.appendingPathComponent("configuration/rules/lists")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try daemon.write("files.example\n", to: "rules/lists/sharing.txt")
    try daemon.writeRules(rules)
    let loaded = try daemon.reload()
    try #require(loaded["error"] == nil, "\(loaded)")
    let lists = try daemon.status()["lists"]?.array
    daemon.stop()
    try FileManager.default.removeItem(at: folder)
    try daemon.startAgain()
    let app = try Viewers.signedIn(daemon)
    #expect(try app.navigation(to: "https://files.example/")["reason"] == "blockedByRule")
    #expect(try daemon.status()["lists"]?[0]?["modified"] == lists?.first?["modified"])
  }

  @Test func withoutAPlaceNothingIsKeptAndStatusSaysSo() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(), arguments: ["--without-state"])
    #expect(try daemon.status()["keepError"]?.string == "nothing outlives the daemon, so no policy is kept")
    #expect(try daemon.rollBack()["error"] == "org.webviewguard.Admin.NothingToRollBackTo")
    daemon.stop()
    try daemon.writeRules(ReloadPolicy.broken)
    try daemon.startAgain()
    #expect(try daemon.status()["state"] == "noPolicy")
  }
}
