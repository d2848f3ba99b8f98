import Glibc

/// Work as a multiple of a fixed loop, both in processor time of this thread.
///
/// A bound in milliseconds fails on a machine that is busy with other work. The loop runs beside what is measured, on the
/// same thread and in the same build, so that a slow machine or a debug build makes both slower.
///
///     #expect(Yardstick.cost { _ = pattern.matches(record, runner) } < 40)
package enum Yardstick {
  /// How many loops the body costs: of several runs, each between two loops, the least.
  package static func cost(runs: Int = 3, _ body: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<runs {
      let before = seconds()
      let taken = try time(body)
      least = min(least, taken / max(before, seconds()))
    }
    return least
  }

  /// How many times the work of the second the first is. Turns of the two alternate, and the least turn of each counts: a
  /// machine that is busy slows some turns of both, and hardly ever all of one. A turn is a few milliseconds at most.
  package static func ratio<Work>(
    of first: Work, to second: Work, turns: Int = 60, _ body: (Work) throws -> Void
  ) rethrows -> Double {
    var least = (first: Double.infinity, second: Double.infinity)
    for _ in 0..<turns {
      least.first = min(least.first, try time { try body(first) })
      least.second = min(least.second, try time { try body(second) })
    }
    return least.first / least.second
  }

  private static func time(_ body: () throws -> Void) rethrows -> Double {
    let start = processorTime()
    try body()
    return processorTime() - start
  }

  /// Seconds of processor time of one loop: about a thousandth in a release build. A debug build slows code with spans
  /// some eight times more than the loop, which is evened out.
  package static func seconds() -> Double { loopSeconds() * (Effort.isReduced ? 8 : 1) }

  private static func loopSeconds() -> Double {
    let start = processorTime()
    // No optimiser may take the loop away: its end depends on its beginning, which only the clock knows.
    precondition(loop(from: UInt64(start * 1e9)) != 0)
    return processorTime() - start
  }

  private static func loop(from seed: UInt64) -> UInt64 {
    var value = seed | 1
    for _ in 0..<500_000 {
      value ^= value << 13
      value ^= value >> 7
      value ^= value << 17
    }
    return value
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
