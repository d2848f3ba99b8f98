package import GuardModel
internal import PolicyEngine

/// Limits how fast pages may fill the log by their own requests, for the viewers of one instance.
///
/// A page loads frames and other parts without a user's hand, thousands a second; each is asked about and recorded.
/// Requests beyond the needs of pages are counted (`counts` records that name the viewer), so that nothing is lost
/// silently. Actions of a person, and every main frame, are always recorded.
///
///     var rates = RecordRates()
///     rates.take(viewer, at: now)    // .recorded, 2,000 times at once and then 50 times a second
package struct RecordRates {
  /// The fate of a decision's record.
  package enum Answer {
    case recorded
    /// It is the first that is only counted: the log says at once that it counts.
    case firstCounted
    case counted
  }

  private struct Rate {
    /// Thousandths of a record that may follow at once.
    var room: UInt64
    var time: UInt64
    var isCounting = false
  }

  private var rates: [UInt64: Rate] = [:]
  private let burst: UInt64
  private let perSecond: UInt64

  /// - Parameters:
  ///   - burst: so many at once. The default is more than any page has parts.
  ///   - perSecond: so many a second from then on.
  package init(burst: UInt64 = 2000, perSecond: UInt64 = 50) {
    self.burst = burst
    self.perSecond = perSecond
  }

  /// Viewers that are told apart; further ones share a rate.
  private static let maximumViewers = 4096

  /// Whether pages cause such events by themselves.
  package static func isOfPage(_ event: borrowing Event) -> Bool {
    event.kind == .navigate && (event.frame == .sub || event.frame == .resource)
  }

  /// Takes room for one record of a viewer.
  ///
  /// - Parameter time: in milliseconds; it never runs back.
  package mutating func take(_ viewer: UInt64, at time: UInt64) -> Answer {
    let key = rates[viewer] != nil || rates.count < Self.maximumViewers ? viewer : 0
    var rate = rates[key] ?? Rate(room: burst * 1000, time: time)
    let passed = time >= rate.time ? time - rate.time : 0
    rate.room = min(burst * 1000, rate.room + min(passed, 3_600_000) * perSecond)
    rate.time = time
    let wasCounting = rate.isCounting
    rate.isCounting = rate.room < 1000
    if !rate.isCounting { rate.room -= 1000 }
    rates[key] = rate
    guard rate.isCounting else { return .recorded }
    return wasCounting ? .counted : .firstCounted
  }
}
