import Bytes
import TestSupport
import Testing
import URLRules
import URLStandard

/// What PCRE2 finds is never hidden by what stands in front of it.
struct TextSearchSoundnessTests {
  /// A text near what patterns want; some are read as a browser reads them.
  private struct Text {
    let bytes: [UInt8]
    let record: URLRecord?

    init(_ text: String) {
      bytes = Array(text.utf8)
      record = nil
    }

    init?(url: String) {
      var subject = URLSubject()
      subject.read(url)
      guard subject.kind == .url else { return nil }
      bytes = Array(copying: subject.judged.bytes.span)
      record = subject.judged
    }
  }

  private struct Count {
    var patterns = 0
    var searched = 0
    var underHosts = 0
    var pairs = 0
    var matches = 0
    var matchesUnderHosts = 0
  }

  @Test
  func whatIsFoundIsReported() {
    let count = run(rounds: Effort.scaled(100)) { RandomPattern(&$0) }
    #expect(count.pairs >= Effort.scaled(200_000))
    #expect(count.matches * 10 >= count.pairs)
    #expect(count.searched * 2 >= count.patterns)
  }

  @Test
  func whatIsFoundIsUnderTheHostThatThePatternDemands() {
    let count = run(rounds: Effort.scaled(60)) { RandomPattern(ofURLs: &$0) }
    #expect(count.pairs >= Effort.scaled(200_000))
    #expect(count.matches * 15 >= count.pairs)
    #expect(count.underHosts * 25 >= count.patterns)
    #expect(count.matchesUnderHosts >= Effort.scaled(2_000))
  }

  /// Random patterns and changed ones, each with texts of its own, and all of a round together.
  private func run(rounds: Int, _ make: (inout SeededGenerator) -> RandomPattern) -> Count {
    var random = SeededGenerator()
    var count = Count()
    for _ in 0..<rounds {
      let made = (0..<50).map { _ in make(&random) }
      let texts = made.map { pattern in (pattern.text, (0..<8).flatMap { _ in Self.texts(pattern, &random) }) }
      let mutated = texts.map { text, samples in (Mutation.text(text, &random), samples) }
      for (pattern, samples) in texts + mutated {
        guard check(SearchedPatterns([pattern]), samples, &count, random.note) else { return count }
      }
      let together = SearchedPatterns(texts.map(\.0))
      guard check(together, texts.flatMap { $0.1.prefix(4) }, &count, random.note) else { return count }
    }
    print("seed \(random.seed): \(count)")
    return count
  }

  /// Texts that the pattern may be found in: as they are, changed a little, and as a browser reads them.
  private static func texts(_ pattern: RandomPattern, _ random: inout SeededGenerator) -> [Text] {
    let sample = pattern.sample(&random)
    let changed = Mutation.text(sample, &random)
    let around =
      random.one(of: ["", "https://x.example/", "https://x.example/?"]) + sample + random.one(of: ["", "/", "x"])
    let recased = random.oneIn(3) ? sample.uppercased() : sample
    let disguised = sample.replacing(
      "://", with: random.one(of: ["://user@", "://evil.example:80/", "://x.", "://evil"]))
    return [Text(sample), Text(changed), Text(around), Text(recased)]
      + [sample, changed, around, sample + "/", recased, disguised].compactMap(Text.init(url:))
  }

  private func check(_ patterns: SearchedPatterns, _ texts: [Text], _ count: inout Count, _ note: String) -> Bool {
    count.patterns += patterns.entries.count
    count.searched += patterns.entries.count - patterns.alwaysChecked.count
    count.underHosts += patterns.entries.count { $0.host != nil }
    for text in texts {
      let found = patterns.found(in: text.bytes)
      count.pairs += patterns.entries.count
      count.matches += found.count { $0 }
      if text.record != nil { count.matchesUnderHosts += zip(found, patterns.entries).count { $0 && $1.host != nil } }
      let misses = patterns.misses(in: text.bytes, found: found, record: text.record)
      for miss in misses.prefix(10) { Issue.record("\(miss); \(note)") }
      guard misses.isEmpty else { return false }
    }
    return true
  }
}
