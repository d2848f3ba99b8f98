import DecisionLog
import Glibc
import Testing

import GuardService

/// A share that filled has room again after an hour, and again and again; and no faster.
@Suite struct LogSharesTests {
  private static let maximum = 100 << 20
  private let user: UInt32 = 4242

  private func shares(keepDays: Int = 10, closed: [UInt32: Int] = [:]) -> LogShares {
    LogShares(maximum: Self.maximum, keepDays: keepDays, owner: 0, closed: [closed], active: [:])
  }

  @Test func anHourAfterItFilledThereIsRoomForAnHour() {
    var shares = shares()
    let place = shares.place(of: user)
    shares.add(Self.maximum + 1, at: place)
    for hour in 1...50 as ClosedRange<UInt64> {
      let start = hour * 2 * LogShares.hour
      #expect(shares.isFull(at: place))
      #expect(shares.recover(at: start).isEmpty)
      #expect(shares.recover(at: start + LogShares.hour - 1).isEmpty)
      #expect(shares.recover(at: start + LogShares.hour) == [user])
      #expect(!shares.isFull(at: place))
      #expect(shares.filling == [user] && shares.full.isEmpty)
      shares.add(shares.hourly, at: place)
      #expect(!shares.isFull(at: place))
      shares.add(1, at: place)
    }
    #expect(shares.hourly == Self.maximum / 80)
  }

  /// What was granted is no gift for ever: with the old records it goes.
  @Test func withTheOldRecordsGoesWhatWasGranted() {
    var shares = shares(closed: [user: Self.maximum + 1])
    let place = shares.place(of: user)
    _ = shares.recover(at: 0)
    _ = shares.recover(at: LogShares.hour)
    #expect(!shares.isFull(at: place))
    shares.release([user: Self.maximum + 1])
    shares.add(Self.maximum, at: place)
    #expect(!shares.isFull(at: place))
    shares.add(1, at: place)
    #expect(shares.isFull(at: place))
  }

  @Test func othersAreNotTouched() {
    var shares = shares()
    let (place, other) = (shares.place(of: user), shares.place(of: 4243))
    shares.add(Self.maximum + 1, at: place)
    _ = shares.recover(at: 0)
    shares.add(Self.maximum + 1, at: other)
    _ = shares.recover(at: LogShares.hour / 2)
    #expect(shares.recover(at: LogShares.hour) == [user])
    #expect(shares.full == [4243])
  }

  @Test func aVerySmallLogHasRoomForAnHourAsWell() {
    let shares = LogShares(maximum: 1 << 20, keepDays: 3650, owner: 0, closed: [], active: [:])
    #expect(shares.hourly == 256 << 10)
  }
}
