internal import NIOCore

/// Limits of open connections, for one person and for all together. Per person first: one user's flood must not lock
/// out another. Once three quarters of all places are taken, the rest is for those who hold little, as in
/// `MemoryBudget`.
package struct Quotas {
  private var connections: [UInt32: Int] = [:]
  private var memories: [UInt32: UserMemory] = [:]
  package private(set) var total = 0
  let perUser: Int
  let maximum: Int

  package init(perUser: Int, maximum: Int) {
    self.perUser = perUser
    self.maximum = maximum
  }

  /// Counts a connection in; false, and not counted, when a cap is reached.
  package mutating func admit(_ uid: UInt32) -> Bool {
    let isScarce = total >= maximum / 4 * 3
    guard total < maximum, connections[uid, default: 0] < (isScarce ? smallShare : perUser) else { return false }
    connections[uid, default: 0] += 1
    total += 1
    return true
  }

  /// Limit of one person while few places are left.
  private var smallShare: Int { min(perUser, max(4, maximum / 64)) }

  /// The memory that a user's programs take; one account for all of them, as long as any of them lives.
  mutating func memory(of uid: UInt32) -> UserMemory {
    if let known = memories[uid] { return known }
    let memory = UserMemory(uid: uid)
    memories[uid] = memory
    return memory
  }

  /// Forgets the accounts of users who hold nothing any more.
  mutating func forgetGone() {
    memories = memories.filter { connections[$0] != nil || $1.registered != 0 || $1.moving != 0 }
  }

  package mutating func release(_ uid: UInt32) {
    guard let count = connections[uid] else { return }
    connections[uid] = count > 1 ? count - 1 : nil
    total -= 1
  }
}
