import Foundation
import PolicyEngine
import PolicyFiles
import Testing

/// Loading while somebody writes: what comes of it is one version or none, never a mixture.
@Suite(.serialized) struct SteadyLoaderTests {
  /// Both files of a version carry its number.
  private static func files(_ version: Int) -> [String: String] {
    let padding = String(repeating: "# a line that takes time to write\n", count: version % 7 * 40)
    return [
      "policy.d/apps.yaml": "\(padding)apps:\n  app-\(version): { peers: [{ sameUser: true }] }\n",
      "rules/one.yaml": "\(padding)ruleSet: set-\(version)\ndefault: external\n",
    ]
  }

  private static func version(of result: LoadResult) -> String? {
    guard let policy = result.policy else { return nil }
    return (policy.apps.map(\.name) + policy.ruleSets.map(\.name)).joined(separator: " ")
  }

  /// A directory of its own, which is gone afterwards.
  private final class Place: Sendable {
    let root = "/tmp/wvg-steady-\(UInt32.random(in: 0 ... .max))"
    var configuration: String { root + "/configuration" }

    init() throws { try Self.write(files(1), to: configuration) }
    deinit { try? FileManager.default.removeItem(atPath: root) }

    static func write(_ files: [String: String], to directory: String) throws {
      for (name, text) in files {
        let path = directory + "/" + name
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      }
    }
  }

  /// How a writer replaces one version by the next.
  enum Manner: CaseIterable {
    /// Each file is truncated and written.
    case overwriting
    /// Each file is written beside and renamed.
    case renaming
    /// The whole directory is exchanged for another.
    case exchanging
    /// A link to the directory is.
    case linking
  }

  /// What the writer did.
  private struct Written {
    var versions = 1
    /// Those in the middle of which the machine let the writer wait, so that a half was there for long.
    var slow: Set<String> = []
  }

  /// Writes versions until a time, resting after each for so many microseconds.
  private static func keepWriting(_ place: Place, _ manner: Manner, rest: UInt32, until end: Date) throws -> Written {
    var written = Written()
    while Date() < end {
      written.versions += 1
      let beside = place.root + "/beside-\(written.versions)"
      if manner != .overwriting { try Place.write(files(written.versions), to: beside) }
      if manner == .linking { symlink(beside, place.root + "/link") }
      if manner == .linking, written.versions == 2 { rename(place.configuration, place.root + "/first") }
      let start = ContinuousClock.now
      put(written.versions, from: beside, to: place, manner)
      // The files of a version that come one by one are one version only when they come at once.
      if manner != .linking, ContinuousClock.now - start > .milliseconds(30) { written.slow.insert("\(written.versions)") }
      usleep(rest)
    }
    return written
  }

  private static func put(_ version: Int, from beside: String, to place: Place, _ manner: Manner) {
    let target = place.configuration
    switch manner {
    case .overwriting:
      for (name, text) in files(version).sorted(by: { $0.key < $1.key }) {
        guard let file = fopen(target + "/" + name, "w") else { continue }
        fputs(text, file)
        fclose(file)
      }
    case .renaming:
      for name in files(version).keys.sorted() { rename(beside + "/" + name, target + "/" + name) }
    case .exchanging:
      rename(target, beside + ".old")
      rename(beside, target)
    case .linking: rename(place.root + "/link", target)
    }
  }

  /// A writer that rests between its versions: each load gives one of them.
  @Test(arguments: Manner.allCases) func aVersionIsNeverMixedWithAnother(_ manner: Manner) async throws {
    let place = try Place()
    let end = Date(timeIntervalSinceNow: 3)
    async let written = Task.detached { try Self.keepWriting(place, manner, rest: 180_000, until: end) }.value
    var seen: Set<String> = []
    var mixed: [[String]] = []
    while Date() < end {
      let result = SteadyLoader(roots: [place.configuration]).load()
      guard let version = Self.version(of: result) else {
        Issue.record("\(result.diagnostics.sorted.map(\.description))")
        continue
      }
      let numbers = version.split(separator: " ").compactMap { $0.split(separator: "-").last.map(String.init) }
      if numbers.count != 2 || numbers[0] != numbers[1] { mixed.append(numbers) }
      seen.insert(version)
    }
    let slow = try await written.slow
    #expect(mixed.filter { slow.isDisjoint(with: $0) } == [])
    #expect(seen.count > 3, "the loads saw the writer's work")
  }

  /// A writer that never rests: no policy at all, and a message that says what moves.
  @Test(arguments: Manner.allCases) func whatNeverRestsIsRefused(_ manner: Manner) async throws {
    let place = try Place()
    let end = Date(timeIntervalSinceNow: 2)
    async let written = Task.detached { try Self.keepWriting(place, manner, rest: 2_000, until: end) }.value
    usleep(100_000)
    let result = SteadyLoader(roots: [place.configuration], patience: 500).load()
    #expect(result.policy == nil)
    #expect(result.diagnostics.sorted.contains { $0.code == .moving })
    #expect(try await written.versions > 100)
    #expect(Self.version(of: SteadyLoader(roots: [place.configuration]).load()) != nil, "it rests now")
  }

  @Test func whatRestsIsLoadedAtOnce() throws {
    let place = try Place()
    usleep(100_000)
    let start = ContinuousClock.now
    for _ in 0..<20 { #expect(SteadyLoader(roots: [place.configuration]).load().policy != nil) }
    #expect(ContinuousClock.now - start < .seconds(1))
  }

  /// What was loaded is handed over for a copy, and a copy has the same digest.
  @Test func theContentIsWhatWasLoaded() throws {
    let place = try Place()
    let result = SteadyLoader(roots: [place.configuration]).load()
    #expect(result.content.files.map(\.name) == ["policy.d/apps.yaml", "rules/one.yaml"])
    let copy = place.root + "/copy"
    try Place.write(
      Dictionary(uniqueKeysWithValues: result.content.files.map { ($0.name, String(decoding: $0.bytes, as: UTF8.self)) }),
      to: copy)
    #expect(SteadyLoader(roots: [copy]).load().digest == result.digest)
  }

  @Test func aListThatChangedSinceIsNotCopied() throws {
    let place = try Place()
    let rules = """
      ruleSet: lists
      default: external
      rules: [{ internal: { domain: { list: lists/a.txt } } }]
      """
    try Place.write(["rules/two.yaml": rules, "rules/lists/a.txt": "a.example\n"], to: place.configuration)
    let result = SteadyLoader(roots: [place.configuration]).load()
    let list = try #require(result.content.lists.first, "\(result.diagnostics.sorted.map(\.description))")
    var bytes: [UInt8] = []
    let take: (Span<UInt8>) -> Bool = { piece in
      bytes += piece.withUnsafeBufferPointer { Array($0) }
      return true
    }
    try list.stream(take)
    #expect(bytes == Array("a.example\n".utf8))
    try Place.write(["rules/lists/a.txt": "b.example\n"], to: place.configuration)
    #expect(throws: FileProblem.changed) { try list.stream(take) }
  }
}
