import PolicyFiles
import TestSupport
import Testing

/// Good files with damage: whatever is in them, the loader answers, and never with a policy that has errors.
@Suite struct ConfigurationMutationTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func damagedFilesNeverCrashTheLoader(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let names = GoodConfiguration.files.keys.sorted()
    var refused = 0
    for _ in 0..<150 {
      var files = MemoryFiles([:])
      for name in names { files.files["c/" + name] = Array((GoodConfiguration.files[name] ?? "").utf8) }
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        guard let name = names.randomElement(using: &random) else { continue }
        Self.damage(&files.files["c/" + name, default: []], &random)
      }
      let result = load(files)
      #expect((result.policy == nil) == result.diagnostics.hasErrors, "seed \(seed)")
      #expect(result.diagnostics.sorted == result.diagnostics.sorted.sorted(), "seed \(seed)")
      if result.policy == nil { refused += 1 }
    }
    #expect(refused > 50, "seed \(seed)")
  }

  /// Pieces that mean something to YAML or to the loader.
  private static let pieces = [
    "{", "}", "[", "]", ": ", "- ", "\n", "'", "\"", "#", "&a", "*a", "!t ", "null", "~", "1e9", "-1", "\u{0}",
    "\u{202E}",
    "\t", "include: ", "rules/../", "*@", "{url}", "(?", "\\", "%YAML 2.0\n", "---\n", "not: ", "xn--", "é",
  ].map { Array($0.utf8) }

  private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 0...12, using: &random))
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes.removeSubrange(place..<end)
    case 1: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
    case 2: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
    default: bytes.removeSubrange(place..<bytes.count)
    }
  }
}
