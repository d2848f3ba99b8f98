import GuardModel
import Testing
import WebViewGuardClient

/// Telling, and what comes back.
@Suite(.timeLimit(.minutes(10))) struct TellingTests {
  @Test func errorsSayWhatWasRefused() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "RegisterViewer"
        ? .text(#"{"error":"org.webviewguard.Guard.UnknownClass","parameters":{"class":"none"}}"#) : Wire.usual(call)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let error = await #expect(throws: GuardError.self) { try await guardian.registerViewer("v1", class: "none") }
    guard case .refused(let refusal) = error else { throw TestFailure("it was not refused") }
    #expect(refusal.name == "org.webviewguard.Guard.UnknownClass")
    #expect(refusal.word == "UnknownClass")
    #expect(refusal.parameters == ["class": "none"])
  }

  @Test func repliesSayHowThingsStand() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      switch call.method {
      case "RegisterViewer":
        .text(#"{"parameters":{"policy":"unmanaged","policySource":"class","ruleSet":"contoso"}}"#)
      case "SetWebViewPolicy": .text(#"{"parameters":{"policy":"looser","policySource":"wind"}}"#)
      case "SetIdentity":
        .text(#"{"parameters":{"previous":"","effectiveUI":"a","effectiveFile":"b","level":"window","result":"odd"}}"#)
      case "WhoAmI": .text(#"{"parameters":{"uid":7,"groups":["a"]}}"#)
      default: Wire.usual(call)
      }
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let viewer = try await guardian.registerViewer("v1")
    #expect((viewer.policy, viewer.policySource, viewer.ruleSet) == (.unmanaged, .viewerClass, "contoso"))
    let tagged = try await guardian.setWebViewPolicy("v1", .unmanaged)
    // A word of a newer daemon is the strictest.
    #expect((tagged.policy, tagged.policySource) == (.currentIdentityBlockUpload, nil))
    let change = try await guardian.setIdentity(.window("w"), account: "a", gates: .success)
    #expect((change.previous, change.effectiveUI, change.effectiveFile) == ("", "a", "b"))
    #expect((change.level, change.result) == (.window, .failed))
    let caller = try await guardian.call("WhoAmI")
    #expect(caller["uid"] == 7)
  }

  @Test func acknowledgesWithoutWaiting() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let decision = await guardian.print(.init(viewer: "v1"))
    guardian.acknowledge(decision, .allow, justification: "for \"Ada\"")
    #expect(await guardian.copy(.init(viewer: "v1")).isAllowed)
    let said: GuardValue = ["decision": "1", "outcome": "allow", "justification": "for \"Ada\""]
    #expect(daemon.heard("Acknowledge").map(\.parameters) == [said])
    daemon.stop()
    try await eventually("it is noticed") { !guardian.isConnected }
    guardian.acknowledge(await guardian.print(.init(viewer: "v1")), .allow)
    #expect(daemon.heard("Acknowledge").count == 1)
  }

  /// Until the daemon has a policy there is nothing to attach to; questions are answered all the same.
  @Test func attachesWhenAPolicyCame() async throws {
    let place = try Place()
    let (hasPolicy, isAttached) = (Flag(), Flag())
    let daemon = try FakeDaemon(at: place.socket) { call in
      switch call.method {
      case "Attach" where hasPolicy.isSet:
        isAttached.set()
        return Wire.usual(call)
      case "Navigate" where hasPolicy.isSet && !isAttached.isSet: return .text(Wire.error("NotAttached"))
      case "Attach", "RegisterViewer": return hasPolicy.isSet ? Wire.usual(call) : .text(Wire.error("NoPolicy"))
      default: return Wire.usual(call)
      }
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    #expect(!guardian.isConnected)
    await #expect(throws: GuardError.self) { try await guardian.registerViewer("v1") }
    #expect(await guardian.navigate(.init(viewer: "v1", url: "u")).isAllowed)
    hasPolicy.set()
    #expect(await guardian.navigate(.init(viewer: "later", url: "u")).isAllowed)
    let methods = daemon.methods(on: 1)
    #expect(methods == ["Attach", "RegisterViewer", "Navigate", "Navigate", "Attach", "RegisterViewer", "Navigate"])
  }
}
