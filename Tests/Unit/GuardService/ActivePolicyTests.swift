import DecisionLog
import Foundation
import GuardModel
import GuardProtocol
import GuardService
import NIOCore
import NIOEmbedded
import PolicyEngine
import PolicyFiles
import Testing

/// The owner of the policy, asked alone: its orders, its failures, its snapshots, and the failure contract.
@Suite struct ActivePolicyTests {
  private let folder = TestFolder()
  private let journal = TestJournal()
  private let loop = EmbeddedEventLoop()
  private var contract: String { folder.path + "/contract.json" }

  private func made() -> ActivePolicy {
    ActivePolicy(DaemonSettings(), roots: ["/etc/x"], contractFile: contract, logger: journal.logger)
  }

  private func ask(
    _ policy: inout ActivePolicy, _ order: PolicyOrder, uid: UInt32? = nil
  ) -> EventLoopFuture<ReloadReply> {
    let promise = loop.makePromise(of: ReloadReply.self)
    let asker = uid.map { Asker(peer: LoggedPeer(uid: $0, pid: 1), user: nil) }
    policy.ask(order, by: asker, promise)
    return promise.futureResult
  }

  private func next(_ policy: inout ActivePolicy) throws -> PolicyRequest {
    let request = policy.beginNext()
    return try #require(request)
  }

  private func snapshot(_ policy: inout ActivePolicy, at time: UInt64) -> Snapshot? {
    policy.nextSnapshot(after: Generation(), at: time)
  }

  // MARK: Orders

  @Test func oneLoadAnswersAllWhoAskedForIt() throws {
    var policy = made()
    _ = ask(&policy, .reload(ReloadCall()))
    let first = try next(&policy)
    #expect(first.asked.count == 1 && first.askers.isEmpty && first.cause == .signal)
    for uid in 1...3 as ClosedRange<UInt32> { _ = ask(&policy, .reload(ReloadCall()), uid: uid) }
    _ = ask(&policy, .rollback(RollbackCall()), uid: 4)
    _ = ask(&policy, .reload(ReloadCall()), uid: 5)
    let meanwhile = policy.beginNext()
    #expect(meanwhile == nil, "one after the other: the files may have changed since the first read them")
    policy.finish()
    let second = try next(&policy)
    #expect(second.cause == .reload && second.askers.map(\.peer.uid) == [1, 2, 3, 5])
    policy.finish()
    let third = try next(&policy)
    #expect(third.cause == .rollback && third.askers.map(\.peer.uid) == [4])
    policy.finish()
    let fourth = policy.beginNext()
    #expect(fourth == nil)
    for request in [first, second, third] {
      for answer in request.asked {
        answer.succeed(ReloadReply(generation: Generation(), diagnostics: [], isChanged: false))
      }
    }
  }

