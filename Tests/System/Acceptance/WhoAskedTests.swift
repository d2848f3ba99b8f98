import Foundation
import JSONText
import Testing

/// Records of what administrators do say who did it.
@Suite struct WhoAskedTests {
  private func loads(_ daemon: DaemonProcess) throws -> [JSONTree] {
    try daemon.records().filter { $0["type"]?.string == "policy" }
  }

  /// The user of this process as the system calls it.
  private var user: String? { getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } }

  private func expectAsked(_ record: JSONTree, by count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(record["uid"]?.int == Int64(getuid()), "\(record.text())", sourceLocation: sourceLocation)
    #expect(record["pid"]?.int == Int64(getpid()), sourceLocation: sourceLocation)
    #expect(record["user"]?.string == user, sourceLocation: sourceLocation)
    #expect(1 + (record["alsoAsked"]?.array?.count ?? 0) == count, sourceLocation: sourceLocation)
  }

  @Test func aLoadSaysWhoAskedForIt() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    try daemon.waitUntilKept()
    try daemon.writeRules(ReloadPolicy.second)
    #expect(try daemon.reload()["error"] == nil)
    try daemon.writeRules(ReloadPolicy.broken)
    #expect(try daemon.reload()["error"] == "org.webviewguard.Admin.LoadFailed")
    try daemon.writeRules(ReloadPolicy.second)
    #expect(try daemon.rollBack()["error"] == nil)
    #expect(try daemon.rollBack()["error"] == "org.webviewguard.Admin.NothingToRollBackTo")
    #expect(try daemon.rollBack(["to": "00000000"])["error"] == "org.webviewguard.Admin.UnknownPolicy")
    #expect(try daemon.reload()["error"] == "org.webviewguard.Admin.RolledBack")
    #expect(try daemon.reload(["preview": true])["error"] == nil)
    #expect(try daemon.reload(["force": true])["error"] == nil)
    let said = daemon.stop()
    let records = try loads(daemon)
    let told = records.map { record in
      [
        record["order"]?.string, record["refusal"]?.string, record["loaded"]?.bool == true ? "loaded" : nil,
        record["forced"]?.bool == true ? "forced" : nil,
      ].compactMap(\.self).joined(separator: " ")
    }
    #expect(
      told == [
        "start loaded", "reload loaded", "reload", "rollback loaded", "rollback nothingToRollBackTo",
        "rollback unknownPolicy", "reload rolledBack", "reload loaded forced",
      ])
    #expect(records.first?["uid"] == nil && records.first?["user"] == nil, "nobody asks for a start")
    for record in records.dropFirst() { expectAsked(record) }
    let name = user.map { "\($0) (uid \(getuid()))" } ?? "uid \(getuid())"
    let lines = said.split(separator: "\n").count { $0.contains("by=") && $0.contains(name) }
    #expect(lines == 8, "the journal says it as well; of a rollback in two lines")
  }

  /// Nobody knows who sent a signal; after one the daemon does not say that somebody asked before.
  @Test func aSignalIsNobodys() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    #expect(try daemon.reload()["error"] == nil)
    let before = try daemon.status()["lastLoad"]?["time"]
    daemon.hangUp()
    let deadline = Date(timeIntervalSinceNow: 20)
    while try daemon.status()["lastLoad"]?["time"] == before, Date() < deadline { usleep(5_000) }
    daemon.stop()
    try daemon.startAgain()
    daemon.stop()
    let records = try loads(daemon)
    #expect(records.map { $0["order"]?.string } == ["start", "reload", "signal", "start"])
    #expect(records.map { $0["uid"] != nil } == [false, true, false, false])
  }

  /// Several who ask for the same at once are answered by one load; all of them are named.
  @Test func oneLoadForManyNamesThemAll() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let many = 24
    let peers = try (0..<many).map { _ in try daemon.connectAsAdministrator() }
    for peer in peers { peer.send("org.webviewguard.Admin.Reload", [:]) }
    for peer in peers { #expect(try peer.receive()?["error"] == nil) }
    daemon.stop()
    let records = try loads(daemon).dropFirst()
    let named = records.map { 1 + ($0["alsoAsked"]?.array?.count ?? 0) }.reduce(0, +)
    #expect(named == many && records.count < many, "\(records.count) loads")
    for record in records { #expect(record["uid"]?.int == Int64(getuid())) }
  }

  /// A rule that expires does so by itself, however lately somebody asked for something.
  @Test func whatEndsAtItsTimeIsNobodys() throws {
    let soon = Date(timeIntervalSinceNow: 3).formatted(.iso8601)
    let rules = """
      ruleSet: documents
      default: external
      rules:
        - { id: tenant, internal: { domain: contoso.com, scheme: https }, expires: "\(soon)" }
      """
    let daemon = try DaemonProcess(ExamplePolicy.files(rules: rules))
    #expect(try daemon.reload()["error"] == nil)
    let deadline = Date(timeIntervalSinceNow: 30)
    while try !loads(daemon).contains(where: { $0["expired"] != nil }), Date() < deadline { usleep(50_000) }
    daemon.stop()
    let over = try #require(try loads(daemon).first { $0["expired"] != nil })
    #expect(over["uid"] == nil && over["order"] == nil)
  }

  /// Exceptions: granted and taken back by somebody, ended by nobody.
  @Test func exceptionsSayWhoAsked() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let grants = try ExceptionGrants(daemon)
    let taken = try #require(try grants.add()["id"]?.string)
    try grants.remove(taken)
    try grants.add(["seconds": 1])
    let deadline = Date(timeIntervalSinceNow: 30)
    while try !daemon.records().contains(where: { $0["act"]?.string == "ended" }), Date() < deadline { usleep(50_000) }
    daemon.stop()
    let records = try daemon.records().filter { $0["type"]?.string == "exception" }
    #expect(records.map { $0["act"]?.string } == ["added", "removed", "added", "ended"])
    for record in records.dropLast() { expectAsked(record) }
    #expect(records.last?["uid"] == nil)
    #expect(records.last?["grantedBy"]?.string == user.map { "\($0) (uid \(getuid()))" })
  }
}
