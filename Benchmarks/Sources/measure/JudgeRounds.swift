internal import CAllocationCounter
import Glibc

/// What the driver may ask of a judge, each time about the first `count` URLs:
///
///     round COUNT          ->  NANOSECONDS-PER-URL RULES-THAT-ANSWERED   processor time, all in one go
///     hot COUNT PASSES     ->  P50 P99 P999     nanoseconds, each URL the quickest of its passes
///     cold COUNT           ->  P50 P99 P999     the same, once each, with nothing of it in a cache
///     allocations COUNT    ->  NUMBER           of heap allocations, after a pass that is not counted
///     answers FILE         ->  COUNT            the rule of every URL, one a line
struct JudgeRounds<J: Judge & ~Copyable>: ~Copyable {
  private var judge: J
  private var checksum: Int64 = 0

  init(_ judge: consuming J) { self.judge = judge }

  mutating func answer(_ command: Substring, _ corpus: Corpus) throws -> String {
    let words = command.split(separator: " ")
    let count = words.dropFirst().first.flatMap { Int($0) }.map { min($0, corpus.count) } ?? corpus.count
    switch words.first {
    case "round": return round(corpus, count)
    case "hot": return hot(corpus, count, passes: words.last.flatMap { Int($0) } ?? 1).text
    case "cold": return cold(corpus, count).text
    case "allocations": return allocations(corpus, count)
    case "answers": return try answers(corpus, path: String(words.last ?? ""))
    default: throw MeasureError.usage
    }
  }

  private mutating func round(_ corpus: Corpus, _ count: Int) -> String {
    var answered = 0
    let start = Clock.thread
    for line in 0..<count where judge.judge(corpus[line]) >= 0 { answered += 1 }
    let time = Clock.thread - start
    return "\(Double(time) / Double(count)) \(answered)"
  }

  private mutating func hot(_ corpus: Corpus, _ count: Int, passes: Int) -> Percentiles {
    var best = [UInt64](repeating: .max, count: count)
    for _ in 0..<passes {
      for line in 0..<count { best[line] = min(best[line], time(corpus[line])) }
    }
    return Percentiles(best)
  }

  private mutating func cold(_ corpus: Corpus, _ count: Int) -> Percentiles {
    var flush = CacheFlush()
    var times: [UInt64] = []
    times.reserveCapacity(count)
    for sample in 0..<count {
      flush.run()
      times.append(time(corpus[sample * (corpus.count / count)]))
    }
    return Percentiles(times)
  }

  /// What one answer takes, less what reading the clock takes.
  @inline(__always)
  private mutating func time(_ url: Span<UInt8>) -> UInt64 {
    let start = Clock.wall
    checksum &+= Int64(judge.judge(url))
    let time = Clock.wall &- start
    return time > Clock.cost ? time - Clock.cost : 0
  }

  private mutating func allocations(_ corpus: Corpus, _ count: Int) -> String {
    _ = round(corpus, count)
    let before = callocation_counter_count()
    for line in 0..<count { checksum &+= Int64(judge.judge(corpus[line])) }
    return "\(callocation_counter_count() - before)"
  }

  private mutating func answers(_ corpus: Corpus, path: String) throws(MeasureError) -> String {
    var text: [UInt8] = []
    for line in 0..<corpus.count { text.append(contentsOf: "\(judge.judge(corpus[line]))\n".utf8) }
    try Corpus.write(text, to: path)
    return "\(corpus.count)"
  }
}
