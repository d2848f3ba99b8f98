import Foundation
import GuardProtocol
import GuardService
import PolicyFiles
import TestSupport
import Testing

/// The mark of a rollback: from where to where, across restarts.
@Suite struct RollbackMarkTests {
  private static func digest(_ number: Int) -> String {
    let hex = String(number, radix: 16)
    return String(repeating: "0", count: 64 - hex.utf8.count) + hex
  }

  @Test func itRemembersWhereItCameFrom() {
    let (a, b, c) = (Self.digest(1), Self.digest(2), Self.digest(3))
    let first = RollbackMark(to: b, from: a, after: nil)
    #expect(first.from == [a] && first.to == b)
    let second = RollbackMark(to: c, from: b, after: first)
    #expect(second.from == [a, b])
    #expect(
      RollbackMark(to: a, from: c, after: second).from == [b, c],
      "what is in force was not rolled back from")
    #expect(
      RollbackMark(to: c, from: a, after: second).from == [b, a], "the latest last, and once")
    #expect(
      RollbackMark(to: c, from: "", after: nil).from == [], "before any policy there is nothing")
    #expect(RollbackMark(to: c, from: "not a digest", after: second).from == [a, b])
  }

  @Test func onlyTheLastThirtyTwoAreRemembered() {
    var mark: RollbackMark?
    for number in 1...100 {
      mark = RollbackMark(to: Self.digest(number + 1), from: Self.digest(number), after: mark)
    }
    #expect(mark?.from == (69...100).map { Self.digest($0) })
    #expect(
      mark.map { $0.text.utf8.count <= RollbackMark.maximumBytes } == true,
      "what is written is read again")
    #expect(mark.flatMap { RollbackMark($0.text) } == mark)
  }

  @Test(
    arguments: [
      "", "\n", "to", "to ", "from \(digest(1))\n", "to \(digest(1)) \(digest(2))\n",
      "to \(digest(1).dropLast())\n",
      "to \(digest(10).uppercased())\n", "to \(digest(1))\nfrom\n",
      "to \(digest(1))\nand \(digest(2))\n", "\u{0}",
      "to \(digest(1))\nfrom ../../etc\n",
    ])
  func anythingElseIsNoMark(_ text: String) { #expect(RollbackMark(text) == nil) }

  @Test func itIsKeptAndTakenAway() throws {
    let folder = TestFolder()
    chmod(folder.path, 0o700)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/policy", withIntermediateDirectories: true)
    let kept = KeptPolicies(stateDirectory: folder.path)
    #expect(kept.mark == nil)
    try kept.setMark(nil)
    let mark = RollbackMark(to: Self.digest(1), from: Self.digest(2), after: nil)
    try kept.setMark(mark)
    #expect(kept.mark == mark)
    chmod(folder.path + "/policy/rolled-back", 0o666)
    #expect(kept.mark == nil, "anybody may have written it")
    chmod(folder.path + "/policy/rolled-back", 0o600)
    try kept.setMark(nil)
    #expect(kept.mark == nil)
  }
}

/// The first policy of a daemon.
@Suite struct BootPolicyTests {
  private let folder = TestFolder()
  private var kept: KeptPolicies { KeptPolicies(stateDirectory: folder.path + "/state") }
  private var roots: [String] { [folder.path + "/c"] }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/state", withIntermediateDirectories: true)
    chmod(folder.path, 0o700)
    chmod(folder.path + "/state", 0o700)
  }

  private static let bad = ["policy.d/policy.yaml": "apps: 7\n"]

  /// Keeps policies, the last of them in force; returns their digests.
  private func keep(_ numbers: [Int]) throws -> [String] {
    try numbers.enumerated().map { index, number in
      let loaded = try folder.load(TestPolicy.files(settings: "# \(number)\n"))
      try kept.keep(loaded, at: UInt64(index), sparing: [])
      return loaded.digest
    }
  }

  @Test func aGoodConfigurationIsTaken() throws {
    _ = try keep([1, 2])
    let loaded = try folder.load(TestPolicy.files(settings: "# 3\n"))
    let boot = BootPolicy.read(roots, kept)
    #expect(
      boot.origin == .disk && boot.kept == nil && boot.disk.digest == loaded.digest
        && boot.problem == nil)
    #expect(BootPolicy.read(roots, nil).origin == .disk)
  }

  /// A bad one falls back to the newest that is kept, and to nothing older: an attacker who spoils it wins no more.
  @Test(arguments: [true, false]) func aBadOneFallsBackToTheNewest(_ isSpoiled: Bool) throws {
    let digests = try keep([1, 2])
    if isSpoiled { chmod(kept.path(try #require(kept.entries.first)), 0o777) }
    _ = try folder.load(Self.bad)
    let boot = BootPolicy.read(roots, kept)
    #expect(boot.disk.policy == nil)
    #expect(boot.kept?.digest == (isSpoiled ? nil : digests[1]))
    #expect(boot.origin == (isSpoiled ? .disk : .lastGood))
    #expect(
      (boot.problem != nil) == isSpoiled && boot.unusable?.digest == (isSpoiled ? digests[1] : nil))
  }

  @Test func withNothingKeptABadOneIsNone() throws {
    _ = try folder.load(Self.bad)
    for store in [kept, nil] {
      let boot = BootPolicy.read(roots, store)
      #expect(
        boot.kept == nil && boot.disk.policy == nil && boot.origin == .disk && boot.problem == nil)
      #expect(boot.settings.policyRequired)
    }
  }

  /// A rollback holds across restarts, whatever lies on the disk.
  @Test(arguments: ["from", "other", "bad"]) func aRollbackHolds(_ disk: String) throws {
    let digests = try keep([1, 2])
    try kept.setMark(RollbackMark(to: digests[0], from: digests[1], after: nil))
    switch disk {
    case "from": _ = try folder.load(TestPolicy.files(settings: "# 2\n"))
    case "other": _ = try folder.load(TestPolicy.files(settings: "# 3\n"))
    default: _ = try folder.load(Self.bad)
    }
    let boot = BootPolicy.read(roots, kept)
    #expect(
      boot.origin == .rolledBack && boot.kept?.digest == digests[0]
        && boot.mark?.from == [digests[1]])
  }

  /// Where the policy that was rolled back to is gone, the one that was rolled back from does not come back by itself.
  @Test(arguments: [true, false]) func whatWasRolledBackFromIsNoSubstitute(_ isFrom: Bool) throws {
    let digests = try keep([1, 2])
    let gone = String(repeating: "ab", count: 32)
    try kept.setMark(RollbackMark(to: gone, from: digests[1], after: nil))
    _ = try folder.load(TestPolicy.files(settings: isFrom ? "# 2\n" : "# 3\n"))
    let boot = BootPolicy.read(roots, kept)
    #expect(boot.kept == nil && boot.problem != nil)
    #expect((boot.disk.policy == nil) == isFrom)
  }
}
