import JSONText
import Testing

/// What came of decisions, as apps say it.
@Suite struct AcknowledgeTests {
  private let daemon: DaemonProcess
  private let app: DataApp

  init() throws {
    daemon = try DaemonProcess(DataPolicy.files())
    app = try DataApp(daemon)
  }

  private func acknowledge(_ peer: VarlinkPeer, _ id: JSONTree?, _ more: [JSONTree.Member] = []) throws -> String {
    let members = [JSONTree.Member("decision", id ?? .null), .init("outcome", "block")] + more
    return try peer.reply("org.webviewguard.Guard.Acknowledge", .object(members))["error"]?.string ?? "done"
  }

  @Test func aDecisionIsAcknowledgedOnceAndRecorded() throws {
    let id = try app.decide("Print", ["viewer": "E"])["id"]
    let why = [JSONTree.Member("justification", "the paper \u{202E}was ready")]
    #expect(try acknowledge(app.peer, id, why) == "done")
    #expect(try acknowledge(app.peer, id) == "org.webviewguard.Guard.UnknownDecision")
    daemon.stop()
    let records = try daemon.records().filter { $0["type"] == "acknowledged" }
    #expect(records.count == 1)
    #expect(records.first?["id"] == id && records.first?["decided"]?.string == "block")
    #expect(records.first?["justification"]?.string == "the paper \u{202E}was ready")
    #expect(records.first?["app"]?.string == "com.contoso.viewers")
  }

  @Test func onewayIsRecordedAsWell() throws {
    let id = try app.decide("Print", ["viewer": "E"])["id"] ?? .null
    app.peer.send("org.webviewguard.Guard.Acknowledge", ["decision": id, "outcome": "allow"], flags: ["oneway"])
    app.peer.send("org.webviewguard.Guard.Acknowledge", ["decision": "1", "outcome": "allow"], flags: ["oneway"])
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked", "neither is answered")
    daemon.stop()
    #expect(try daemon.records().filter { $0["type"] == "acknowledged" }.map { $0["id"] } == [id])
  }

  @Test func decisionsOfOthersAndInventedOnesAreUnknown() throws {
    let id = try app.decide("Print", ["viewer": "E"])["id"]
    let other = try DataApp(daemon)
    #expect(try acknowledge(other.peer, id) == "org.webviewguard.Guard.UnknownDecision")
    for invented: JSONTree in ["0", "1", "nonsense", "18446744073709551616"] {
      #expect(try acknowledge(app.peer, invented) == "org.webviewguard.Guard.UnknownDecision")
    }
    #expect(try acknowledge(app.peer, id) == "done", "the instance's own still is")
  }

  @Test func aLongJustificationIsRefused() throws {
    let id = try app.decide("Print", ["viewer": "E"])["id"]
    let long = [JSONTree.Member("justification", .string(String(repeating: "x", count: 1025)))]
    #expect(try acknowledge(app.peer, id, long) == "org.webviewguard.Guard.LimitReached")
    #expect(try acknowledge(app.peer, id) == "done")
  }
}
