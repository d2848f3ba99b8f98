import Foundation
import GuardModel
import Testing
import WebViewGuardClient

/// Whatever the daemon does or does not: a question is answered in time, and by the contract when nobody else does.
@Suite(.timeLimit(.minutes(2))) struct FailureTests {
  /// Milliseconds that leave room for a very busy machine, and are well below the deadlines of patient tests.
  private static let soon = 12_000.0

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
        ? .late(Wire.allowed, after: 8_000) : .text(Wire.error("UnknownViewer"))
    }
    defer { daemon.stop() }
    #expect(await guardian.navigate(.init(viewer: "v1", url: "https://slow.example/")).reason == .noAnswer)
    try await eventually("it is connected again") { guardian.isConnected }
    try await Task.sleep(for: .milliseconds(8_000))
    for _ in 0..<3 {
      let decision = await guardian.navigate(question)
      #expect(decision.reason.rawValue == "UnknownViewer")
      #expect(!decision.isAllowed)
    }
    #expect(daemon.connectionCount == 2)
  }

  @Test func giantMessage() async throws {
    let place = try Place()
    let (daemon, guardian, problems) = try await started(place, "open", answerMs: 60_000) { _ in
      .bytes([UInt8](repeating: UInt8(ascii: "x"), count: 5 << 20))
    }
    defer { daemon.stop() }
    #expect(await guardian.navigate(question).reason == .noAnswer)
    // It was not the deadline that ended it.
    #expect(problems.all.contains(.unreadable))
  }

  @Test func answersThatNobodyAskedFor() async throws {
    let place = try Place()
    let (daemon, guardian, problems) = try await started(place, answerMs: 20_000) { _ in
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

  /// F11, H6: an error reply is `block`, and is no silence that an `open` contract could speak of.
  @Test("F11, H6: whom the daemon refuses is blocked and told why, though the contract is open")
  func isRefusedUnderAnOpenContract() async throws {
    let place = try Place()
    try place.writeContract(#"{"startMs":2000,"answerMs":20000,"navigation":"open","other":"open"}"#)
    let daemon = try FakeDaemon(at: place.socket) { _ in .text(Wire.error("AppMismatch")) }
    let guardian = GuardClient.at(place)
    for _ in 0..<20 {
      let decision = await guardian.navigate(question)
      #expect((decision.outcome, decision.reason.rawValue, decision.isLocal) == (.block, "AppMismatch", true))
      #expect(decision.message?.contains("does not know this program") == true)
    }
    // In the back-off nobody is asked.
    #expect(daemon.connectionCount < 10)
    let many = await guardian.decide([(.navigate, question), (.print, question)])
    #expect(many.map(\.outcome) == [.block, .block])
    await #expect(throws: GuardError.self) { try await guardian.call("WhoAmI") }
    // Nobody is there any more: that is what the contract is for.
    daemon.stop()
    try await eventually("the contract answers") { guardian.decideBlockingFromATest(question).reason == .noAnswer }
    #expect(await guardian.navigate(question).isAllowed)
  }

  @Test("F12: the first question after an outage is answered") func theFirstQuestionAfterAnOutage() async throws {
    let place = try Place()
    let problems = Problems()
    let guardian = GuardClient.at(place, problems)
    for _ in 0..<8 {
      #expect(await guardian.navigate(question).reason == .noAnswer)
      try await Task.sleep(for: .milliseconds(60))
    }
    // The same is told once.
    #expect(problems.all == [.contractBroken(path: place.contract), .missing(path: place.socket)])
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    #expect(await guardian.navigate(question).isAllowed)
    #expect(daemon.connectionCount == 1)
  }

  @Test("H5: where a machine has its own daemon, nobody's own is believed and none is looked for")
  func aSystemDaemonIsTheOnlyOne() throws {
    let own = "/tmp/own/guard.sock"
    let system = SystemDaemon.directory + "/guard.sock"
    // Each alone is enough: the directory, or a unit of a daemon that does not run.
    let service = "systemd/system/webviewguard.service"
    let unit = "/lib/\(service)"
    let socket = "/usr/local/lib/systemd/system/webviewguard.socket"
    let machines: [([String: SystemDaemon.Found], Bool)] = [
      ([:], false), ([SystemDaemon.directory: .directory], true), ([SystemDaemon.directory: .other], true),
      ([unit: .file], true), (["/etc/\(service)": .file], true), ([socket: .file], true),
      // Masked by root, who thereby says that there is none.
      ([unit: .file, "/etc/\(service)": .other], false),
      ([unit: .file, "/etc/\(service)": .other, socket: .file], true),
    ]
    for (files, hasSystem) in machines {
      #expect(DaemonPlace.find(own) { files[$0] }.ownUserMayServe == !hasSystem, "\(files)")
      let found = DaemonPlace.find(nil) { files[$0] }
      #expect(found.ownUserMayServe == false || !hasSystem, "\(files)")
      if hasSystem { #expect(found.socket == system) }
    }
    #expect(DaemonPlace.found("/tmp") == .directory)
    #expect(DaemonPlace.found("/dev/null") == .other)
    #expect(DaemonPlace.found("/nowhere/unit") == nil)
    #expect(Trust(uids: nil, ownUserMayServe: false).covers(0))
    #expect(Trust(uids: nil, ownUserMayServe: false).covers(geteuid()) == (geteuid() == 0))
    #expect(Trust(uids: nil, ownUserMayServe: true).covers(geteuid()))
    #expect(Trust(uids: [7], ownUserMayServe: true).covers(geteuid()) == false)
    #expect(SystemDaemon.directory == "/run/webviewguard")
  }

  @Test func backsOffFromADaemonThatHangsUp() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { _ in .close }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let time = try await milliseconds {
      _ = await guardian.start()
      try await Task.sleep(for: .milliseconds(1_500))
    }
    // 100, 200, 400, 800 ms, each up to a quarter longer: so many attempts fit into the time that went by, and the first.
    let most = 1 + Int(log2(time / 100 + 1)) + 1
    #expect((2...most).contains(daemon.connectionCount))
  }
}

extension GuardClient {
  /// The same from a closure that does not wait as tasks do.
  fileprivate func decideBlockingFromATest(_ event: GuardEvent) -> GuardDecision { decideBlocking(.navigate, event) }
}
