import JSONText
import Testing

/// Whose data is shown, and how the policy stands to it: asked, and nothing changes (ledger MI-21, MI-23, EN-10).
@Suite struct IdentitiesTests {
  private func ask(_ app: DataApp, _ account: String? = nil) throws -> JSONTree {
    try app.peer.ask("Identities", account.map { ["account": .string($0)] } ?? [:])
  }

  /// MI-21, EN-10: each level as it stands; the accounts that are shown, each with its standing.
  @Test func eachLevelIsToldAsItStands() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    for (window, account) in [("w1", "work@contoso.com"), ("w2", "me@example.org"), ("w3", "")] {
      try app.peer.ask("SetIdentity", ["level": "window", "window": .string(window), "account": .string(account)])
    }
    let told = try ask(app)
    let windows = (told["windows"]?.array ?? []).map { window in
      "\(window["window"]?.string ?? "") \(window["accounts"]?.text() ?? "")"
    }
    for expected in ["w1 [\"work@contoso.com\"]", "w2 [\"me@example.org\"]", "w3 [\"\"]"] {
      #expect(windows.contains(expected), "\(told.text())")
    }
    #expect(told["managedAccount"]?.string == "work@contoso.com")
    #expect(told["managementEnabled"]?.bool == true && told["mustState"]?.bool == false)
    let accounts = (told["accounts"]?.array ?? []).map { account in
      "\(account["account"]?.string ?? "") \(account["managed"]?.bool ?? false) \(account["state"]?.string ?? "")"
    }
    #expect(accounts == ["me@example.org false active", "work@contoso.com true active"])
  }

  /// MI-23: is this account managed? Asked as often as one likes, of anybody, and neither recorded nor kept.
  @Test func whetherAnAccountIsManagedIsTold() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let asked = [
      ("OTHER@contoso.com", "other@contoso.com true true"), ("new@contoso.com", "new@contoso.com true true"),
      ("me@example.org", "me@example.org true false"), ("who@else.example", "who@else.example false false"),
    ]
    for (name, expected) in asked {
      let last = try ask(app, name)["accounts"]?.array?.first {
        $0["account"]?.string == expected.prefix { $0 != " " }.description
      }
      let found =
        "\(last?["account"]?.string ?? "") \(last?["known"]?.bool ?? false) \(last?["managed"]?.bool ?? false)"
      #expect(found == expected)
    }
    for number in 0..<2_000 { _ = try ask(app, "user\(number)@contoso.com") }
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked", "nothing was changed")
    let long = try app.peer.reply(
      "org.webviewguard.Guard.Identities", ["account": .string(String(repeating: "a", count: 5_000))])
    #expect(long["error"]?.string == "org.webviewguard.Guard.LimitReached")
    daemon.stop()
    let types = try daemon.records().compactMap { $0["change"]?.string }
    #expect(!types.contains { $0.contains("dentities") })
    // Names that were only asked about take no place of those that are shown.
    #expect(try daemon.records().filter { $0["event"]?.string == "print" }.count == 1)
  }

  /// MI-31: an app of one identity asks for its managed account: the one that it shows, and none where it shows nobody's or
  /// an unmanaged account.
  @Test func anAppOfOneIdentityIsToldItsManagedAccount() throws {
    var files = ExamplePolicy.files(app: "identityMode: single")
    files["policy.d/policy.yaml"] = files["policy.d/policy.yaml"]?.replacing(
      "- { upn: work@contoso.com }", with: "- { upn: work@contoso.com }\n  - { upn: second@contoso.com }")
    let daemon = try DaemonProcess(files)
    let peer = try daemon.connect()
    try peer.ask("Attach")
    // The policy names two: before the app has said whose data it shows, nobody knows.
    let start = try peer.ask("Identities")
    #expect(start["managedAccount"] == nil && start["mustState"]?.bool == true)
    for (account, managed) in [
      ("work@contoso.com", "work@contoso.com"), ("me@example.org", nil), ("new@contoso.com", "new@contoso.com"),
      ("", nil), ("WORK@contoso.com", "work@contoso.com"),
    ] {
      try peer.ask("SetIdentity", ["level": "process", "account": .string(account)])
      let told = try peer.ask("Identities")
      #expect(told["managedAccount"]?.string == managed && told["mustState"]?.bool == false, "\(account)")
      #expect(told["process"]?.string?.lowercased() == account.lowercased())
    }
    // What was refused is not shown, and neither is what was before.
    _ = try peer.reply("org.webviewguard.Guard.SetIdentity", ["level": "process", "account": "x@else.example"])
    let refused = try peer.ask("Identities")
    #expect(refused["managedAccount"] == nil && refused["mustState"]?.bool == true)
  }

  /// MI-31: where the policy states the app's account, or names just one, that is it before the app has said anything.
  @Test(arguments: ["account: work@contoso.com", "identityMode: single"])
  func theAccountOfThePolicyIsTheApps(_ app: String) throws {
    var files = ExamplePolicy.files(app: app)
    files["policy.d/policy.yaml"] = files["policy.d/policy.yaml"]?.replacing(
      "[\"*@contoso.com\"]", with: "[\"work@contoso.com\"]")
    let daemon = try DaemonProcess(files)
    let peer = try daemon.connect()
    try peer.ask("Attach")
    for _ in 0..<2 { #expect(try peer.ask("Identities")["managedAccount"]?.string == "work@contoso.com") }
  }

  /// US-10: the answer to a link that leaves says whose it is, so that the sender can tell the receiver.
  @Test func theSendersAccountIsTold() throws {
    let daemon = try DaemonProcess(DataPolicy.files(protection: DataPolicy.protection + "\nexemptSchemes: [skype]"))
    let app = try DataApp(daemon)
    let work = try app.decide("OpenURL", ["viewer": "E", "url": "skype:echo123"])
    #expect(work["outcome"]?.string == "handOff" && work["identity"]?.string == "work@contoso.com")
    let home = try app.decide("OpenURL", ["viewer": "P", "url": "skype:echo123"])
    #expect(home["outcome"]?.string == "allow" && home["identity"]?.string != "work@contoso.com")
    let received = try app.decide(
      "Receive", ["viewer": "P", "url": "contoso:x", "peer": "com.contoso.mail", "peerAccount": "work@contoso.com"])
    #expect(received["outcome"]?.string == "block" && received["reason"]?.string == "outgoingRestricted")
  }
}
