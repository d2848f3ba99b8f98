/// Since when the decision log is behind, as the event loop sees it.
///
///     var lag = LogLag()
///     lag.submitted(7, at: 100)    // records up to 7 were handed over
///     lag.milliseconds(at: 130)    // 30
///     lag.written(7, of: 9, at: 140)
///     lag.milliseconds(at: 150)    // 10: 8 and 9 came meanwhile
package struct LogLag {
  /// A record that was not written then, and when it was first known to wait.
  private var waiting: (record: UInt64, since: UInt64)?

  package init() {}

  /// Records up to this one were handed over; times are milliseconds of a clock that nobody sets.
  package mutating func submitted(_ record: UInt64, at now: @autoclosure () -> UInt64) {
    if waiting == nil { waiting = (record, now()) }
  }

  /// The log is written up to `record`, and `newest` is the last that there is.
  package mutating func written(_ record: UInt64, of newest: UInt64, at now: UInt64) {
    guard let waiting, waiting.record <= record else { return }
    self.waiting = record < newest ? (newest, now) : nil
  }

  /// How long the oldest record has waited, at least; 0 when none does.
  package func milliseconds(at now: UInt64) -> UInt64 { waiting.map { now - min(now, $0.since) } ?? 0 }
}
