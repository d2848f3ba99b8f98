package import DecisionLog

/// How fast one instance may fill the log by what it says of accounts and is not believed.
///
/// The attack: a program that says a thousand wrong names a second. Of each reason some are recorded one by one, and then
/// one a second; the others are counted, so that nothing is lost silently.
///
///     var refused = RefusedChanges()
///     refused.take(.unknownAccount, at: now)    // .recorded, 32 times at once and then once a second
package struct RefusedChanges {
  private var rates = RecordRates(burst: 32, perSecond: 1)
  private var counts: [RefusedChange.Reason: UInt64] = [:]

  package init() {}

  /// Takes room for one record; what has none is counted.
  ///
  /// - Parameter time: in milliseconds; it never runs back.
  package mutating func take(_ reason: RefusedChange.Reason, at time: UInt64) -> RecordRates.Answer {
    let number = RefusedChange.Reason.allCases.firstIndex(of: reason) ?? 0
    let answer = rates.take(UInt64(number) + 1, at: time)
    if answer != .recorded { counts[reason, default: 0] += 1 }
    return answer
  }

  /// What was only counted; from now on it is counted anew.
  package mutating func takeCounts() -> [(reason: RefusedChange.Reason, count: UInt64)] {
    defer { counts = [:] }
    return RefusedChange.Reason.allCases.compactMap { reason in counts[reason].map { (reason, $0) } }
  }
}