  /// Those who wait are handed over, and callers who come too late are answered at once.
  @Test func atTheEndNothingIsBegun() {
    var policy = made()
    let waiting = [ask(&policy, .reload(ReloadCall())), ask(&policy, .rollback(RollbackCall()))]
    let promises = policy.end()
    #expect(promises.count == 2)
    for promise in promises { promise.fail(AdminError.loadFailed([])) }
    let late = ask(&policy, .reload(ReloadCall()))
    for answer in waiting + [late] { #expect(throws: AdminError.self) { try answer.wait() } }
    let (next, again) = (policy.beginNext(), policy.end())
    #expect(next == nil && again.isEmpty)
  }

  // MARK: Loads

  @Test func aFailureIsToldUntilALoadSucceeds() throws {
    var policy = made()
    let (required, free) = (Snapshot(policyRequired: true), Snapshot(policyRequired: false))
    var codes = policy.problems(free).map(\.code)
    #expect(codes == [.noPolicy])
    let bad = try folder.load(["webviewguard.yaml": "policyRequired: maybe\nnonsense: 1\n"])
    for count in 1...3 as ClosedRange<UInt64> {
      let load = policy.refuse(bad, because: nil, tellsConsequence: true, at: count, under: required)
      #expect(!load.isLoaded && load.errors > 1 && load.order == .start && load.roots == ["/etc/x"])
      #expect(policy.failedLoads == count && policy.loads == 0)
    }
    codes = policy.problems(required).map(\.code)
    #expect(codes == [.noPolicy, .loadFailed])
    #expect(journal.lines(with: "no policy is loaded: everything is blocked").count == 3)
    var standing = policy.standing(required)
    #expect(standing == "no policy: everything is blocked")
    let obstacle = policy.refuse(
      bad, because: ("too much changes", "tooManyChanges"), tellsConsequence: false, at: 4, under: free)
    #expect(obstacle.refusal == "tooManyChanges" && obstacle.errors == 0 && policy.lastError == "too much changes")
    let good = try folder.load(TestPolicy.files())
    policy.take(try #require(good.policy), try #require(good.settings), from: .disk, at: 5, isChanged: true)
    policy.noteSuccess(of: good.digest, from: .disk, at: 5)
    let snapshot = try #require(snapshot(&policy, at: 5_000))
    #expect(snapshot.generation.number == 1 && snapshot.generation.digest == good.digest)
    codes = policy.problems(snapshot).map(\.code)
    standing = policy.standing(snapshot)
    #expect(codes.isEmpty && policy.lastError == nil && standing == "generation 1 is in force")
  }

  /// Each of two rules at its own time, and neither twice.
  @Test func rulesAreDueAtTheirTime() throws {
    let rules = """
      ruleSet: documents
      default: external
      rules:
        - { id: early, internal: { host: a.example }, expires: "2030-01-01T00:00:00Z" }
        - { id: late, internal: { host: b.example }, expires: "2030-01-01T00:01:00Z" }
      """
    let good = try folder.load(TestPolicy.files(rules: rules))
    var policy = made()
    let none = (snapshot(&policy, at: 0), policy.expired(at: .max))
    #expect(none.0 == nil && none.1 == nil, "no policy")
    policy.take(try #require(good.policy), try #require(good.settings), from: .disk, at: 0, isChanged: true)
    let start: UInt64 = 1_893_456_000_000
    _ = snapshot(&policy, at: start - 1000)
    var told: [[String]] = []
    for time in [start - 1, start, start + 30_000, start + 60_000, start + 90_000] {
      if let expired = policy.expired(at: time) { told.append(expired.rules) }
      _ = snapshot(&policy, at: time)
    }
    #expect(told == [["documents/early"], ["documents/late"]])
    #expect(policy.nextExpiry == .max)
  }

  // MARK: The failure contract

  @Test func aContractThatIsGoneOrReplacedIsWrittenAgain() throws {
    var policy = made()
    policy.checkContract()
    #expect(!FileManager.default.fileExists(atPath: contract), "none was written yet")
    policy.writeContract()
    let written = try String(contentsOfFile: contract, encoding: .utf8)
    for _ in 0..<2 { policy.checkContract() }
    #expect(journal.lines.isEmpty)
    try FileManager.default.removeItem(atPath: contract)
    policy.checkContract()
    #expect(try String(contentsOfFile: contract, encoding: .utf8) == written)
    try folder.write("{}", to: "other.json")
    try FileManager.default.removeItem(atPath: contract)
    try FileManager.default.moveItem(atPath: folder.path + "/other.json", toPath: contract)
    policy.checkContract()
    #expect(try String(contentsOfFile: contract, encoding: .utf8) == written)
    #expect(journal.lines(with: "the failure contract was removed or replaced").count == 2)
  }

  /// Another process removes the contract in whatever moment: in the end it is there.
  @Test func aContractThatIsRemovedAtOnceIsWrittenAgain() async throws {
    var policy = made()
    let contract = contract
    for _ in 0..<100 {
      let remover = Task.detached { while !Task.isCancelled { unlink(contract) } }
      for _ in 0..<20 { policy.writeContract() }
      remover.cancel()
      await remover.value
      unlink(contract)
      policy.checkContract()
      #expect(FileManager.default.fileExists(atPath: contract))
    }
  }
}
