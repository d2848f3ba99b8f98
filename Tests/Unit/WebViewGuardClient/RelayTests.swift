import Foundation
import GuardModel
import Synchronization
import TestSupport
import Testing
import WebViewGuardClient

/// What a program needs that passes on what another one says: events and replies as they are, and how it stands.
@Suite(.timeLimit(.minutes(10))) struct RelayTests {
  @Test func eventsGoAndDecisionsComeAsTheyAre() async throws {
    let place = try Place()
    let decision = #"{"id":"1","outcome":"allow","reason":"internal","generation":1,"later":{"x":[1,null]}}"#
    let daemon = try FakeDaemon(at: place.socket) { call in
      switch call.method {
      case "Navigate", "Copy": .text(#"{"parameters":{"decision":\#(decision)}}"#)
      case "DecideLocations": .text(#"{"parameters":{"locations":[]}}"#)
      default: Wire.usual(call)
      }
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let event: [String: GuardValue] = ["viewer": "v", "url": "u", "frame": "a new word", "later": ["x": 7]]
    let answers = try await onThread {
      (
        guardian.relayBlocking(.navigate, event), guardian.relayBlocking(.navigate, event),
        guardian.relayBlocking(.copy, ["viewer": "v", "action": "own"]), guardian.relayBlocking(.unknown, [:]),
        guardian.relayBlocking("DecideLocations", ["kind": "save", "event": [:]])
      )
    }
    #expect(answers.0.members["later"] == ["x": [1, .null]])
    #expect(answers.0.isAllowed && answers.1.isAllowed && answers.2.isAllowed)
    #expect((answers.3.outcome, answers.3.reason.rawValue, answers.3.isLocal) == (.block, "unknownEvent", true))
    guard case .reply(["locations": []]) = answers.4 else { throw TestFailure("\(answers.4)") }
    var heard = daemon.heard("Navigate").compactMap { $0.parameters["event"]?.object }
    // One thing that the user did, and the time that was left.
    #expect(heard.count == 2 && heard[0]["action"] == heard[1]["action"])
    #expect(heard[0]["action"]?.string != nil)
    #expect(heard.allSatisfy { (1...patientMs).contains($0["deadline"]?.integer ?? 0) })
    for name in ["action", "deadline"] { for index in heard.indices { heard[index][name] = nil } }
    #expect(heard == [event, event])
    #expect(daemon.heard("Copy").first?.parameters["event"]?["action"] == "own")
    #expect(daemon.heard("DecideLocations").first?.parameters == ["kind": "save", "event": [:]])
  }

  @Test func statementsAreAnsweredByTheDaemonOrKept() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "SetDocument" ? .text(Wire.error("DocumentIsExternal")) : Wire.usual(call)
    }
    let guardian = GuardClient.at(place)
    let (kept, refused) = try await onThread {
      (
        guardian.relayBlocking(.viewer(ViewerDescription("v", kind: .popup))),
        guardian.relayBlocking(.document(viewer: "v", url: "u"))
      )
    }
    guard case .reply(["policy": "currentIdentity", "policySource": "default"]) = kept else {
      throw TestFailure("\(kept)")
    }
    guard case .refused(let refusal) = refused, refusal.word == "DocumentIsExternal" else {
      throw TestFailure("\(refused)")
    }
    daemon.stop()
    try await eventually("it is noticed") { !guardian.isConnected }
    let unheard = try await onThread { guardian.relayBlocking(.identity(.process, .one("a"), gates: nil)) }
    guard case .nothing = unheard else { throw TestFailure("\(unheard)") }
    let second = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { second.stop() }
    try await eventually("it is said again") { second.heard.count == 3 }
    #expect(second.heard.map(\.method) == ["Attach", "SetIdentity", "RegisterViewer"])
  }

  /// Each connection that comes about and each end of one, in their order, and nothing else.
  @Test func tellsHowItStands() async throws {
    let place = try Place()
    let told = Mutex([LineStanding]())
    func all() -> [LineStanding] { told.withLock { $0 } }
    var configuration = GuardClient.Configuration(socketPath: place.socket)
    configuration.onStanding = { standing in told.withLock { $0.append(standing) } }
    let guardian = GuardClient(configuration)
    #expect(await guardian.start() == false)
    #expect(all().isEmpty)
    #expect(guardian.standing.isConnected == false)
    let hasPolicy = Flag()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Attach" && !hasPolicy.isSet ? .text(Wire.error("NoPolicy")) : Wire.usual(call)
    }
    try await eventually("it answers") { all().count == 1 }
    #expect((all()[0].isConnected, all()[0].attachment) == (true, [:]))
    hasPolicy.set()
    daemon.hangUp()
    try await eventually("it is attached") { all().count == 3 }
    #expect(all().map(\.isConnected) == [true, false, true])
    #expect(all()[2].attachment["app"] == "a")
    #expect(all()[2] == guardian.standing)
    daemon.stop()
    try await eventually("it is gone") { all().count == 4 }
    // Whom it was attached to last is still known.
    #expect((all()[3].isConnected, all()[3].attachment["app"]) == (false, "a"))
    #expect(daemon.heard("Attach").allSatisfy { $0.parameters["app"] == nil })
  }

  /// The daemon would refuse a caller that matches several apps by now and names none.
  @Test func newsAttachAsTheSessionWasAttached() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let guardian = GuardClient(.init(socketPath: place.socket))
    #expect(await guardian.start())
    let reader = Task { for await _ in guardian.news(.policy) {} }
    try await eventually("it listens") { daemon.heard("Subscribe").count == 1 }
    #expect(daemon.heard("Attach").map { $0.parameters["app"] } == [nil, "a"])
    reader.cancel()
    await reader.value
  }
}
