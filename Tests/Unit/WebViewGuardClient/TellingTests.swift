import GuardModel
import Synchronization
import TestSupport
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

  /// Only the daemon knows whether a warning still stands: its error, its absence and an answer of the client are no.
  @Test func goesOnWhenTheDaemonSaysSo() async throws {
    let place = try Place()
    let isOld = Flag()
    let daemon = try FakeDaemon(at: place.socket) { call in
      guard call.method == "Acknowledge" else { return Wire.usual(call) }
      return .text(isOld.isSet ? Wire.error("UnknownDecision") : #"{"parameters":{}}"#)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let decision = await guardian.print(.init(viewer: "v1"))
    #expect(await guardian.goesOn(after: decision, justification: "for \"Ada\""))
    let said: GuardValue = ["decision": "1", "outcome": "allow", "justification": "for \"Ada\""]
    #expect(daemon.heard("Acknowledge").map(\.parameters) == [said])
    isOld.set()
    #expect(!(await guardian.goesOn(after: decision, justification: "x")))
    daemon.stop()
    try await eventually("it is noticed") { !guardian.isConnected }
    #expect(!(await guardian.goesOn(after: decision, justification: "x")))
    let local = await guardian.print(.init(viewer: "v1"))
    #expect(local.isLocal)
    #expect(!(await guardian.goesOn(after: local, justification: "x")))
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

  /// The daemon refuses what needs an instance, and why there is none is asked once each time.
  @Test func asksOnceWhyNobodyIsAttached() async throws {
    let place = try Place()
    let hasPolicy = Flag()
    let daemon = try FakeDaemon(at: place.socket) { call in
      switch call.method {
      case "Attach": hasPolicy.isSet ? Wire.usual(call) : .text(Wire.error("NoPolicy"))
      case "RegisterViewer": hasPolicy.isSet ? Wire.usual(call) : .text(Wire.error("NotAttached"))
      default: Wire.usual(call)
      }
    }
    defer { daemon.stop() }
    let problems = Problems()
    let guardian = GuardClient.at(place, problems)
    #expect(await guardian.start())
    for _ in 0..<3 {
      let error = await #expect(throws: GuardError.self) { try await guardian.registerViewer("v1") }
      guard case .refused(let refusal) = error else { throw TestFailure("it was not refused") }
      #expect(refusal.word == "NoPolicy")
      #expect(await guardian.copy(.init(viewer: "v1")).isAllowed)
    }
    let once = ["RegisterViewer", "Attach", "Copy"]
    #expect(daemon.heard.map(\.method) == ["Attach"] + once + once + once)
    #expect(problems.all.isEmpty)
    // It is remembered all the same.
    hasPolicy.set()
    daemon.hangUp()
    try await eventually("it is said") { daemon.methods(on: 2).contains("RegisterViewer") }
  }

  /// Several calls that were on their way when the policy came are said again in their order.
  @Test func keepsTheOrderOfWhatItAsksAgain() async throws {
    let place = try Place()
    let (isAsked, isAttached, allAreSent) = (Flag(), Flag(), Flag())
    let daemon = try FakeDaemon(at: place.socket) { call in
      switch call.method {
      case "Attach" where !isAsked.isSet: return .text(Wire.error("NoPolicy"))
      case "Attach": isAttached.set()
      case _ where !isAttached.isSet:
        isAsked.set()
        return .late(Wire.error("NotAttached"), after: allAreSent)
      default: break
      }
      return Wire.usual(call)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let kinds: [EventKind] = [.copy, .print, .paste, .download]
    let answered = Mutex([EventKind]())
    for kind in kinds {
      guardian.decide(kind, .init(viewer: "v1")) { _ in answered.withLock { $0.append(kind) } }
    }
    allAreSent.set()
    try await eventually("all are answered") { answered.withLock { $0.count } == 4 }
    #expect(answered.withLock { $0 } == kinds)
    let asked = ["Copy", "Print", "Paste", "Download"]
    #expect(daemon.heard.map(\.method) == ["Attach"] + asked + ["Attach"] + asked)
  }
}
