import Foundation
import GuardModel
import Synchronization
import TestSupport
import Testing
import WebViewGuardClient

/// Accounts for the length of a piece of work (MI-19, MI-20): the vectors that all clients share, in tasks and in threads.
@Suite(.timeLimit(.minutes(10))) struct ScopeTests {
  private struct Boom: Error {}

  @Test(arguments: try Vectors.cases("scopes")) func tasksAreJudgedApart(_ vector: GuardValue) async throws {
    try await expectJudgedApart(vector) { await Self.work($0, $1) }
  }

  @Test(arguments: try Vectors.cases("scopes")) func threadsAreJudgedApart(_ vector: GuardValue) async throws {
    try await expectJudgedApart(vector) { guardian, mailbox in
      try await onThread { Self.workBlocking(guardian, mailbox) }
    }
  }

  /// Each worker of the vector does its steps beside the others, and its questions are judged by its own scopes.
  private func expectJudgedApart(
    _ vector: GuardValue, _ work: @escaping @Sendable (GuardClient, Mailbox) async throws -> Void
  ) async throws {
    let steps = try #require(vector["steps"]?.array)
    let place = try Place()
    let judge = Judge()
    let daemon = try FakeDaemon(at: place.socket) { judge.answer($0) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let names = Set(steps.compactMap { $0["in"]?.string })
    let workers = Dictionary(uniqueKeysWithValues: names.map { ($0, Mailbox()) })
    let tasks = workers.values.map { mailbox in Task { try await work(guardian, mailbox) } }
    var found: [GuardValue] = []
    for step in steps {
      let mailbox = try #require(workers[step["in"]?.string ?? ""])
      mailbox.give(step)
      let result = await mailbox.result()
      if Self.expects(step) { found.append(result) }
    }
    for mailbox in workers.values { mailbox.give(["end": true]) }
    for task in tasks { try await task.value }
    #expect(found == steps.filter(Self.expects).map { $0["error"] ?? $0["ask"] ?? .null })
    Self.expectJoined(daemon)
  }

  @Test func theEndOfAScopeEndsItsConnection() async throws {
    let place = try Place()
    let judge = Judge()
    let daemon = try FakeDaemon(at: place.socket) { judge.answer($0) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    try await guardian.setAccount("a") { () async throws -> Void in #expect(daemon.openConnections == 2) }
    try await eventually("one is left") { daemon.openConnections == 1 }
    #expect(guardian.isConnected)
  }

  @Test func aTaskThatOutlivesItsScopeIsBlocked() async throws {
    let place = try Place(isPatient: false)
    let judge = Judge(contract: "open")
    let daemon = try FakeDaemon(at: place.socket) { judge.answer($0) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let late = try await guardian.setAccount("a") { () async throws -> Task<GuardDecision, Never> in
      Task {
        for await _ in ended {}
        return await guardian.print(.init(viewer: "v"))
      }
    }
    end.finish()
    let decision = await late.value
    #expect((decision.outcome, decision.reason.rawValue, decision.isLocal) == (.block, "scopeEnded", true))
    #expect(await guardian.print(.init(viewer: "v")).isAllowed)
  }

  /// Every connection but the first joined the instance of the first.
  private static func expectJoined(_ daemon: FakeDaemon) {
    let instances = daemon.heard("Attach").map { $0.parameters["instance"] }
    #expect(instances == [nil] + Array(repeating: "T1", count: instances.count - 1))
  }

  private static func expects(_ step: GuardValue) -> Bool {
    step.object?.keys.contains { $0 == "ask" || $0 == "error" } ?? false
  }

  private static func account(of decision: GuardDecision) -> GuardValue {
    decision.identityLevel == .scope ? decision.identity.map { .string($0) } ?? .null : .null
  }

  /// Does the steps of one task, inside one scope, until that ends.
  private static func work(_ guardian: GuardClient, _ mailbox: Mailbox) async {
    do { try await block(guardian, mailbox) } catch {}
  }

  private static func block(_ guardian: GuardClient, _ mailbox: Mailbox) async throws {
    while true {
      let step = await mailbox.step()
      if step["end"] != nil { return }
      if step["throw"] != nil { throw Boom() }
      guard let members = step.object, members.keys.contains("begin") else {
        mailbox.answer(account(of: await guardian.print(.init(viewer: "v"))))
        continue
      }
      var result = GuardValue.null
      do {
        try await guardian.setAccount(step["begin"]?.string) { () async throws -> Void in
          mailbox.answer(.null)
          try await block(guardian, mailbox)
        }
      } catch GuardError.refused(let refusal) { result = .string(refusal.word) } catch {}
      mailbox.answer(result)
    }
  }

  private static func workBlocking(_ guardian: GuardClient, _ mailbox: Mailbox) {
    do { try blockBlocking(guardian, mailbox) } catch {}
  }

  private static func blockBlocking(_ guardian: GuardClient, _ mailbox: Mailbox) throws {
    while true {
      let step = mailbox.stepBlocking()
      if step["end"] != nil { return }
      if step["throw"] != nil { throw Boom() }
      guard let members = step.object, members.keys.contains("begin") else {
        mailbox.answer(account(of: guardian.decideBlocking(.print, .init(viewer: "v"))))
        continue
      }
      var result = GuardValue.null
      do {
        try guardian.setAccountBlocking(step["begin"]?.string) {
          mailbox.answer(.null)
          try blockBlocking(guardian, mailbox)
        }
      } catch GuardError.refused(let refusal) { result = .string(refusal.word) } catch {}
      mailbox.answer(result)
    }
  }
}

/// Answers questions with the account of the connection's scope as the identity.
private final class Judge: Sendable {
  private let scopes = Mutex<[Int: String]>([:])
  private let contract: String

  init(contract: String = "closed") { self.contract = contract }

  func answer(_ call: FakeDaemon.Heard) -> FakeDaemon.Answer {
    switch call.method {
    case "Attach": .text(Wire.attached(contract: contract))
    case "SetIdentity": set(call)
    default: .text(decision(scopes.withLock { $0[call.connection] }))
    }
  }

  private func set(_ call: FakeDaemon.Heard) -> FakeDaemon.Answer {
    let account = call.parameters["account"]?.string
    guard account != "nobody@elsewhere.example" else { return .text(Wire.error("UnknownAccount")) }
    guard call.parameters["level"] == "scope" else { return .close }
    scopes.withLock { $0[call.connection] = account }
    return .text(#"{"parameters":{"level":"scope"}}"#)
  }

  private func decision(_ account: String?) -> String {
    let identity: GuardValue = .string(account ?? "process@contoso.com")
    let level: GuardValue = account == nil ? "process" : "scope"
    let decision: GuardValue = [
      "id": "1", "outcome": "allow", "reason": "internal", "identity": identity, "identityLevel": level,
      "generation": 1, "digest": "d", "mode": "enforced",
    ]
    return GuardValue.object(["parameters": ["decision": decision]]).text
  }
}

/// Leads one task or thread through its steps.
private final class Mailbox: Sendable {
  private let steps: (stream: AsyncStream<GuardValue>, continuation: AsyncStream<GuardValue>.Continuation)
  private let results: (stream: AsyncStream<GuardValue>, continuation: AsyncStream<GuardValue>.Continuation)
  private let waiting = Mutex<[GuardValue]>([])

  init() { (steps, results) = (AsyncStream.makeStream(), AsyncStream.makeStream()) }

  func give(_ step: GuardValue) {
    waiting.withLock { $0.append(step) }
    steps.continuation.yield(step)
  }

  func answer(_ result: GuardValue) { results.continuation.yield(result) }

  func result() async -> GuardValue {
    for await result in results.stream { return result }
    return .null
  }

  func step() async -> GuardValue {
    for await step in steps.stream { return step }
    return ["end": true]
  }

  /// The same in a thread.
  func stepBlocking() -> GuardValue {
    while true {
      if let step = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return step }
      usleep(1_000)
    }
  }
}
