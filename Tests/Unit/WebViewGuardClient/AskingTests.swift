import Foundation
import GuardModel
import Synchronization
import TestSupport
import Testing
import WebViewGuardClient

/// Asking: from tasks, from threads, from callbacks; many at once; and being cancelled.
@Suite(.timeLimit(.minutes(10))) struct AskingTests {
  private let event = GuardEvent(viewer: "v1", url: "https://a.example/")

  @Test func eachKindAsksItsMethod() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let asked = [
      await guardian.navigate(event), await guardian.copy(event), await guardian.paste(event),
      await guardian.clipboardChanged(event), await guardian.dragEnd(event), await guardian.download(event),
      await guardian.upload(event), await guardian.save(event), await guardian.open(event),
      await guardian.receive(event), await guardian.share(event), await guardian.print(event),
      await guardian.capture(event), await guardian.notify(event), await guardian.openURL(event),
      await guardian.exchange(event), await guardian.index(event),
    ]
    #expect(asked.map(\.isAllowed) == asked.map { _ in true })
    let kinds = EventKind.allCases.filter { $0 != .unknown }
    for kind in kinds { #expect(await guardian.decide(kind, event).isAllowed) }
    let methods = try Vectors.cases("kinds").reduce(into: [:]) { $0[$1["kind"]?.string ?? ""] = $1["method"]?.string }
    let expected = kinds.map { methods[$0.name] ?? "" }
    #expect(daemon.methods(on: 1) == ["Attach"] + expected + expected)
  }

  @Test func saysWhatIsLeftOfTheTime() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    // The first question connects.
    #expect(await GuardClient.at(place).navigate(event).isAllowed)
    let deadline = try #require(daemon.heard("Navigate").first?.parameters["event"]?["deadline"]?.integer)
    #expect((1...patientMs).contains(deadline))
  }

  @Test func aThreadMayWait() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let (started, decision) = try await onThread {
      let started = guardian.startBlocking()
      try guardian.setIdentityBlocking(account: "work@contoso.com")
      try guardian.registerViewerBlocking("v1", class: "documents")
      try guardian.setDocumentBlocking("v1", "https://a.example/")
      try guardian.forgetViewerBlocking("v1")
      return (started, guardian.decideBlocking(.navigate, self.event))
    }
    #expect(started)
    #expect(decision.isAllowed)
    let said = ["Attach", "SetIdentity", "RegisterViewer", "SetDocument", "ForgetViewer", "Navigate"]
    #expect(daemon.methods(on: 1) == said)
  }

  @Test func aThreadIsNeverBlockedBeyondTheDeadline() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Attach" ? .text(Wire.attached(answerMs: 300)) : .silence
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let (decision, time) = try await onThread {
      _ = guardian.startBlocking()
      let begin = ContinuousClock.now
      return (guardian.decideBlocking(.navigate, self.event), ContinuousClock.now - begin)
    }
    #expect(decision.reason == .noAnswer)
    #expect(time >= .milliseconds(295))
    // No other deadline ended it: they are as long as can be.
    #expect(time < .milliseconds(patientMs))
  }

  @Test func callsBack() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let decision = await withCheckedContinuation { continuation in
      guardian.decide(.paste, event) { continuation.resume(returning: $0) }
    }
    #expect(decision.isAllowed)
  }

  @Test func aCancelledTaskIsAnsweredAtOnce() async throws {
    let place = try Place()
    let (isDecided, isOver) = (Flag(), Flag())
    let daemon = try FakeDaemon(at: place.socket) { call in
      guard call.method != "Attach" else { return .text(Wire.attached(contract: "open")) }
      let isLast = call.parameters["event"]?["viewer"] == "last"
      return .late(Wire.error("UnknownViewer"), after: isLast ? isOver : isDecided)
    }
    defer {
      isDecided.set()
      isOver.set()
      daemon.stop()
    }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let task = Task { await guardian.navigate(event) }
    try await eventually("it was asked") { daemon.heard("Navigate").count == 1 }
    task.cancel()
    // The daemon has not answered yet, and the deadline is far.
    let decision = await task.value
    isDecided.set()
    #expect(decision.isAllowed)
    #expect(decision.reason == .noAnswer)
    // That answer is nobody's, and the connection is still good.
    #expect(await guardian.copy(event).reason.rawValue == "UnknownViewer")
    #expect(daemon.connectionCount == 1)
    let before = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await guardian.navigate(GuardEvent(viewer: "last"))
    }
    #expect(await before.value.reason == .noAnswer)
  }

  @Test func manyTasksAndThreadsAtOnce() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      guard call.method == "Copy" else { return Wire.usual(call) }
      let viewer = call.parameters["event"]?["viewer"]?.string ?? ""
      return .text(#"{"parameters":{"decision":{"outcome":"allow","reason":"clipRecorded","clip":"\#(viewer)"}}}"#)
    }
    defer { daemon.stop() }
    let guardian = GuardClient(.init(app: "a", socketPath: place.socket))
    #expect(await guardian.start())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          for turn in 0..<10 {
            let name = "v\(number)-\(turn)"
            let decision = await guardian.copy(.init(viewer: name))
            #expect(decision.clip == name)
          }
        }
        group.addTask { _ = try? await guardian.registerViewer("w\(number)") }
        group.addTask { _ = guardian.isConnected }
      }
    }
    #expect(daemon.heard("Copy").count == 400)
  }

  @Test func askedOfManyAtOnceNothingIsRefused() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Attach" ? .text(Wire.attached()) : Wire.usual(call)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let allowed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<500 { group.addTask { await guardian.copy(event).isAllowed } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(allowed == 500)
    #expect(daemon.connectionCount == 1)
  }

  @Test func closedItAnswersByTheContract() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Attach" ? .text(Wire.attached()) : .silence
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let task = Task { await guardian.navigate(event) }
    try await eventually("it was asked") { daemon.heard("Navigate").count == 1 }
    guardian.close()
    #expect(await task.value.reason == .noAnswer)
    #expect(await guardian.navigate(event).reason == .noAnswer)
    #expect(await guardian.start() == false)
    await #expect(throws: GuardError.noAnswer) { try await guardian.registerViewer("v1") }
    let unused = GuardClient.at(place)
    unused.close()
    #expect(await unused.navigate(event).reason == .noAnswer)
  }

  @Test func goneItEndsItsThread() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    var guardian: GuardClient? = GuardClient.at(place)
    #expect(await guardian?.start() == true)
    #expect(daemon.openConnections == 1)
    guardian = nil
    try await eventually("its connection ends") { daemon.openConnections == 0 }
  }

  @Test func hintsGreyOutWhatMayNotBe() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      switch call.method {
      case "DecideLocations":
        .text(
          #"{"parameters":{"locations":[{"location":"box","outcome":"allow","reason":"transferAllowed"},"#
            + #"{"location":"moon","outcome":"allow","reason":"x"}]}}"#)
      case "DecidePeers":
        .text(#"{"parameters":{"peers":[{"peer":"p","outcome":"later","reason":"shareBlocked"}]}}"#)
      default: Wire.usual(call)
      }
    }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let places = await guardian.locationHints(.save, event)
    #expect(places.map(\.location) == [.box])
    #expect(places.first?.outcome == .allow)
    let programs = await guardian.programHints(["p"], event)
    #expect(programs.map(\.outcome) == [.block])
    #expect(programs.first?.reason.known == .shareBlocked)
    #expect(daemon.heard("DecideLocations").first?.parameters["kind"] == "save")
    #expect(daemon.heard("DecidePeers").first?.parameters["peers"] == ["p"])
    daemon.stop()
    try await eventually("it is noticed") { !guardian.isConnected }
    #expect(await guardian.locationHints(.open, event).map(\.outcome) == Location.allCases.map { _ in .block })
    #expect(await guardian.programHints(["p", "q"], event).map(\.peer) == ["p", "q"])
  }
}
