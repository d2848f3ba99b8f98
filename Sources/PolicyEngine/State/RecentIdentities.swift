internal import GuardModel

/// The accounts that an instance showed a moment ago and shows no more: what it puts on a selection without a word may still
/// be theirs, since a copy takes its time (amendments, clipboard, second part).
struct RecentIdentities: Sendable {
  private var left: [AccountID] = []
  private var times: [UInt64] = []
  /// Nobody knows whose data it showed until then.
  private var unknownUntil: UInt64 = 0

  /// Milliseconds for which an identity that was left still counts.
  static let time: UInt64 = 10_000
  private static let most = 8

  /// The instance leaves an account. With more than there is room for, nobody knows whose data it showed.
  mutating func leave(_ account: AccountID, at time: UInt64) {
    drop(before: time)
    guard let known = left.firstIndex(of: account) else {
      guard left.count < Self.most else { return leaveUnknown(at: time) }
      left.append(account)
      times.append(time &+ Self.time)
      return
    }
    times[known] = time &+ Self.time
  }

  /// The instance may have shown anybody's data until now.
  mutating func leaveUnknown(at time: UInt64) { unknownUntil = time &+ Self.time }

  func isUnknown(at time: UInt64) -> Bool { time < unknownUntil }

  func forEach(at time: UInt64, _ body: (AccountID) -> Void) {
    for index in left.indices where time < times[index] { body(left[index]) }
  }

  private mutating func drop(before time: UInt64) {
    for index in left.indices.reversed() where times[index] <= time {
      left.remove(at: index)
      times.remove(at: index)
    }
  }
}

extension GuardState {
  /// What an instance showed until now, at some level.
  mutating func leave(_ identity: Identity, in id: InstanceID) {
    guard case .account(let account) = identity, instance(id) != nil else { return }
    instances[Int(id.index)]?.recentIdentities.leave(account, at: time)
  }

  /// What a viewer showed that is gone, or shows something else from now on.
  mutating func leave(_ viewer: Int32, in id: InstanceID, _ snapshot: Snapshot) {
    guard let instance = instance(id), let app = instance.app.map({ snapshot.apps[Int($0)] }) else { return }
    let resolved = instance.resolve(viewer, in: app)
    leave(instance.identity(of: resolved, scope: .absent, accounts).identity, in: id)
    for identity in instance.identities(of: resolved) ?? [] { leave(identity, in: id) }
  }
}
