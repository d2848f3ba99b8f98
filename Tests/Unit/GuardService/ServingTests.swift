import GuardModel
import GuardProtocol
import GuardService
import Logging
import PolicyEngine
import PolicyFiles
import Testing

/// The owner of connections and their limits, asked alone.
@Suite struct ServingTests {
  private let journal = TestJournal()

  private func made(_ change: (inout DaemonSettings.Limits) -> Void = { _ in }) -> Serving {
    var limits = DaemonSettings().limits
    change(&limits)
    return Serving(limits, logger: journal.logger)
  }

  /// Each row: questions, bytes, and the work that they are.
  @Test(arguments: [(1, 0, 1), (1, 4095, 1), (1, 4096, 2), (0, 0, 0), (100, 1 << 19, 228)])
  func workIsQuestionsAndBytes(_ questions: Int, _ bytes: Int, _ work: Int) {
    var serving = made()
    for _ in 0..<3 { serving.charge(questions, bytes: bytes) }
    #expect(serving.work == 3 * work && serving.workOfTime == 0)
    serving.charge(time: 5)
    #expect(serving.work == 3 * work + 5 && serving.workOfTime == 5, "apart, since it says more of the machine")
  }

  /// The attack: a flood of faults pushes the lines of others out of the journal.
  @Test func aFloodOfFaultsIsCounted() {
    var serving = made()
    for minute in 1...3 {
      for _ in 0..<500 { serving.tell(.unreadableMessage, of: 1000, [:]) }
      serving.tell(.unreadableMessage, of: 1001, [:])
      serving.tell(.halfMessage, of: 1000, [:])
      #expect(journal.lines.count == minute * (PeerFaults.told + 3) - 1)
      serving.keep()
      #expect(journal.lines.last?.hasSuffix("more in this minute count=\(500 - PeerFaults.told) uid=1000") == true)
    }
    let lines = journal.lines.count
    serving.keep()
    #expect(journal.lines.count == lines, "a quiet minute")
  }

  /// The attack: connect faster than users can be looked up. All wait at the door; who is turned away is counted.
  @Test func onlySoManyStandAtTheDoor() {
    var serving = made()
    var admitted = 0
    for uid in 0..<2000 as Range<UInt32> where serving.beginArrival(of: Peer(uid: uid, pid: 1, groups: [])) {
      admitted += 1
    }
    #expect(admitted == 1024)
    #expect(journal.lines(with: "too many connections").count == 2000 - 1024, "each user's first is told")
    let problem = serving.connectionsProblem
    #expect(problem == nil, "nobody holds a place")
  }

  /// One user's registrations end at a quarter; what others may take is theirs.
  @Test func memoryHasAShareForEach() throws {
    var serving = made { $0.memoryMegabytes = 4 }
    let (greedy, other) = (UserMemory(uid: 1000), UserMemory(uid: 1001))
    var bytes = 0
    do throws(Refusal) {
      while bytes < 8 << 20 {
        try serving.checkMemory(1 << 16, of: greedy)
        serving.register(1 << 16, of: greedy)
        bytes += 1 << 16
      }
    } catch {
      #expect(error == .limitReached(.memoryBytes, maximum: 1 << 20))
    }
    #expect(bytes == 1 << 20)
    try serving.checkMemory(1 << 16, of: other)
    try serving.checkMemory(-1, of: greedy)
    serving.register(-(1 << 16), of: greedy)
    try serving.checkMemory(1 << 16, of: greedy)
    #expect(journal.lines(with: "too much is registered").count == 1)
  }
}
