package import DecisionLog

/// The part of the log that each user's records fill: no user's flood can push the records of another out.
///
/// The attack from the other side: a page that floods locks its user out. A share that filled therefore gets room for
/// an hour's work again after an hour: an eighth of a day's part of the share, so that a day at work has a day's part.
/// A user who floods all the time gets three times the share in the time that records are kept, and beyond that the
/// oldest files go, aloud.
///
/// A connection keeps the number of its user's place, so that a decision costs an addition and a comparison. A place is
/// 100 bytes; each user who asked or has records has one.
///
/// The daemon's own user has no share: a share protects the records of others, and the user who runs the daemon holds
/// the log itself. A user service thus never refuses its user.
package struct LogShares {
  private struct Share {
    /// Bytes in closed files.
    var closed = 0
    /// Bytes in the file that grows.
    var active = 0
    /// Bytes beyond the share that were granted since it filled.
    var granted = 0
    /// When it filled, in milliseconds since the boot; nil while there is room.
    var fullSince: UInt64?
    /// Decisions without a record since.
    var limited: LimitedDecisions
  }

  private var shares: [Share] = []
  private var places: [UInt32: Int] = [:]
  /// Bytes that one user may fill.
  package let maximum: Int
  /// Bytes that a full share gets after an hour.
  package let hourly: Int
  /// The user who runs the daemon.
  private let owner: UInt32

  /// In milliseconds: no share is full for longer.
  package static let hour: UInt64 = 3_600_000
  /// In a log that is very small an hour still has a few hundred records.
  private static let leastHourly = 256 << 10

  /// - Parameters:
  ///   - keepDays: how long records are kept.
  ///   - closed: bytes of each user's records in each closed file.
  ///   - active: the same of the file that grows.
  package init(maximum: Int, keepDays: Int, owner: UInt32, closed: [[UInt32: Int]], active: [UInt32: Int]) {
    self.maximum = maximum
    hourly = max(maximum / keepDays / 8, Self.leastHourly)
    self.owner = owner
    for users in closed { for (uid, bytes) in users { shares[place(of: uid)].closed += bytes } }
    for (uid, bytes) in active { shares[place(of: uid)].active += bytes }
  }

  /// Where a user's share is kept.
  package mutating func place(of uid: UInt32) -> Int {
    if let place = places[uid] { return place }
    places[uid] = shares.count
    shares.append(Share(limited: LimitedDecisions(uid: uid)))
    return shares.count - 1
  }

  package mutating func add(_ bytes: Int, at place: Int) { shares[place].active += bytes }

  package func isFull(at place: Int) -> Bool { fills(maximum, at: place) }

  /// The users who may record nothing now.
  package var full: [UInt32] { users { isFull(at: $0) } }

  /// The users who fill four fifths of their share or more, and may still record.
  package var filling: [UInt32] {
    users { (shares[$0].granted > 0 || fills(maximum / 5 * 4, at: $0)) && !isFull(at: $0) }
  }

  private func fills(_ bytes: Int, at place: Int) -> Bool {
    used(at: place) - shares[place].granted > bytes && shares[place].limited.uid != owner
  }

  private func used(at place: Int) -> Int { shares[place].closed + shares[place].active }

  /// Gives room to the shares that have been full for an hour; returns their users. Called every second.
  ///
  /// - Parameter uptime: in milliseconds since the boot, by a clock that cannot be set.
  package mutating func recover(at uptime: UInt64) -> [UInt32] {
    var recovered: [UInt32] = []
    for place in shares.indices {
      guard isFull(at: place) else {
        shares[place].fullSince = nil
        continue
      }
      let since = shares[place].fullSince ?? uptime
      shares[place].fullSince = since
      guard uptime >= since + Self.hour else { continue }
      shares[place].granted = used(at: place) - maximum + hourly
      shares[place].fullSince = nil
      recovered.append(shares[place].limited.uid)
    }
    return recovered
  }

  private func users(where holds: (Int) -> Bool) -> [UInt32] {
    shares.indices.filter(holds).map { shares[$0].limited.uid }.sorted()
  }

  /// Counts a decision without a record.
  package mutating func count(_ kind: WritableKeyPath<LimitedDecisions, UInt64>, at place: Int) {
    shares[place].limited[keyPath: kind] += 1
  }

  /// The active file is complete: returns the bytes that each user has in it.
  package mutating func close() -> [UInt32: Int] {
    var users: [UInt32: Int] = [:]
    for index in shares.indices where shares[index].active > 0 {
      users[shares[index].limited.uid] = shares[index].active
      shares[index].closed += shares[index].active
      shares[index].active = 0
    }
    return users
  }

  /// A closed file is gone.
  package mutating func release(_ users: [UInt32: Int]) {
    for (uid, bytes) in users {
      let place = place(of: uid)
      shares[place].closed = max(0, shares[place].closed - bytes)
      shares[place].granted = max(0, shares[place].granted - bytes)
    }
  }

  /// Decisions without a record since the last call, each with its place.
  package mutating func takeLimited() -> [(place: Int, limited: LimitedDecisions)] {
    shares.indices.compactMap { index in
      let limited = shares[index].limited
      guard limited.refused + limited.restricted + limited.changes > 0 else { return nil }
      shares[index].limited = LimitedDecisions(uid: limited.uid)
      return (index, limited)
    }
  }
}
