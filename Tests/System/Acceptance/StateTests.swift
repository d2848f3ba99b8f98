import Foundation
import GuardService
import JSONText
import TestSupport
import Testing

/// What outlives the daemon: after a crash no answer is weaker, and with the clients back each is the same.
@Suite struct StateTests {
  // MARK: Killed

  @Test func killedAtAnyMomentItNeverAnswersWeaker() throws {
    var random = SeededGenerator()
    let daemon = try DaemonProcess(ExamplePolicy.files(app: "identityMode: multi"))
    for round in 0..<30 {
      let story = ClipStory(&random)
      let app = try Programs.attach(daemon)
      let answered = try killWhileAsked(story, app, daemon, &random)
      try daemon.startAgain()
      let other = try Programs.attach(daemon, as: "me@example.org")
      let back = try Programs.attach(daemon, token: app.token)
      #expect(back.token == app.token)
      for selection in ClipStory.selections {
        let expected = Set((answered...story.events.count).map { story.isManaged(selection, after: $0) })
        let note = "round \(round), \(selection), \(answered) answered; \(random.note)"
        let blocked = try other.paste(selection)["outcome"] == "block"
        #expect(expected.contains(blocked), "\(note)")
        #expect(try (back.paste(selection, in: "P")["outcome"] == "block") == blocked, "\(note)")
        // An owner that nobody knows would be a third reason.
        let reason = blocked ? "sameAccount" : "incomingRestricted"
        #expect(try back.paste(selection)["reason"]?.string == reason, "\(note)")
      }
    }
  }

  /// Asks how the story begins, sends its other events at once, ends the daemon as a crash does while it answers them, and returns how many it had
  /// answered.
  private func killWhileAsked(
    _ story: ClipStory, _ app: Programs, _ daemon: DaemonProcess, _ random: inout SeededGenerator
  ) throws -> Int {
    for event in story.events[..<story.opening] { _ = try app.peer.decide(event.method, event.json) }
    let rest = story.events[story.opening...]
    for event in rest { app.peer.send("org.webviewguard.Guard." + event.method, ["event": event.json]) }
    var answered = story.opening
    for _ in 0..<random.below(rest.count) where try app.peer.receive() != nil { answered += 1 }
    daemon.kill()
    while let reply = try? app.peer.receive(), reply["parameters"]?["decision"] != nil { answered += 1 }
    return answered
  }

