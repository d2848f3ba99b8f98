import Foundation
import JSONText
import TestSupport
import Testing

/// How connections and the daemon end: nobody loses an answer that was decided.
@Suite struct EndingTests {
  private let navigation: JSONTree = ["event": ["viewer": "E", "url": "https://www.example.net/", "frame": "main"]]

  @Test func whoHasSaidEverythingStillGetsTheAnswers() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    for _ in 0..<20 {
      let app = try Viewers.signedIn(daemon)
      for _ in 0..<100 { app.peer.send("org.webviewguard.Guard.Navigate", navigation) }
      app.peer.endInput()
      for _ in 0..<100 { #expect(try app.peer.receive()?["parameters"]?["decision"] != nil) }
      #expect(try app.peer.receive() == nil)
    }
  }

  @Test func whatWasDecidedBeforeGarbageIsAnswered() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    app.peer.send("org.webviewguard.Guard.Navigate", navigation)
    app.peer.send(Array("garbage".utf8) + [0])
    #expect(try app.peer.receive()?["parameters"]?["decision"] != nil)
    #expect(try app.peer.receive() == nil)
  }

  @Test func aHangUpThatComesTooEarlyHarmsNothing() throws {
    for _ in 0..<5 {
      let daemon = try DaemonProcess(ExamplePolicy.files(), hangUpWhileStarting: true)
      #expect(try daemon.connect().ask("WhoAmI")["uid"] != nil)
    }
  }

  @Test func answersThatCannotBeRecordedAreWithdrawnAndTheLogSaysSo() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    let allowed: JSONTree = ["event": ["viewer": "E", "url": "https://www.contoso.com/", "frame": "main"]]
    try daemon.limitFiles(toBytes: 1)
    #expect(
      try app.peer.reply("org.webviewguard.Guard.Navigate", allowed)["error"]?.string
        == "org.webviewguard.Guard.LogUnavailable")
    let restricted = try app.peer.decide("Navigate", ["viewer": "E", "url": "https://x.example/", "frame": "main"])
    #expect(restricted["outcome"]?.string == "redirect", "a restriction needs no log")
    try daemon.limitFiles(toBytes: nil)
    let deadline = Date(timeIntervalSinceNow: 240)
    while try !daemon.records().contains(where: { $0["type"] == "failure" }), Date() < deadline { usleep(100_000) }
    #expect(try app.peer.decide("Navigate", allowed["event"] ?? .null)["outcome"]?.string == "allow")
    let records = try daemon.records()
    let withdrawn = records.filter { $0["type"] == "withdrawn" }.compactMap { $0["id"]?.string }
    #expect(withdrawn.count == 1)
    let record = records.first { $0["type"] == "decision" && $0["id"]?.string == withdrawn.first }
    #expect(record?["outcome"] == "allow")
  }

  @Test func whatIsInTheLogWasAnsweredWhenTheDaemonEnds() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    for _ in 0..<60 { app.peer.send("org.webviewguard.Guard.Navigate", navigation) }
    daemon.stop()
    var answered = 0
    while let reply = try? app.peer.receive(), reply["parameters"]?["decision"] != nil { answered += 1 }
    #expect(try daemon.records().filter { $0["type"] == "decision" }.count == answered)
  }

  @Test func anOrderlyEndIsRecorded() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    daemon.stop()
    #expect(try daemon.records().last?["type"] == "stop")
    #expect(daemon.exitStatus == 0)
  }

  @Test func aSecondDaemonIsRefused() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let second = Process()
    let messages = Pipe()
    second.executableURL = try BuiltProgram.url
    second.arguments = ["serve", "--socket-dir", daemon.directory.appendingPathComponent("run").path]
    second.standardError = messages
    try second.run()
    second.waitUntilExit()
    let said = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(second.terminationStatus == 2)
    #expect(said.contains("another daemon serves"))
    #expect(try daemon.connect().ask("WhoAmI")["uid"] != nil)
  }
}
