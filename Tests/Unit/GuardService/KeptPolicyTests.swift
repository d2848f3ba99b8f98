import Foundation
import GuardService
import PolicyFiles
import TestSupport
import Testing

/// Policies that were in force, as directories of files that are believed as little as the configuration on disk.
@Suite struct KeptPolicyTests {
  private let folder = TestFolder()
  private var kept: KeptPolicies { KeptPolicies(stateDirectory: folder.path) }

  init() throws { chmod(folder.path, 0o700) }

  private func load(_ printing: String) throws -> LoadResult {
    try folder.load(TestPolicy.files(protection: "printing: \(printing)"))
  }

  /// As many different policies as a test needs.
  private func policy(_ number: Int) throws -> LoadResult {
    try folder.load(TestPolicy.files(settings: "# \(number)\n"))
  }

  // MARK: Names

  private static let digest = String(repeating: "0f", count: 32)

  @Test(
    arguments: [
      ("00001795219200000000-" + digest, 1_795_219_200_000_000),
      ("00000000000000000000-" + digest, 0),
      ("18446744073709551615-" + digest, .max), ("18446744073709551616-" + digest, nil),
      ("1795219200000-" + digest, nil), ("00001795219200000000-" + digest.uppercased(), nil),
      ("00001795219200000000-" + digest.dropLast(), nil),
      ("00001795219200000000-" + digest + "0", nil),
      ("00001795219200000000" + digest, nil), ("00001795219200000000--" + digest, nil),
      ("+0001795219200000000-" + digest, nil), ("0000179521920000000 -" + digest, nil), ("", nil),
      ("-", nil),
      (".new", nil), ("unusable", nil), ("rolled-back", nil),
      ("00001795219200000000-" + digest + "/", nil),
      ("../00001795219200000000-" + digest, nil),
    ] as [(String, UInt64?)])
  func onlyOurNamesAreNames(_ name: String, _ since: UInt64?) {
    let entry = KeptPolicy(name: name)
    #expect(entry?.since == since)
    if let entry { #expect(entry.name == name && entry.digest == Self.digest) }
  }

  @Test func namesSortAsTheirTimesDo() {
    var random = SeededGenerator()
    let times = (0..<500).map { _ in random.next() >> UInt64(random.below(64)) }
    let names = times.sorted().map { KeptPolicy(since: $0, digest: Self.digest).name }
    #expect(names == names.sorted(), "\(random.note)")
    #expect(names.compactMap { KeptPolicy(name: $0)?.since } == times.sorted())
  }

  // MARK: Keeping

  @Test func whatIsKeptIsLoadedAgain() throws {
    let loaded = try load("block")
    try kept.keep(loaded, at: 1000, sparing: [])
    let entry = try #require(kept.entries.first)
    #expect(entry.since == 1000 && entry.digest == loaded.digest)
    let again = try kept.load(entry)
    #expect(
      again.digest == loaded.digest && again.policy != nil && again.settings == loaded.settings)
  }

  /// The last three, the newest first; the same again is one, and an old one that comes back is the newest.
  @Test func theLastThreeAreKept() throws {
    let policies = try (0..<5).map { try policy($0) }
    for (index, loaded) in policies.enumerated() {
      try kept.keep(loaded, at: UInt64(index) * 10, sparing: [])
    }
    #expect(kept.entries.map(\.digest) == [4, 3, 2].map { policies[$0].digest })
    try kept.keep(policies[4], at: 1000, sparing: [])
    #expect(kept.entries.first?.since == 40, "nothing new is nothing to write")
    try kept.keep(policies[2], at: 2000, sparing: [])
    #expect(kept.entries.map(\.digest) == [2, 4, 3].map { policies[$0].digest })
    #expect(kept.entries.allSatisfy { (try? kept.load($0)) != nil })
  }

  /// A clock that was set back does not bring an older policy to the top.
  @Test func theNewestIsTheNewestWhateverTheClock() throws {
    let policies = try (0..<3).map { try policy($0) }
    for (index, loaded) in policies.enumerated() {
      try kept.keep(loaded, at: 1000 - UInt64(index) * 400, sparing: [])
    }
    #expect(kept.entries.map(\.digest) == policies.map(\.digest).reversed())
    #expect(kept.entries.map(\.since) == [1002, 1001, 1000])
  }

