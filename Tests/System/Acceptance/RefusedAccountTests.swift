import JSONText
import Testing

/// What an app says of accounts and is not believed: the log has it, and the journal names nobody (ledger MI-28, AA-05).
@Suite struct RefusedAccountTests {
  private func set(_ peer: VarlinkPeer, _ members: [String: JSONTree]) throws -> JSONTree {
    let parameters = members.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, $0.value) }
    return try peer.reply("org.webviewguard.Guard.SetIdentity", .object(parameters))
  }

  private func refused(_ daemon: DaemonProcess) throws -> [JSONTree] {
    try daemon.records().filter { $0["type"]?.string == "refused" }
  }

  /// What is set by one that is not refused, as the log names it.
  private func logged(_ account: String, _ daemon: DaemonProcess) throws -> String? {
    let app = try DataApp(daemon)
    try app.peer.ask("SetIdentity", ["level": "window", "window": "named", "account": .string(account)])
    return try daemon.records().last { $0["window"]?.string == "named" }?["account"]?.string
  }

  /// MI-28: a second managed account is refused, and both stand in the record. The account that is shown stays.
  @Test func aSecondManagedAccountIsRecordedWithTheFirst() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    for _ in 0..<3 {
      let reply = try set(app.peer, ["level": "window", "window": "w2", "account": "other@contoso.com"])
      #expect(reply["error"]?.string == "org.webviewguard.Guard.SecondManagedAccount")
    }
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
    let shown = try logged("work@contoso.com", daemon)
    let records = try refused(daemon)
    #expect(records.count == 3)
    for record in records {
      #expect(record["change"]?.string == "setIdentity" && record["reason"]?.string == "secondManagedAccount")
      #expect(record["shown"]?.string == shown && shown?.hasPrefix("acct:") == true)
      #expect(record["account"]?.string?.hasPrefix("acct:") == true && record["account"]?.string != shown)
      #expect(record["window"]?.string == "w2" && record["identityLevel"]?.string == "window")
      #expect(record["uid"]?.int != nil && record["pid"]?.int != nil)
    }
  }

  private static let refusals: [(call: [String: JSONTree], reason: String)] = [
    (["level": "window", "window": "w", "account": "x@else.example"], "unknownAccount"),
    (["level": "scope", "account": "x@else.example"], "unknownAccount"),
    (["level": "process", "account": "other@contoso.com"], "secondManagedAccount"),
    (["level": "window", "window": "w", "accounts": ["me@example.org", "x@else.example"]], "unknownAccount"),
    (["level": "window", "window": "w", "account": "work@contoso.com", "gates": "canceled"], "canceled"),
  ]

  /// Every way in which an account is refused has its reason.
  @Test(arguments: refusals)
  func everyRefusalHasItsReason(_ call: [String: JSONTree], _ reason: String) throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    _ = try set(app.peer, call)
    daemon.stop()
    let records = try refused(daemon)
    #expect(records.map { $0["reason"]?.string } == [reason])
    #expect(
      try daemon.records().filter { $0["change"]?.string == "setIdentity" && $0["type"]?.string == "state" }.count == 3)
  }

  /// An account that may not work, and one that is not the app's: AA-05 wants both values, as pseudonyms.
  @Test func theAccountThatThePolicyStatesStandsBesideTheOther() throws {
    var files = ExamplePolicy.files(app: "account: work@contoso.com")
    let daemon = try DaemonProcess(files)
    let peer = try daemon.connect()
    try peer.ask("Attach")
    let reply = try set(peer, ["level": "process", "account": "me@example.org"])
    #expect(reply["error"]?.string == "org.webviewguard.Guard.AccountLocked")
    let said = daemon.stop()
    let record = try #require(try refused(daemon).first)
    #expect(record["reason"]?.string == "accountLocked")
    let (asked, stated) = (record["account"]?.string ?? "", record["stated"]?.string ?? "")
    #expect(asked.hasPrefix("acct:") && stated.hasPrefix("acct:") && asked != stated)
    files["webviewguard.yaml"] = "policyRequired: true\nlog: { accounts: plain }\n"
    let plain = try DaemonProcess(files)
    let other = try plain.connect()
    try other.ask("Attach")
    _ = try set(other, ["level": "process", "account": "me@example.org"])
    let plainSaid = plain.stop()
    let named = try #require(try refused(plain).first)
    #expect(named["account"]?.string == "me@example.org" && named["stated"]?.string == "work@contoso.com")
    for said in [said, plainSaid] {
      #expect(!said.contains("me@example.org") && !said.contains("work@contoso.com"), "the journal names nobody")
      #expect(said.contains("AccountLocked"))
    }
  }

  @Test(arguments: [("blocked", "accountBlocked"), ("nonCompliant", "accountNotCompliant"), ("wiped", "accountWiped")])
  func anAccountThatMayNotWorkIsRecorded(_ state: String, _ reason: String) throws {
    let daemon = try DaemonProcess(DataPolicy.files(account: ", state: \(state)"))
    let peer = try daemon.connect()
    try peer.ask("Attach")
    let reply = try set(peer, ["level": "process", "account": "work@contoso.com"])
    #expect(reply["parameters"]?["result"]?.string.map { $0 != "success" } == true, "\(reply.text())")
    let records = try refused(daemon)
    #expect(records.map { $0["reason"]?.string } == [reason])
    #expect(records.first?["result"] == reply["parameters"]?["result"])
  }

  /// The attack: a program that says wrong names as fast as it can. Some are recorded, the rest is counted, and another
  /// reason is still told. Names that are too long do not stand there at all.
  @Test func aFloodIsCounted() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let flood = 3_000
    for number in 0..<flood {
      let account = JSONTree.string("nobody\(number)@else.example")
      app.peer.send("org.webviewguard.Guard.SetIdentity", ["level": "window", "window": "w", "account": account])
      _ = try app.peer.receive()
    }
    _ = try set(app.peer, ["level": "window", "window": "w", "account": "other@contoso.com"])
    let long = JSONTree.string(String(repeating: "a", count: 100_000))
    _ = try set(app.peer, ["level": "window", "window": "w", "account": long])
    _ = try set(
      app.peer, ["level": "window", "window": "w", "accounts": .array([long] + Array(repeating: "b", count: 999))])
    let said = daemon.stop()
    let records = try refused(daemon)
    let unknown = records.filter { $0["reason"]?.string == "unknownAccount" }
    let counted = unknown.compactMap { $0["count"]?.int }.reduce(0, +)
    let single = unknown.count { $0["count"] == nil }
    #expect(Int(counted) + single == flood, "each is recorded or counted")
    #expect(single < 500 && unknown.count < 1_000)
    #expect(records.count { $0["reason"]?.string == "secondManagedAccount" } == 1)
    let tooLong = records.filter { $0["reason"]?.string == "limitReached" }
    #expect(tooLong.count == 2 && tooLong.allSatisfy { $0.text().utf8.count < 1_500 && $0["account"] == nil })
    #expect(!said.contains("else.example"))
  }

  /// A success answered to a switch that cannot be, and what is no answer to anything.
  @Test func whatWasRefusedIsNoChangeToWhoJudgesTheLogAgain() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    _ = try set(app.peer, ["level": "window", "window": "main", "account": "x@else.example"])
    let invented: JSONTree = ["request": "switch-0000000000000001-1", "result": "success"]
    _ = try app.peer.reply("org.webviewguard.Guard.Answer", invented)
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
    daemon.stop()
    #expect(try refused(daemon).count == 1)
  }
}
