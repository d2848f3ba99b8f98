import Foundation
import FuzzSupport
import TestSupport
import Testing

/// The properties that the fuzzers look for hold of every input that they kept: found mistakes do not come back, and CI need
/// not build the fuzzers. The other sources of this suite are links to theirs; calls need the daemon's core on a loop in
/// memory, and are fuzzed at night.
struct CorpusTests {
  private static let targets: [(name: String, check: @Sendable ([UInt8]) -> Void)] = [
    ("URLParser", URLParserProperties.check), ("URLPattern", URLPatternProperties.check),
    ("URLFilter", URLFilterProperties.check), ("Regex", RegexProperties.check),
    ("RuleFile", RuleFileProperties.check), ("List", ListProperties.check), ("RuleSet", RuleSetProperties.check),
    ("Frames", { FramesProperties.check($0) }),
  ]

  private static let corpus = URL(filePath: Repository.root + "/Fuzzing/Corpus")

  @Test(arguments: targets.indices)
  func everyKeptInputHolds(_ number: Int) throws {
    let (name, check) = Self.targets[number]
    let folder = Self.corpus.appending(path: name)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(files.count >= 20, "\(name) keeps few inputs")
    for file in files {
      let bytes = Array(try Data(contentsOf: file))
      CorpusInput.$name.withValue("\(name)/\(file.lastPathComponent)") { check(bytes) }
    }
  }

  /// A target without a line here would not be replayed. `Sealed` is of C, and replayed by the tests of that client.
  @Test func everyTargetIsReplayed() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
    #expect(Set(folders).subtracting(["Calls", "Sealed"]) == Set(Self.targets.map(\.name)))
  }
}
