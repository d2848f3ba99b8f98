internal import URLStandard

/// Parses every line of a corpus once: ours against Ada's `url_aggregator`.
struct ParseRound {
  private var parser = URLParser()
  private var record = URLRecord()
  private var hostEnds = 0

  /// "NANOSECONDS-PER-LINE VALID-LINES".
  mutating func run(_ corpus: Corpus) -> String {
    var valid = 0
    let start = Clock.thread
    for line in 0..<corpus.count where parser.parse(corpus[line], into: &record) == .valid {
      valid += 1
      hostEnds &+= record.hostRange.upperBound
    }
    let time = Clock.thread - start
    return "\(Double(time) / Double(corpus.count)) \(valid)"
  }
}
