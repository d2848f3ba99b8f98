import JSONText
import Testing

/// Every event of the data paths is answered over the socket, and with what is to be done.
@Suite struct DataPathTests {
  private let daemon: DaemonProcess
  private let app: DataApp

  init() throws {
    daemon = try DaemonProcess(DataPolicy.files())
    app = try DataApp(daemon)
  }

  @Test func everyEventIsAnswered() throws {
    let found = try Self.events.map { try app.answer($0.method, $0.event) }
    #expect(found == Self.events.map(\.answer))
    daemon.stop()
    let records = try daemon.records().filter { $0["type"] == "decision" }
    #expect(
      records.map { $0["reason"]?.string } == Self.events.map { $0.answer.split(separator: " ").last.map(String.init) })
  }

  static let events: [(method: String, event: JSONTree, answer: String)] = [
    ("Download", ["viewer": "E", "url": "https://www.contoso.com/a.pdf"], "block saveLocationNotListed"),
    ("Download", ["viewer": "E", "url": "https://x.files.example/a.pdf"], "block blockedByRule"),
    ("Upload", ["viewer": "E", "url": "https://www.contoso.com/in"], "allow transferAllowed"),
    (
      "Save", ["viewer": "E", "location": "sharePoint", "locationAccount": "work@contoso.com"],
      "allow locationAllowed"
    ),
    ("Save", ["viewer": "E", "location": "box"], "block saveLocationNotListed"),
    ("Save", ["viewer": "E", "inPlace": true, "path": "/srv/contoso/a"], "allow inPlace"),
    (
      "Open", ["viewer": "P", "location": "sharePoint", "locationAccount": "work@contoso.com"],
      "block outgoingRestricted"
    ),
    (
      "Receive", ["viewer": "E", "peer": "com.contoso.mail", "peerAccount": "work@contoso.com"], "allow transferAllowed"
    ),
    ("Share", ["viewer": "E", "peer": "org.example.chat.desktop"], "block outgoingRestricted"),
    ("Share", ["viewer": "E", "peer": "com.contoso.mail", "peerAccount": "WORK@contoso.com"], "allow transferAllowed"),
    ("Share", ["viewer": "P", "peer": "org.example.chat.desktop"], "allow unmanaged"),
    ("Print", ["viewer": "E"], "block printBlocked"),
    ("Capture", ["viewer": "E", "capture": "screenshot"], "allow captureAllowed"),
    ("Notify", ["viewer": "E"], "redact notificationRedacted"),
    ("OpenURL", ["viewer": "E", "url": "https://news.example/"], "redirect external"),
    ("Exchange", ["viewer": "E", "channel": "backup"], "allow channelAllowed"),
    ("Index", ["viewer": "E"], "block indexBlocked"),
  ]

  @Test func dutiesComeWithTheAnswer() throws {
    let saved = try app.decide(
      "Save", ["viewer": "E", "location": "sharePoint", "locationAccount": "work@contoso.com"])
    #expect(saved["setOwner"]?.string == "work@contoso.com")
    #expect(saved["mustEncrypt"]?.bool == true)
    #expect(saved["location"]?.string == "sharePoint")
    #expect(saved["mode"]?.string == "enforced")
    #expect(saved["notes"] == nil && saved["advice"] == nil && saved["tagAs"] == nil)
  }

  /// What nobody knows is judged strictly, and the answer says what it was.
  @Test func theUnknownIsJudgedStrictlyAndNamed() throws {
    for (method, event, answer, note) in Self.unknown {
      let decision = try app.decide(method, event)
      #expect("\(decision["outcome"]?.string ?? "") \(decision["reason"]?.string ?? "")" == answer, "\(event.text())")
      let notes = decision["notes"]?.text() ?? ""
      #expect(note.map { notes.contains("\"\($0)\"") } ?? true, "\(event.text()): \(notes)")
    }
    let stranger = try app.decide("Print", ["viewer": "nobody"])
    #expect(stranger["outcome"]?.string == "block" && stranger["viewerIsUnknown"]?.bool == true)
  }

  private static let unknown: [(String, JSONTree, String, String?)] = [
    ("Save", ["viewer": "E", "location": "moonBase"], "block saveLocationNotListed", "unknownLocation"),
    (
      "Save", ["viewer": "E", "location": "sharePoint", "path": "/srv/../home/x"], "block saveLocationNotListed",
      "unreadablePath"
    ),
    (
      "Save", ["viewer": "P", "location": "sharePoint", "locationAccount": "who@unknown.example"],
      "block unknownAccount", "unknownLocationAccount"
    ),
    (
      "Save", ["viewer": "P", "owner": "who@unknown.example", "location": "box"], "block unknownAccount", "unknownOwner"
    ),
    (
      "Share", ["viewer": "P", "peer": "x.desktop", "peerAccount": "who@unknown.example"], "block unknownAccount",
      "unknownPeerAccount"
    ),
    ("Share", ["viewer": "E", "peer": "x.desktop"], "block outgoingRestricted", "unknownPeer"),
    ("Exchange", ["viewer": "E", "channel": "telepathy"], "block channelBlocked", "unknownChannel"),
    ("Capture", ["viewer": "E", "capture": "hologram"], "allow captureAllowed", "unknownCapture"),
  ]

  @Test func setIdentityRefusesWhatThePolicyDoesNotKnow() throws {
    let account = try app.peer.reply(
      "org.webviewguard.Guard.SetIdentity", ["level": "scope", "account": "who@unknown.example"])
    #expect(account["error"]?.string == "org.webviewguard.Guard.UnknownAccount")
    let second = try app.peer.reply(
      "org.webviewguard.Guard.SetIdentity", ["level": "scope", "account": "other@contoso.com"])
    #expect(second["error"]?.string == "org.webviewguard.Guard.SecondManagedAccount")
    #expect(second["parameters"]?["account"]?.string == "work@contoso.com")
    #expect(try app.answer("Share", ["viewer": "P", "peer": "x.desktop"]) == "allow unmanaged", "nothing changed")
  }

  /// Without the features what needs them is a block that says so.
  @Test func whatTheAppCannotDoIsBlocked() throws {
    let plain = try DataApp(daemon, features: [])
    let notified = try plain.decide("Notify", ["viewer": "E"])
    #expect(notified["outcome"]?.string == "block" && notified["notes"]?.text() == #"["cannotRedact"]"#)
    let received = try plain.decide("Receive", ["viewer": "E", "peer": "x.desktop"])
    #expect(received["outcome"]?.string == "block")
    #expect(received["notes"]?.text().contains("cannotSwitch") == true)
  }

  @Test func longTextsAreRefusedByTheirLimits() throws {
    let long = JSONTree.string(String(repeating: "a", count: 5000))
    for (member, limit) in [("owner", "nameBytes"), ("peer", "nameBytes"), ("path", "pathBytes")] {
      let reply = try app.peer.reply(
        "org.webviewguard.Guard.Save", ["event": .object([.init("viewer", "E"), .init(member, long)])])
      #expect(reply["error"]?.string == "org.webviewguard.Guard.LimitReached")
      #expect(reply["parameters"]?["limit"]?.string == limit)
    }
  }

  @Test func aWindowOfSeveralAccountsIsLockedDown() throws {
    let mixed = try app.peer.ask(
      "SetIdentity", ["level": "window", "window": "main", "accounts": ["work@contoso.com", "me@example.org"]])
    #expect(mixed["previous"]?.string == "work@contoso.com")
    #expect(try app.answer("Capture", ["viewer": "E", "capture": "screenshot"]) == "block mixedViewLockdown")
    #expect(try app.answer("Share", ["viewer": "P", "peer": "x.desktop"]) == "allow unmanaged")
  }
}
