import Foundation
import JSONText
import TestSupport
import Testing

/// Timed exceptions across restarts, crashes and failing disks: what was answered holds, and doubt makes it strict.
@Suite struct ExceptionStateTests {
  /// Every grant that was answered is there after the crash, and every one that was taken back is gone.
  @Test func killedAtAnyMomentItKeepsWhatItAnswered() throws {
    var random = SeededGenerator()
    let daemon = try DaemonProcess(ExamplePolicy.files())
    var held: Set<String> = []
    for round in 0..<20 {
      let admin = try ExceptionGrants(daemon)
      let removed = Set(held.sorted().filter { _ in random.oneIn(3) })
      for number in 0..<12 {
        admin.peer.send(
          "org.webviewguard.Admin.AddException",
          ExceptionGrants.parameters(["host": .string("h\(round)-\(number).example")]))
      }
      for id in removed.sorted() { admin.peer.send("org.webviewguard.Admin.RemoveException", ["id": .string(id)]) }
      var (added, gone): (Set<String>, Set<String>) = ([], [])
      let waited = random.below(12 + removed.count)
      for _ in 0..<waited { note(try admin.peer.receive(), &added, &gone) }
      daemon.kill()
      while let reply = try? admin.peer.receive() { note(reply, &added, &gone) }
      try daemon.startAgain()
      let found = Set(try ExceptionGrants(daemon).list().compactMap { $0["id"]?.string })
      #expect(found.isSuperset(of: added), "round \(round), \(random.note)")
      #expect(found.isDisjoint(with: gone), "round \(round), \(random.note)")
      #expect(found.isSuperset(of: held.subtracting(removed)), "round \(round), \(random.note)")
      held = found
      let kept = try daemon.exceptionRecords().suffix(found.count)
      #expect(kept.allSatisfy { $0["act"] == "kept" }, "the log of each start says which it has")
    }
    #expect(held.count > 20, "\(held.count)")
  }

  private func note(_ reply: JSONTree?, _ added: inout Set<String>, _ gone: inout Set<String>) {
    guard let exception = reply?["parameters"]?["exception"], let id = exception["id"]?.string else { return }
    if exception["ended"] == nil { added.insert(id) } else { gone.insert(id) }
  }

  @Test func whatEndsWhileNoDaemonRunsIsOver() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let granted = try ExceptionGrants(daemon).add(["seconds": 1])
    daemon.kill()
    let until = try #require(granted["until"]?.int)
    usleep(UInt32(max(0, Double(until) / 1000 - Date().timeIntervalSince1970 + 0.05) * 1_000_000))
    try daemon.startAgain()
    #expect(try Viewers.signedIn(daemon).open("files.example")["reason"] == "blockedByRule")
    #expect(try ExceptionGrants(daemon).list(all: true).first?["ended"] == "over")
    #expect(try daemon.exceptionRecords().map { $0["act"] } == ["added", "ended"])
    daemon.kill()
    try daemon.startAgain()
    #expect(try daemon.exceptionRecords().count == 2, "told once")
  }

  @Test func aLostStateIsStrictAndSaysSo() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    try ExceptionGrants(daemon).add()
    daemon.kill()
    try Data("no state".utf8).write(to: daemon.stateDirectory.appendingPathComponent("state.db"))
    try daemon.startAgain()
    #expect(try Viewers.signedIn(daemon).open("files.example")["reason"] == "blockedByRule")
    let status = try ExceptionGrants(daemon).status()
    #expect(status["exceptions"] == nil && status["stateError"] != nil)
    #expect(try daemon.exceptionRecords().map { $0["act"] } == ["added", "lost"])
    #expect(daemon.stop().contains("no exception holds"))
  }

  /// The log is not what fails here: without a record nothing is granted either.
  @Test func aFullDiskGrantsNothingAndStillTakesBack() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(), arguments: ["--without-decision-log"])
    let app = try Viewers.signedIn(daemon)
    let admin = try ExceptionGrants(daemon)
    let id = try #require(try admin.add()["id"]?.string)
    try daemon.limitFiles(toBytes: 1)
    let refused = try admin.peer.reply(
      "org.webviewguard.Admin.AddException", ExceptionGrants.parameters(["host": "other.example"]))
    #expect(refused["error"] == "org.webviewguard.Admin.ExceptionNotKept")
    #expect(try app.open("other.example")["reason"] == "external")
    let removed = try admin.peer.reply("org.webviewguard.Admin.RemoveException", ["id": .string(id)])
    #expect(removed["error"] == "org.webviewguard.Admin.ExceptionNotKept")
    #expect(try app.open("files.example")["reason"] == "blockedByRule", "taken back all the same")
    daemon.kill()
    try daemon.startAgain()
    #expect(try ExceptionGrants(daemon).list() == [], "a file that missed it is not believed")
  }

  @Test func aDiskThatHasRoomAgainKeepsIt() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(), arguments: ["--without-decision-log"])
    let admin = try ExceptionGrants(daemon)
    let id = try #require(try admin.add()["id"]?.string)
    try daemon.limitFiles(toBytes: 1)
    _ = try admin.peer.reply("org.webviewguard.Admin.RemoveException", ["id": .string(id)])
    try daemon.limitFiles(toBytes: nil)
    let deadline = Date(timeIntervalSinceNow: 240)
    while try admin.status()["stateError"] != nil, Date() < deadline { usleep(50_000) }
    let other = try admin.add(["host": "other.example"])
    daemon.kill()
    try daemon.startAgain()
    #expect(try ExceptionGrants(daemon).list() == [other])
  }

  @Test func whileTheLogFailsNothingIsGranted() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    let admin = try ExceptionGrants(daemon)
    try daemon.limitFiles(toBytes: 1)
    _ = try? app.open("contoso.com")
    let why = try admin.refusal(ExceptionGrants.parameters())
    #expect(["logUnavailable", "noState", "org.webviewguard.Admin.ExceptionNotKept"].contains(why))
    #expect(try admin.list() == [])
  }

  @Test func withoutAStateOnlyUntilTheRestart() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(), arguments: ["--without-state"])
    let admin = try ExceptionGrants(daemon)
    #expect(try admin.refusal(ExceptionGrants.parameters()) == "noState")
    let granted = try admin.add(["untilRestart": true])
    #expect(granted["untilRestart"] == true)
    #expect(try Viewers.signedIn(daemon).open("files.example")["reason"] == "exception")
    daemon.kill()
    try daemon.startAgain()
    #expect(try Viewers.signedIn(daemon).open("files.example")["reason"] == "blockedByRule")
    #expect(try daemon.exceptionRecords().map { $0["act"] } == ["added"])
  }

  /// Kept nowhere, also where there is a place.
  @Test func whatEndsWithTheDaemonIsInNoFile() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    try ExceptionGrants(daemon).add(["untilRestart": true])
    daemon.stop()
    try daemon.startAgain()
    #expect(try ExceptionGrants(daemon).list(all: true) == [])
  }
}
