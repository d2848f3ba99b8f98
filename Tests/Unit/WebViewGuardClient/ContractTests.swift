import Foundation
import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// The contract beside the socket: what it says, and whose word counts.
@Suite(.timeLimit(.minutes(10))) struct ContractTests {
  private static let open = #"{"startMs":300,"answerMs":100,"navigation":"open","clipboard":"open","other":"open"}"#

  /// What a client without a daemon takes for its contract, and what it says of the file.
  private func contract(_ place: Place, trustedUIDs: Set<UInt32>? = nil) async -> (FailureContract, [GuardProblem]) {
    let problems = Problems()
    let guardian = GuardClient.at(place, trustedUIDs: trustedUIDs, problems)
    _ = await guardian.start()
    return (guardian.contract, problems.all)
  }

  @Test func readsWhatTheVectorsSay() async throws {
    let cases = try Vectors.cases("contracts")
    for example in cases {
      let place = try Place(isPatient: false)
      if let text = example["file"]?.string { try place.writeContract(text) }
      let (contract, _) = await contract(place)
      let means: GuardValue = [
        "startMs": .integer(contract.startMilliseconds), "answerMs": .integer(contract.answerMilliseconds),
        "navigation": .string(contract.navigation.rawValue), "clipboard": .string(contract.clipboard.rawValue),
        "other": .string(contract.other.rawValue),
      ]
      #expect(means == example["means"], "\(example["name"]?.string ?? "")")
    }
    #expect(cases.count >= 19)
  }

  @Test func answersEachKindByItsPart() async throws {
    let cases = try Vectors.cases("kinds")
    for part in ["navigation", "clipboard", "other"] {
      let place = try Place(isPatient: false)
      try place.writeContract(#"{"startMs":300,"answerMs":100,"\#(part)":"open"}"#)
      let guardian = GuardClient.at(place)
      _ = await guardian.start()
      for example in cases {
        let kind = try #require(EventKind.allCases.first { $0.name == example["kind"]?.string })
        let decision = await guardian.decide(kind, GuardEvent(viewer: "v1"))
        #expect(decision.isAllowed == (example["contract"]?.string == part), "\(kind.name) with \(part) open")
        #expect(decision.reason == .noAnswer)
      }
    }
    #expect(cases.count == EventKind.allCases.count - 1)
  }

  @Test(arguments: [0o666, 0o664, 0o646, 0o622] as [mode_t])
  func otherPeopleMayWriteIt(mode: mode_t) async throws {
    let place = try Place(isPatient: false)
    try place.writeContract(Self.open, mode: mode)
    let (contract, problems) = await contract(place)
    #expect(contract == FailureContract())
    #expect(problems.contains(.contractNotTrusted(path: place.contract)))
  }

  @Test func anotherUserOwnsIt() async throws {
    let place = try Place(isPatient: false)
    try place.writeContract(Self.open)
    let (contract, problems) = await contract(place, trustedUIDs: [geteuid() + 1])
    #expect(contract == FailureContract())
    #expect(problems.contains(.contractNotTrusted(path: place.contract)))
  }

  @Test func isALink() async throws {
    let place = try Place(isPatient: false)
    try place.writeContract(Self.open)
    rename(place.contract, place.contract + ".real")
    symlink(place.contract + ".real", place.contract)
    let (contract, problems) = await contract(place)
    #expect(contract == FailureContract())
    #expect(problems.contains(.contractNotTrusted(path: place.contract)))
  }

  @Test func isAPipeOrADirectory() async throws {
    let pipe = try Place(isPatient: false)
    mkfifo(pipe.contract, 0o644)
    // Opening a pipe that nobody writes to would wait for ever.
    #expect(await contract(pipe).0 == FailureContract())
    let directory = try Place(isPatient: false)
    try FileManager.default.createDirectory(atPath: directory.contract, withIntermediateDirectories: false)
    #expect(await contract(directory).0 == FailureContract())
  }

  @Test func saysThatItIsBroken() async throws {
    let place = try Place(isPatient: false)
    try place.writeContract(#"{"navigation":"open"}"#)
    let (contract, problems) = await contract(place)
    #expect(contract.navigation == .open)
    #expect(contract.clipboard == .closed)
    #expect(problems.contains(.contractBroken(path: place.contract)))
  }

  /// Before anything else was called.
  @Test func holdsForTheFirstQuestionOfAThread() async throws {
    let place = try Place(isPatient: false)
    try place.writeContract(Self.open)
    let guardian = GuardClient.at(place)
    let decision = try await onThread { guardian.decideBlocking(.navigate, .init(viewer: "v1")) }
    #expect((decision.outcome, decision.reason) == (.allow, .noAnswer))
  }

  /// What stands at the limit counts; one byte more, and it is no contract.
  @Test(arguments: [0, 1, 70_000]) func isTooLong(more: Int) async throws {
    let place = try Place(isPatient: false)
    let spaces = FailureContract.maximumFileLength - Self.open.utf8.count + more
    try place.writeContract(Self.open + String(repeating: " ", count: spaces))
    let (contract, problems) = await contract(place)
    #expect(contract.navigation == (more == 0 ? .open : .closed))
    #expect(problems.contains(.contractBroken(path: place.contract)) == (more > 0))
  }

  @Test func theDaemonsOwnWordWins() async throws {
    let place = try Place(isPatient: false)
    try place.writeContract(#"{"startMs":20000,"answerMs":100,"navigation":"open","clipboard":"open","other":"open"}"#)
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    #expect(guardian.contract.navigation == .closed)
    #expect(guardian.contract.answerMilliseconds == patientMs)
    daemon.stop()
    try await eventually("it is noticed") { !guardian.isConnected }
    // Also when it is gone again, whatever the file says.
    #expect(await guardian.navigate(.init(viewer: "v1", url: "https://a.example/")).outcome == .block)
  }
}