  /// The program shows an account's data; until it has said so again it does not count as one that never did.
  @Test func whoComesBackOwesItsIdentity() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(app: "identityMode: multi"))
    let shown = try Programs.attach(daemon)
    let never = try Programs.attach(daemon, as: nil)
    let navigation: JSONTree = ["url": "https://www.example.net/", "frame": "main"]
    #expect(try never.peer.decide("Navigate", navigation)["outcome"] == "allow")
    daemon.kill()
    try daemon.startAgain()
    let back = try Programs.attach(daemon, as: nil, token: shown.token)
    let answer = try back.peer.decide("Navigate", navigation)
    #expect(answer["outcome"] == "block")
    #expect(answer["reason"] == "noIdentity")
    let free = try Programs.attach(daemon, as: nil, token: never.token)
    #expect(try free.peer.decide("Navigate", navigation)["outcome"] == "allow")
    let invented = try daemon.connect().reply("org.webviewguard.Guard.Attach", ["instance": "0123"])
    #expect(invented["error"] == "org.webviewguard.Guard.UnknownInstance")
  }

  /// One window's word is not taken for another's.
  @Test func everyWindowOwesItsIdentity() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(app: "identityMode: multi"))
    let first = try Programs.attach(daemon, as: nil)
    for window in ["a", "b"] {
      try first.peer.ask("SetIdentity", ["level": "window", "window": .string(window), "account": "work@contoso.com"])
    }
    daemon.kill()
    try daemon.startAgain()
    let back = try Programs.attach(daemon, as: nil, token: first.token)
    for window in ["a", "b", "c"] {
      try back.peer.ask("RegisterViewer", ["viewer": .string(window), "class": "documents", "window": .string(window)])
    }
    try back.peer.ask("SetIdentity", ["level": "window", "window": "a", "account": "work@contoso.com"])
    var reasons: [String?] = []
    for viewer in ["a", "b", "c"] {
      let navigation: JSONTree = ["viewer": .string(viewer), "url": "https://www.example.net/", "frame": "main"]
      let answer = try back.peer.decide("Navigate", navigation)
      reasons.append("\(answer["outcome"]?.string ?? "") \(answer["reason"]?.string ?? "")")
    }
    #expect(reasons == ["redirect external", "block noIdentity", "allow noIdentity"])
  }

  @Test func aClipOfADaemonBeforeIsRecognised() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(app: "identityMode: multi"))
    let app = try Programs.attach(daemon)
    let clip = try #require(try app.copy("E")["clip"]?.string)
    daemon.kill()
    try daemon.startAgain()
    let back = try Programs.attach(daemon)
    _ = try back.copy("P")
    #expect(try back.paste("clipboard", in: "P")["outcome"] == "block", "nobody saw the copy happen")
    _ = try back.fill("P")
    #expect(try back.paste("clipboard", clip: clip)["outcome"] == "allow", "the same account")
    #expect(try back.paste("clipboard", in: "P", clip: clip)["reason"] == "orgData")
    #expect(try back.paste("clipboard", in: "P", clip: "clip-0000000000000001-1")["reason"] == "ownerUnknown")
    #expect(try back.paste("clipboard", in: "P")["outcome"] == "allow")
  }

  // MARK: Lost

  @Test(arguments: ["", "SQLite format 3\0 and then something else", "half"])
  func aDamagedFileCountsAsLost(_ damage: String) throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(app: "identityMode: multi"))
    _ = try Programs.attach(daemon).copy("P")
    daemon.stop()
    let file = daemon.stateDirectory.appendingPathComponent("state.db")
    let whole = try Data(contentsOf: file)
    try (damage == "half" ? whole.prefix(whole.count / 2) : Data(damage.utf8)).write(to: file)
    try daemon.startAgain()
    let app = try Programs.attach(daemon)
    #expect(try app.paste("clipboard", in: "P")["reason"] == "ownerUnknown")
    let status = try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Status")
    #expect(status["stateFile"]?.string == file.path)
    if !damage.isEmpty {
      #expect(status["stateError"]?.string?.isEmpty == false)
      let names = try FileManager.default.contentsOfDirectory(atPath: daemon.stateDirectory.path)
      #expect(names.contains { $0.hasPrefix("state.db.unusable-") })
    }
    _ = try app.copy("P")
    #expect(try app.paste("clipboard", in: "P")["outcome"] == "allow", "the next copy is known again")
    if !damage.isEmpty { #expect(daemon.stop().contains("the state is lost")) }
  }

  @Test func withoutAPlaceItRunsAndSaysSo() throws {
    let daemon = try DaemonProcess(
      ExamplePolicy.files(app: "identityMode: multi"), arguments: ["--state-dir", "/dev/null/x"])
    let status = try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Status")
    #expect(status["stateFile"] == nil)
    #expect(status["stateError"]?.string?.contains("/dev/null") == true)
    let app = try Programs.attach(daemon)
    _ = try app.copy("P")
    #expect(try app.paste("clipboard", in: "P")["outcome"] == "allow")
    #expect(daemon.stop().contains("the state is lost"))
  }

  /// What a daemon without a state did is not in the file, so the file is not believed afterwards.
  @Test func aFileThatMissedAnAnswerIsNotBelieved() throws {
    let daemon = try DaemonProcess(
      ExamplePolicy.files(app: "identityMode: multi"), arguments: ["--without-decision-log"])
    let app = try Programs.attach(daemon)
    _ = try app.copy("P")
    try daemon.limitFiles(toBytes: 1)
    _ = try app.copy("E")
    #expect(try app.paste("clipboard", in: "P")["reason"] == "orgData")
    let doubt = daemon.directory.appendingPathComponent("run/state.doubt").path
    #expect(FileManager.default.fileExists(atPath: doubt))
    let admin = try daemon.connectAsAdministrator()
    #expect(try admin.call("org.webviewguard.Admin.Status")["stateError"]?.string?.isEmpty == false)
    daemon.kill()
    try daemon.startAgain()
    #expect(try Programs.attach(daemon).paste("clipboard", in: "P")["reason"] == "ownerUnknown")
    #expect(!FileManager.default.fileExists(atPath: doubt))
  }

  @Test func aDiskThatHasRoomAgainLosesNothing() throws {
    let daemon = try DaemonProcess(
      ExamplePolicy.files(app: "identityMode: multi"), arguments: ["--without-decision-log"])
    let app = try Programs.attach(daemon)
    try daemon.limitFiles(toBytes: 1)
    _ = try app.copy("E")
    try daemon.limitFiles(toBytes: nil)
    let doubt = daemon.directory.appendingPathComponent("run/state.doubt").path
    let deadline = Date(timeIntervalSinceNow: 240)
    while FileManager.default.fileExists(atPath: doubt), Date() < deadline { usleep(50_000) }
    #expect(!FileManager.default.fileExists(atPath: doubt))
    daemon.kill()
    try daemon.startAgain()
    #expect(try Programs.attach(daemon).paste("clipboard", in: "P")["reason"] == "orgData")
  }

  @Test func withoutAStateTheNextCopyIsWaitedFor() throws {
    let daemon = try DaemonProcess(
      ExamplePolicy.files(app: "identityMode: multi"), arguments: ["--without-state"])
    _ = try Programs.attach(daemon).copy("P")
    daemon.kill()
    try daemon.startAgain()
    #expect(try Programs.attach(daemon).paste("clipboard", in: "P")["reason"] == "ownerUnknown")
    #expect(daemon.stop().contains("nothing outlives the daemon"))
  }

  // MARK: Time

  @Test func aClockThatIsSetBackRevivesNothing() throws {
    let end = Date(timeIntervalSinceNow: 3600).formatted(.iso8601)
    let rules = """
      ruleSet: documents
      default: external
      rules:
        - { id: visitor-wifi, internal: { host: portal.hotel.example }, expires: "\(end)" }
      """
    let daemon = try DaemonProcess(ExamplePolicy.files(rules: rules))
    let navigation: JSONTree = ["viewer": "E", "url": "https://portal.hotel.example/", "frame": "main"]
    #expect(try Viewers.signedIn(daemon).peer.decide("Navigate", navigation)["rule"] == "visitor-wifi")
    daemon.kill()
    // Two hours pass, are seen, and are taken back.
    let opened = try OpenedState(
      at: StatePlace(directory: daemon.stateDirectory.path),
      doubt: DoubtMark(path: daemon.directory.appendingPathComponent("run/state.doubt").path))
    var later = StateRecords()
    later.latest = UInt64(Date(timeIntervalSinceNow: 7200).timeIntervalSince1970 * 1000)
    let writer = try #require(opened.writer)
    writer.submit(later, through: 1)
    #expect(writer.stop().failure == nil)
    try daemon.startAgain()
    #expect(try Viewers.signedIn(daemon).peer.decide("Navigate", navigation)["rule"] == "default")
    #expect(daemon.stop().contains("the clock is behind"))
  }

  // MARK: Memory

  @Test func aMillionEventsLeaveMemoryWhereItWas() throws {
    let daemon = try DaemonProcess(
      ExamplePolicy.files(settings: "graceSeconds: 0\n", app: "identityMode: multi"),
      arguments: ["--without-decision-log"])
    var random = SeededGenerator()
    let events = Effort.scaled(1_000_000)
    try ask(events / 5, daemon, &random)
    let before = try residentKilobytes(daemon)
    try ask(events * 4 / 5, daemon, &random)
    let after = try residentKilobytes(daemon)
    #expect(after < before + 16_384, "\(before) kB, then \(after) kB; \(random.note)")
    let files = try FileManager.default.contentsOfDirectory(atPath: daemon.stateDirectory.path)
    for file in files {
      let size = try FileManager.default.attributesOfItem(atPath: daemon.stateDirectory.path + "/" + file)[.size]
      #expect((size as? Int ?? 0) < 64 << 20, "\(file)")
    }
  }

  /// Events with ever new names, from programs that come and go.
  private func ask(_ events: Int, _ daemon: DaemonProcess, _ random: inout SeededGenerator) throws {
    let batch = 200
    var app = try Programs.attach(daemon)
    for number in 0..<events / batch {
      if number % 50 == 49 { app = try Programs.attach(daemon) }
      var bytes: [UInt8] = []
      for _ in 0..<batch { bytes += Array(ClipStory.anyCall(&random).utf8) + [0] }
      #expect(try app.peer.count(batch, to: bytes) == batch)
    }
  }

  private func residentKilobytes(_ daemon: DaemonProcess) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(daemon.pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}
