import Foundation
import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// Whatever the daemon does or does not: a question is answered in time, and by the contract when nobody else does.
///
/// Deadlines are short where they are to be missed, and as long as can be everywhere else, so that it shows which of them
/// ended something. `SessionTests` says to the millisecond when they do.
@Suite(.timeLimit(.minutes(10))) struct FailureTests {
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
    #expect(problems.all == [.missedDeadline])
  }

  /// Asks one question after the other, until 60 were answered before the call returned, or so many were not.
  private func askUntilAtOnce(_ guardian: GuardClient, waits most: Int) async throws -> (atOnce: Int, waits: Int) {
    try await onThread { [question] in
      var (atOnce, waits) = (0, 0)
      while atOnce < 60, waits < most {
        let answered = DispatchSemaphore(value: 0)
        guardian.decide(.navigate, question) { _ in answered.signal() }
        if answered.wait(timeout: .now()) == .success {
          atOnce += 1
        } else {
          waits += 1
          answered.wait()
        }
      }
      return (atOnce, waits)
    }
  }

  /// The daemon goes on as it was, so that each attempt of the client costs somebody a wait; others wait for nothing.
  @Test func nobodyWaitsInTheBackOff() async throws {
    let place = try Place()
    let (daemon, guardian, problems) = try await started(place) { _ in .silence }
    defer { daemon.stop() }
    let (atOnce, waits) = try await askUntilAtOnce(guardian, waits: 200)
    #expect(atOnce == 60)
    #expect(waits >= 1)
    #expect(Set(problems.all) == [.missedDeadline])
    // A connection is waited for once while it attaches, and once for an answer, which ends it.
    #expect(waits <= 2 * daemon.connectionCount)
  }

  @Test func dribblesTooSlowly() async throws {
    let place = try Place()
    let (daemon, guardian, _) = try await started(place) { _ in .dribble(Wire.allowed, every: 20) }
    defer { daemon.stop() }
    // Each byte comes long before the deadline; had they put it off, the whole answer were there, and said `allow`.
    #expect(await guardian.copy(question).reason == .noAnswer)
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
    let (daemon, guardian, problems) = try await started(place, answerMs: patientMs) { _ in .half(Wire.allowed) }
    defer { daemon.stop() }
    let decision = await guardian.navigate(question)
    #expect(decision.reason == .noAnswer)
    #expect(decision.isAllowed == false)
    // It was not the deadline that ended it.
    #expect(problems.all == [.closed])
  }

  @Test func takesALateAnswerForNoOtherQuestion() async throws {
    let place = try Place()
    let isLate = Flag()
    let daemon = try FakeDaemon(at: place.socket) { call in
      switch (call.method, call.connection) {
      case ("Attach", let connection): .text(Wire.attached(answerMs: connection == 1 ? 200 : patientMs))
      case (_, 1): .late(Wire.allowed, after: isLate)
      default: .text(Wire.error("UnknownViewer"))
      }
    }
    defer {
      isLate.set()
      daemon.stop()
    }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    #expect(await guardian.navigate(.init(viewer: "v1", url: "https://slow.example/")).reason == .noAnswer)
    try await eventually("it is connected again") { guardian.isConnected && daemon.connectionCount == 2 }
    isLate.set()
    try await eventually("the answer was sent") { daemon.openConnections == 1 }
    for _ in 0..<3 {
      let decision = await guardian.navigate(question)
      #expect(decision.reason.rawValue == "UnknownViewer")
      #expect(!decision.isAllowed)
    }
    #expect(daemon.connectionCount == 2)
  }

  @Test func giantMessage() async throws {
    let place = try Place()
    let (daemon, guardian, problems) = try await started(place, "open", answerMs: patientMs) { _ in
      .bytes([UInt8](repeating: UInt8(ascii: "x"), count: 5 << 20))
    }
    defer { daemon.stop() }
    #expect(await guardian.navigate(question).reason == .noAnswer)
    // It was not the deadline that ended it.
    #expect(problems.all == [.unreadable])
  }

  @Test func answersThatNobodyAskedFor() async throws {
    let place = try Place()
    let (daemon, guardian, problems) = try await started(place, answerMs: patientMs) { _ in
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
    #expect(await guardian.start() == false)
    for _ in 0..<60 { #expect(await guardian.navigate(question).reason == .noAnswer) }
    #expect(Set(problems.all) == [.missing(path: place.socket)])
    #expect(guardian.contract == FailureContract())
  }

  /// Were one of them to wait for a deadline, the test took an hour.
  @Test func nobodyWaitsForAMissingSocket() async throws {
    let place = try Place()
    let guardian = GuardClient.at(place)
    #expect(await guardian.start() == false)
    for _ in 0..<60 { #expect(await guardian.navigate(question).reason == .noAnswer) }
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
    try place.writeContract(#"{"startMs":\#(patientMs),"answerMs":100,"navigation":"open"}"#)
    let daemon = try FakeDaemon(at: place.socket) { _ in .silence }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let time = await milliseconds { #expect(await guardian.navigate(question).isAllowed) }
    #expect(time >= 95)
    // The attempt goes on; nobody waits for it a second time.
    #expect(try await askUntilAtOnce(guardian, waits: 1) == (60, 0))
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
    let (startMs, answerMs) = (patientMs, patientMs)
    try place.writeContract(#"{"startMs":\#(startMs),"answerMs":\#(answerMs),"navigation":"open","other":"open"}"#)
    let daemon = try FakeDaemon(at: place.socket) { _ in .text(Wire.error("AppMismatch")) }
    let guardian = GuardClient.at(place)
    let (attempts, time) = await countAttempts(at: daemon) {
      for _ in 0..<20 {
        let decision = await guardian.navigate(question)
        #expect((decision.outcome, decision.reason.rawValue, decision.isLocal) == (.block, "AppMismatch", true))
        #expect(decision.message?.contains("does not know this program") == true)
      }
    }
    // In the back-off nobody is asked.
    #expect(attempts <= Self.mostAttempts(in: time))
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
    #expect(problems.all == [.missing(path: place.socket)])
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
    let (attempts, time) = try await countAttempts(at: daemon) {
      _ = await guardian.start()
      try await eventually("it tries again and again") { daemon.connectionCount >= 5 }
    }
    #expect(attempts <= Self.mostAttempts(in: time))
  }

  /// How many connections came to a daemon meanwhile, and in how many milliseconds at least.
  private func countAttempts(
    at daemon: FakeDaemon, while body: () async throws -> Void
  ) async rethrows -> (count: Int, milliseconds: Double) {
    var count = 0
    let time = try await milliseconds {
      try await body()
      count = daemon.connectionCount
    }
    return (count, time)
  }

  /// So many attempts fit into a time: the first, and one behind each pause of 100, 200, 400 … 5,000 ms that is over. The
  /// busier the machine, the more.
  private static func mostAttempts(in milliseconds: Double) -> Int {
    var (attempts, pause, rest) = (1, 100.0, milliseconds)
    while rest >= pause {
      attempts += 1
      rest -= pause
      pause = min(pause * 2, 5_000)
    }
    return attempts
  }
}

extension GuardClient {
  /// The same from a closure that does not wait as tasks do.
  fileprivate func decideBlockingFromATest(_ event: GuardEvent) -> GuardDecision { decideBlocking(.navigate, event) }
}
