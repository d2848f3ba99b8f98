import Foundation
import PolicyEngine
import PolicyFiles
import Synchronization
import Testing
import URLRules

/// Loading while somebody writes: what comes of it is one version or none, never a mixture.
@Suite(.serialized) struct SteadyLoaderTests {
  /// Both files of a version carry its number.
  private static func files(_ version: Int) -> [String: String] {
    let padding = String(repeating: "# a line that takes time to write\n", count: version % 7 * 40)
    return [
      "policy.d/apps.yaml": "\(padding)apps:\n  app-\(version): { peers: [{ sameUser: true }] }\n",
      "rules/one.yaml": """
      \(padding)ruleSet: set-\(version)
      default: external
      rules: [{ id: a, internal: { host: a.example } }]

      """,
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

  /// A thread that writes versions until it is told to stop, resting after each for so many microseconds.
  private final class Writer: Sendable {
    private let place: Place
    private let manner: Manner
    private let rest: UInt32
    private let progress = Mutex(Progress())

    private struct Progress {
      var versions = 1
      var isOver = false
      var hasEnded = false
      /// Those in the middle of which the machine let the writer wait, so that a half was there for long.
      var slow: Set<String> = []
      /// No rest was longer: from the start of a version to the end of the next, since the machine may let the writer wait
      /// at any place between.
      var longestRest = Duration.zero
      var last = ContinuousClock.now
    }

    init(_ place: Place, _ manner: Manner, rest: UInt32) {
      (self.place, self.manner, self.rest) = (place, manner, rest)
      Thread.detachNewThread { self.run() }
    }

    var versions: Int { progress.withLock { $0.versions } }

    /// What it did, once it has ended.
    func stop() -> (slow: Set<String>, longestRest: Duration) {
      progress.withLock { $0.isOver = true }
      while !progress.withLock(\.hasEnded) { usleep(1_000) }
      return progress.withLock { ($0.slow, max($0.longestRest, ContinuousClock.now - $0.last)) }
    }

    private func run() {
      while !progress.withLock(\.isOver) {
        write(versions + 1)
        usleep(rest)
      }
      progress.withLock { $0.hasEnded = true }
    }

    private func write(_ version: Int) {
      let beside = place.root + "/beside-\(version)"
      if manner != .overwriting { try? Place.write(SteadyLoaderTests.files(version), to: beside) }
      if manner == .linking { symlink(beside, place.root + "/link") }
      if manner == .linking, version == 2 { rename(place.configuration, place.root + "/first") }
      let start = ContinuousClock.now
      SteadyLoaderTests.put(version, from: beside, to: place, manner)
      let end = ContinuousClock.now
      // The files of a version that come one by one are one version only when they come at once.
      let wasSlow = manner != .linking && end - start > .milliseconds(30)
      progress.withLock { progress in
        progress.versions = version
        if wasSlow { progress.slow.insert("\(version)") }
        progress.longestRest = max(progress.longestRest, end - progress.last)
        progress.last = start
      }
    }
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
  @Test(arguments: Manner.allCases) func aVersionIsNeverMixedWithAnother(_ manner: Manner) throws {
    let place = try Place()
    let writer = Writer(place, manner, rest: 180_000)
    let end = Date(timeIntervalSinceNow: 240)
    var seen: Set<String> = []
    var mixed: [[String]] = []
    var refused: [String] = []
    while seen.count < 8, Date() < end {
      let result = SteadyLoader(roots: [place.configuration]).load()
      guard let version = Self.version(of: result) else {
        // On a machine without time for the reader nothing rests as long as a load takes.
        refused += result.diagnostics.sorted.filter { $0.code != .moving }.map(\.description)
        continue
      }
      let numbers = version.split(separator: " ").compactMap { $0.split(separator: "-").last.map(String.init) }
      if numbers.count != 2 || numbers[0] != numbers[1] { mixed.append(numbers) }
      seen.insert(version)
    }
    let slow = writer.stop().slow
    #expect(mixed.filter { slow.isDisjoint(with: $0) } == [])
    #expect(refused == [] || !slow.isEmpty, "\(refused)")
    #expect(seen.count >= 8, "the loads saw the writer's work")
  }

  /// A writer that never rests: no policy at all, and a message that says what moves.
  @Test(arguments: Manner.allCases) func whatNeverRestsIsRefused(_ manner: Manner) throws {
    let place = try Place()
    let writer = Writer(place, manner, rest: 1_000)
    while writer.versions < 3 { usleep(1_000) }
    let result = SteadyLoader(roots: [place.configuration], patience: 500).load()
    let longestRest = writer.stop().longestRest
    // On a machine that has no time for the writer there was a rest.
    let isRefused = result.policy == nil && result.diagnostics.sorted.contains { $0.code == .moving }
    #expect(isRefused || longestRest > .milliseconds(40), "the longest rest was \(longestRest)")
    #expect(Self.version(of: SteadyLoader(roots: [place.configuration]).load()) != nil, "it rests now")
  }

  @Test func whatRestsIsLoadedAtOnce() throws {
    let place = try Place()
    usleep(100_000)
    // Without patience a load that has to wait is refused.
    for _ in 0..<20 {
      #expect(SteadyLoader(roots: [place.configuration], patience: 0).load().policy != nil)
    }
  }

  /// What was loaded is handed over for a copy, and a copy has the same digest.
  @Test func theContentIsWhatWasLoaded() throws {
    let place = try Place()
    let result = SteadyLoader(roots: [place.configuration]).load()
    #expect(result.content.files.map(\.name) == ["policy.d/apps.yaml", "rules/one.yaml"])
    let copy = place.root + "/copy"
    let texts = result.content.files.map { ($0.name, String(decoding: $0.bytes, as: UTF8.self)) }
    try Place.write(Dictionary(uniqueKeysWithValues: texts), to: copy)
    #expect(SteadyLoader(roots: [copy]).load().digest == result.digest)
  }

  @Test func aListThatChangedSinceIsNotCopied() throws {
    let place = try Place()
    let rules = """
      ruleSet: lists
      default: external
      rules: [{ id: a, internal: { list: { file: lists/a.txt, format: domains } } }]
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
