internal import DecisionLog

/// How much of the log each user's records fill, so that no user's flood can push the records of another out.
///
/// A connection keeps the number of its user's place, so that a decision costs an addition and a comparison. A place is 100
/// bytes, and there are as many as users who asked or have records.
///
/// The daemon's own user has no share: a share protects what the log says of others, and whoever runs the daemon holds the
/// log itself. So a user service never refuses its user.
struct LogShares {
  private struct Share {
    /// Bytes in closed files.
    var closed = 0
    /// Bytes in the file that grows.
    var active = 0
    /// What got no record since.
    var limited: LimitedDecisions
  }

  private var shares: [Share] = []
  private var places: [UInt32: Int] = [:]
  /// Bytes that one user may fill.
  let maximum: Int
  /// Who runs the daemon.
  private let owner: UInt32

  init(maximum: Int, owner: UInt32, closed: [ClosedLogFile], active: ClosedFile) {
    self.maximum = maximum
    self.owner = owner
    for file in closed { for (uid, bytes) in file.users { shares[place(of: uid)].closed += bytes } }
    for (uid, bytes) in active.users { shares[place(of: uid)].active += bytes }
  }

  /// Where a user's share is kept.
  mutating func place(of uid: UInt32) -> Int {
    if let place = places[uid] { return place }
    places[uid] = shares.count
    shares.append(Share(limited: LimitedDecisions(uid: uid)))
    return shares.count - 1
  }

  mutating func add(_ bytes: Int, at place: Int) { shares[place].active += bytes }

  func isFull(at place: Int) -> Bool { fills(maximum, at: place) }

  /// The users who may record nothing now.
  var full: [UInt32] { users { isFull(at: $0) } }

  /// The users who fill four fifths of their share or more, and may still record.
  var filling: [UInt32] { users { fills(maximum / 5 * 4, at: $0) && !isFull(at: $0) } }

  private func fills(_ bytes: Int, at place: Int) -> Bool {
    shares[place].closed + shares[place].active > bytes && shares[place].limited.uid != owner
  }

  private func users(where holds: (Int) -> Bool) -> [UInt32] {
    shares.indices.filter(holds).map { shares[$0].limited.uid }.sorted()
  }

  /// Counts what gets no record.
  mutating func count(_ kind: WritableKeyPath<LimitedDecisions, UInt64>, at place: Int) {
    shares[place].limited[keyPath: kind] += 1
  }

  /// The file that grew is complete: what each user has in it.
  mutating func close() -> [UInt32: Int] {
    var users: [UInt32: Int] = [:]
    for index in shares.indices where shares[index].active > 0 {
      users[shares[index].limited.uid] = shares[index].active
      shares[index].closed += shares[index].active
      shares[index].active = 0
    }
    return users
  }

  /// A closed file is gone.
  mutating func release(_ users: [UInt32: Int]) {
    for (uid, bytes) in users {
      let place = place(of: uid)
      shares[place].closed = max(0, shares[place].closed - bytes)
    }
  }

  /// What got no record since the last time, each with its place.
  mutating func takeLimited() -> [(place: Int, limited: LimitedDecisions)] {
    shares.indices.compactMap { index in
      let limited = shares[index].limited
      guard limited.refused + limited.restricted + limited.changes > 0 else { return nil }
      shares[index].limited = LimitedDecisions(uid: limited.uid)
      return (index, limited)
    }
  }
}