  @Test func theSparedStay() throws {
    let policies = try (0..<6).map { try policy($0) }
    for (index, loaded) in policies.enumerated() {
      try kept.keep(loaded, at: UInt64(index), sparing: [policies[0].digest])
    }
    #expect(kept.entries.map(\.digest) == [5, 4, 3, 0].map { policies[$0].digest })
  }

  // MARK: Trust

  /// The attack: another user, or a slip of the administrator's hand, changes what the next bad start would fall back to.
  @Test(
    arguments: [
      ("a changed file", "another policy than its name"),
      ("another file", "another policy than its name"),
      ("a lost file", "another policy than its name"), ("a writable file", ""),
      ("a link", ""),
      ("a second name", "second name"), ("a writable directory", ""),
      ("another digest", "its name says"),
      ("nothing", ""),
    ])
  func whatSomebodyElseMayHaveWrittenIsNotLoaded(_ trick: String, _ words: String) throws {
    try kept.keep(try load("block"), at: 7, sparing: [])
    var entry = try #require(kept.entries.first)
    let file = kept.path(entry) + "/policy.d/policy.yaml"
    switch trick {
    case "a changed file": try append("# more\n", to: file)
    case "another file":
      try "apps: {}\n".write(
        toFile: kept.path(entry) + "/policy.d/z.yaml", atomically: false, encoding: .utf8)
    case "a lost file":
      try FileManager.default.removeItem(atPath: kept.path(entry) + "/rules/documents.yaml")
    case "a writable file": chmod(file, 0o666)
    case "a link":
      try FileManager.default.removeItem(atPath: file)
      symlink("/etc/hostname", file)
    case "a second name": link(file, folder.path + "/other")
    case "a writable directory": chmod(kept.path(entry), 0o777)
    case "another digest":
      let other = KeptPolicy(since: 9, digest: Self.digest)
      rename(kept.path(entry), kept.path(other))
      entry = other
    default: break
    }
    do {
      _ = try kept.load(entry)
      #expect(trick == "nothing")
    } catch {
      #expect(trick != "nothing" && (words.isEmpty || "\(error)".contains(words)), "\(error)")
    }
  }

  @Test(arguments: ["state", "policy"]) func itsDirectoriesAreTheDaemonsAlone(_ which: String)
    throws
  {
    try kept.keep(try load("block"), at: 7, sparing: [])
    let entry = try #require(kept.entries.first)
    chmod(which == "state" ? folder.path : folder.path + "/policy", 0o777)
    #expect(throws: KeepError.self) { _ = try kept.load(entry) }
    if which == "policy" {
      #expect(throws: KeepError.self) { try kept.keep(try load("allow"), at: 8, sparing: []) }
    }
  }

  /// A crash in the middle of keeping leaves a beginning that nobody takes for a policy, and that the next one clears.
  @Test func aHalfKeptPolicyIsNone() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/policy/.new/policy.d", withIntermediateDirectories: true)
    chmod(folder.path + "/policy", 0o700)
    try "apps: {".write(
      toFile: folder.path + "/policy/.new/policy.d/a.yaml", atomically: false, encoding: .utf8)
    #expect(kept.entries.isEmpty)
    let loaded = try load("block")
    try kept.keep(loaded, at: 1, sparing: [])
    #expect(try kept.load(try #require(kept.entries.first)).digest == loaded.digest)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/policy/.new"))
  }

  @Test func oneIsSetAsideForInspection() throws {
    for number in 0..<2 {
      try kept.keep(try policy(number), at: UInt64(number), sparing: [])
      kept.setAside(try #require(kept.entries.first))
      #expect(kept.entries.isEmpty)
    }
    let aside = try String(
      contentsOfFile: folder.path + "/policy/unusable/webviewguard.yaml", encoding: .utf8)
    #expect(aside.contains("# 1"), "the one before gave way")
  }

  private func append(_ text: String, to path: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: path))
    file.seekToEndOfFile()
    file.write(Data(text.utf8))
    try file.close()
  }
}
