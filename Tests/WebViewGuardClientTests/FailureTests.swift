import Foundation
import GuardModel
import Testing
import WebViewGuardClient

/// Whatever the daemon does or does not: a question is answered in time, and by the contract when nobody else does.
@Suite(.timeLimit(.minutes(2))) struct FailureTests {
  /// Milliseconds that leave room for a busy machine, and are far from a deadline that was not kept.
  private static let soon = 5_000.0

  private let question = GuardEvent(viewer: "v1", url: "https://a.example/", frame: .main)

  /// A daemon that greets and then answers questions like this; the client, and what it reported.
  private func started(
    _ place: Place, _ contract: String = "closed", answerMs: Int = 200,
    answer: @escaping @Sendable (FakeDaemon.Heard) -> FakeDaemon.Answer
  ) async throws -> (FakeDaemon, GuardClient, Problems) {
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Attach" ? .text(Wire.attached(answerMs: answerMs, contract: contract)) : answer(call)
    }
    let problems = Problems()
    let guardian = GuardClient.at(place, problems)
    #expect(await guardian.start())
    return (daemon, guardian, problems)
  }

  @Test(arguments: ["closed", "open"])
  func neverAnswers(contract: String) async throws {
    let place = try Place()
    let (daemon, guardian, problems) = try await started(place, contract) { _ in .silence }
    defer { daemon.stop() }
    var decision: GuardDecision?
    let time = await milliseconds { decision = await guardian.navigate(question) }
    #expect(decision?.outcome == (contract == "open" ? .allow : .block))
    #expect(decision?.reason == .noAnswer)
    #expect(decision?.isLocal == true)
    #expect(decision?.id == "")
    #expect(time >= 195)
    #expect(time < Self.soon)
    #expect(problems.all.contains(.missedDeadline))
    // The back-off: nobody waits a second time, for a daemon that takes no calls now.
    daemon.stop()
    let again = await milliseconds { for _ in 0..<60 { _ = await guardian.navigate(question) } }
    #expect(again < Self.soon)
  }

  @Test func dribblesTooSlowly() async throws {
    let place = try Place()
    let (daemon, guardian, _) = try await started(place) { _ in .dribble(Wire.allowed, every: 20) }
    defer { daemon.stop() }
    var decision: GuardDecision?
    let time = await milliseconds { decision = await guardian.copy(question) }
    #expect(decision?.reason == .noAnswer)
    #expect(time < Self.soon)
  }

  @Test func dribblesFastEnough() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Attach" ? .text(Wire.attached()) : .dribble(Wire.allowed, every: 1)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    #expect(await guardian.copy(question).isAllowed)
  }

  @Test func closesHalfWay() async throws {
    let place = try Place()
    let (daemon, guardian, problems) = try await started(place, answerMs: 20_000) { _ in .half(Wire.allowed) }
    defer { daemon.stop() }
    var decision: GuardDecision?
    let time = await milliseconds { decision = await guardian.navigate(question) }
    #expect(decision?.reason == .noAnswer)
    #expect(decision?.isAllowed == false)
    #expect(time < Self.soon)
    #expect(problems.all.contains(.closed))
  }

  @Test func takesALateAnswerForNoOtherQuestion() async throws {
    let place = try Place()
    let (daemon, guardian, _) = try await started(place, answerMs: 1_500) { call in
      call.parameters["event"]?["url"] == "https://slow.example/"
        ? .late(Wire.allowed, after: 2_000) : .text(Wire.error("UnknownViewer"))
    }
    defer { daemon.stop() }
    #expect(await guardian.navigate(.init(viewer: "v1", url: "https://slow.example/")).reason == .noAnswer)
    try await eventually("it is connected again") { guardian.isConnected }
    try await Task.sleep(for: .milliseconds(700))
    for _ in 0..<3 {
      let decision = await guardian.navigate(question)
      #expect(decision.reason.rawValue == "UnknownViewer")
      #expect(!decision.isAllowed)
    }
    #expect(daemon.connectionCount == 2)
  }

  @Test func giantMessage() async throws {
    let place = try Place()
    let (daemon, guardian, problems) = try await started(place, "open", answerMs: 20_000) { _ in
      .bytes([UInt8](repeating: UInt8(ascii: "x"), count: 6 << 20))
    }
    defer { daemon.stop() }
    let time = await milliseconds { #expect(await guardian.navigate(question).reason == .noAnswer) }
    #expect(time < 18_000)
    #expect(problems.all.contains(.unreadable))
  }

  @Test func answersThatNobodyAskedFor() async throws {
    let place = try Place()
    let (daemon, guardian, problems) = try await started(place) { _ in
      .bytes(Array((Wire.allowed + "\0" + Wire.allowed + "\0").utf8))
    }
    defer { daemon.stop() }
    #expect(await guardian.navigate(question).isAllowed)
    try await eventually("it hangs up") { problems.all.contains(.unreadable) }
  }

  @Test func missingSocket() async throws {
    let place = try Place(isPatient: false)
    let problems = Problems()
    let guardian = GuardClient.at(place, problems)
    #expect(await milliseconds { _ = await guardian.start() } < Self.soon)
    #expect(await guardian.navigate(question).reason == .noAnswer)
    #expect(await milliseconds { for _ in 0..<60 { _ = await guardian.navigate(question) } } < Self.soon)
    #expect(problems.all.contains(.missing(path: place.socket)))
    #expect(guardian.contract == FailureContract())
  }

  @Test func nobodyListens() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { _ in .silence }
    rename(place.socket, place.socket + ".old")
    daemon.stop()
    try await Task.sleep(for: .milliseconds(50))
    rename(place.socket + ".old", place.socket)
    let problems = Problems()
    let guardian = GuardClient.at(place, problems)
    #expect(await guardian.start() == false)
    #expect(problems.all.contains(.refused(path: place.socket)))
  }

  @Test func pathThatNoSocketHas() async throws {
    let problems = Problems()
    let path = "/tmp/" + String(repeating: "x", count: 200)
    let guardian = GuardClient(.init(app: "a", socketPath: path) { problems.note($0) })
    #expect(await guardian.start() == false)
    #expect(problems.all.first == .pathTooLong(path: path))
  }

  @Test func strangerListens() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let problems = Problems()
    let guardian = GuardClient.at(place, trustedUIDs: [geteuid() + 1], problems)
    #expect(await guardian.start() == false)
    #expect(await guardian.navigate(question).reason == .noAnswer)
    #expect(problems.all.contains(.strangerListens(path: place.socket, uid: geteuid())))
    // Nothing was said to them.
    #expect(daemon.heard.isEmpty)
  }

  @Test func attachIsNeverAnswered() async throws {
    let place = try Place()
    try place.writeContract(#"{"startMs":20000,"answerMs":100,"navigation":"open"}"#)
    let daemon = try FakeDaemon(at: place.socket) { _ in .silence }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let time = await milliseconds { #expect(await guardian.navigate(question).isAllowed) }
    #expect(time >= 95)
    #expect(time < Self.soon)
    // The attempt goes on; nobody waits for it a second time.
    #expect(await milliseconds { for _ in 0..<60 { _ = await guardian.navigate(question) } } < Self.soon)
    #expect(daemon.connectionCount == 1)
  }

  @Test func attachIsRefused() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { _ in .text(Wire.error("NoApp")) }
    defer { daemon.stop() }
    let problems = Problems()
    let guardian = GuardClient.at(place, problems)
    #expect(await guardian.start() == false)
    let refusals = problems.all.compactMap { if case .attachRefused(let refusal) = $0 { refusal.word } else { nil } }
    #expect(Set(refusals) == ["NoApp"])
  }

  @Test func backsOffFromADaemonThatHangsUp() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { _ in .close }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    _ = await guardian.start()
    try await Task.sleep(for: .milliseconds(1_500))
    // 100, 200, 400, 800 ms, each up to a fifth shorter.
    #expect((2...6).contains(daemon.connectionCount))
  }
}
