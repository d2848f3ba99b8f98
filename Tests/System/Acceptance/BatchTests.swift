import JSONText
import Testing

/// Many answers at once are those of the single calls.
@Suite struct BatchTests {
  private let daemon: DaemonProcess
  private let app: DataApp

  init() throws {
    daemon = try DaemonProcess(DataPolicy.files())
    app = try DataApp(daemon)
  }

  private static func kind(_ method: String) -> String {
    method == "OpenURL" ? "openURL" : method.prefix(1).lowercased() + method.dropFirst()
  }

  /// A decision without what differs each time.
  private func content(_ decision: JSONTree?) -> String {
    guard case .object(let members)? = decision else { return "" }
    return JSONTree.object(members.filter { $0.key != "id" }).text()
  }

  @Test func aBatchIsAnsweredAsTheSingleCalls() throws {
    let events = DataPathTests.events
    let questions = events.map {
      JSONTree.object([.init("kind", .string(Self.kind($0.method))), .init("event", $0.event)])
    }
    let reply = try app.peer.ask("DecideMany", ["questions": .array(questions)])
    guard case .array(let decisions)? = reply["decisions"] else { throw DaemonFailure(text: "no decisions") }
    let single = try DataApp(daemon)
    let expected = try events.map { content(try single.decide($0.method, $0.event)) }
    #expect(decisions.map { content($0) } == expected)
    #expect(Set(decisions.compactMap { $0["id"]?.string }).count == events.count)
    daemon.stop()
    #expect(try daemon.records().filter { $0["type"] == "decision" }.count == 2 * events.count)
  }

  /// In order: what one question changes, the next one knows.
  @Test func aBatchIsDecidedInOrder() throws {
    let reply = try app.peer.ask(
      "DecideMany",
      [
        "questions": [
          ["kind": "copy", "event": ["viewer": "P", "selection": "clipboard", "length": 3]],
          ["kind": "copy", "event": ["viewer": "E", "selection": "clipboard", "length": 3]],
          ["kind": "paste", "event": ["viewer": "P", "selection": "clipboard", "length": 3]],
        ]
      ])
    guard case .array(let decisions)? = reply["decisions"] else { throw DaemonFailure(text: "no decisions") }
    #expect(decisions.map { $0["reason"]?.string } == ["unmanaged", "clipRecorded", "orgData"])
    #expect(decisions[1]["clip"]?.string != nil)
  }

  @Test func aBatchThatIsTooLongOrWrongIsNotDecided() throws {
    let question: JSONTree = ["kind": "print", "event": ["viewer": "E"]]
    let long = try app.peer.reply(
      "org.webviewguard.Guard.DecideMany", ["questions": .array([JSONTree](repeating: question, count: 257))])
    #expect(long["parameters"]?.text() == #"{"limit":"questions","maximum":256}"#)
    let wrong = try app.peer.reply(
      "org.webviewguard.Guard.DecideMany", ["questions": [question, ["kind": "print", "event": ["viewer": 7]]]])
    #expect(wrong["error"]?.string == "org.varlink.service.InvalidParameter")
    daemon.stop()
    #expect(try daemon.records().filter { $0["type"] == "decision" }.isEmpty)
  }

  @Test(arguments: ["save", "open"]) func theMatrixIsThatOfTheSingleCalls(_ kind: String) throws {
    for event: [JSONTree.Member] in [
      [.init("viewer", "E")], [.init("viewer", "E"), .init("locationAccount", "work@contoso.com")],
      [.init("viewer", "P"), .init("locationAccount", "work@contoso.com")], [.init("viewer", "nobody")],
      [.init("viewer", "E"), .init("locationAccount", "who@unknown.example")],
    ] {
      let reply = try app.peer.ask("DecideLocations", ["kind": .string(kind), "event": .object(event)])
      guard case .array(let hints)? = reply["locations"] else { throw DaemonFailure(text: "no locations") }
      #expect(hints.count == 12)
      for hint in hints {
        let asked = event + [.init("location", hint["location"] ?? .null)]
        let single = try app.answer(kind == "save" ? "Save" : "Open", .object(asked))
        #expect("\(hint["outcome"]?.string ?? "") \(hint["reason"]?.string ?? "")" == single)
      }
    }
  }

  @Test func theProgramsAreThoseOfTheSingleCalls() throws {
    let peers: [JSONTree] = ["com.contoso.mail", "org.example.chat.desktop", "", "com.contoso.viewers"]
    for viewer: JSONTree in ["E", "P"] {
      let event: [JSONTree.Member] = [.init("viewer", viewer), .init("peerAccount", "work@contoso.com")]
      let reply = try app.peer.ask("DecidePeers", ["peers": .array(peers), "event": .object(event)])
      guard case .array(let hints)? = reply["peers"] else { throw DaemonFailure(text: "no peers") }
      #expect(hints.map { $0["peer"] } == peers)
      for hint in hints {
        let single = try app.answer("Share", .object(event + [.init("peer", hint["peer"] ?? .null)]))
        #expect("\(hint["outcome"]?.string ?? "") \(hint["reason"]?.string ?? "")" == single)
      }
    }
  }

  @Test func hintsLeaveNoRecord() throws {
    try app.peer.ask("DecideLocations", ["kind": "save", "event": ["viewer": "E"]])
    try app.peer.ask("DecidePeers", ["peers": ["a", "b"], "event": ["viewer": "E"]])
    daemon.stop()
    #expect(try daemon.records().filter { $0["type"] == "decision" }.isEmpty)
  }
}
