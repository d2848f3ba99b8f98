/// Memory that one user's programs make the daemon hold. Shared by all connections and instances of the user.
package final class UserMemory {
  package let uid: UInt32
  /// Bytes of its apps' registrations.
  package fileprivate(set) var registered = 0
  /// Bytes of messages that are being received, and of answers that have not left.
  @exclusivity(unchecked) package fileprivate(set) var moving = 0

  package init(uid: UInt32) { self.uid = uid }
}

/// The memory that all users together make the daemon hold, and the limits of each.
///
/// Two accounts of the same size: registrations, and data on its way. Above its part of the first a user can register
/// nothing more; above its part of the second its connections are read more slowly. Nothing that was registered goes.
///
/// One user gets a quarter. Once three quarters are in use, the rest is for users who hold little: a flood by three
/// users does not stop a fourth.
package struct MemoryBudget {
  /// Bytes of either account.
  package let maximum: Int
  package private(set) var registered = 0
  package private(set) var moving = 0

  package init(megabytes: Int) { maximum = megabytes << 20 }

  /// Limit of one user while there is room.
  package var share: Int { maximum / 4 }
  /// Limit of one user while there is little room.
  private var smallShare: Int { maximum / 64 }

  /// Whether the user may register so many bytes more; shrinking is always allowed.
  package func hasRoom(for bytes: Int, of user: UserMemory) -> Bool {
    guard bytes > 0 else { return true }
    guard registered + bytes <= maximum else { return false }
    let limit = registered + bytes > maximum / 4 * 3 ? smallShare : share
    return user.registered + bytes <= limit
  }

  package mutating func register(_ bytes: Int, of user: UserMemory) {
    registered += bytes
    user.registered += bytes
  }

  package mutating func move(_ bytes: Int, of user: UserMemory) {
    moving += bytes
    user.moving += bytes
  }

  /// Whether the user's answers have to leave before more of its questions are read.
  package func mustWait(_ user: UserMemory) -> Bool {
    user.moving > share || (moving > maximum / 4 * 3 && user.moving > smallShare)
  }
}

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

/// A fault of a peer, as the operational log names it.
package enum PeerFault: String {
  case tooManyConnections = "too many connections"
  case unknownPerson =
    "connection closed: its uid is no user's, in no range of subordinate uids, and not named by the policy"
  case ambiguousPerson = "connection closed: its uid is in several users' ranges of subordinate uids"
  case unreadableMessage = "message unreadable, connection closed"
  case overlongMessage = "message too long, connection closed"
  case halfMessage = "half a message stayed too long, connection closed"
  case noApp = "connection closed that belonged to no app for too long"
  case refusedCall = "call refused"
  case refusedCalls = "calls refused in all"
  case noMemory = "too much is registered, nothing more is taken up"
}

/// Counts each user's faults of each kind in this minute.
///
/// The attack: a peer that does something wrong a thousand times a second fills the journal, and pushes the messages
/// out of it that an administrator should read.
package struct PeerFaults {
  private struct Key: Hashable {
    var fault: PeerFault
    var uid: UInt32
  }

  private var counts: [Key: Int] = [:]

  package init() {}

  /// Maximum of each a minute that is told by itself; the others are counted.
  package static let told = 8

  /// Counts a fault; whether to tell it.
  package mutating func count(_ fault: PeerFault, of uid: UInt32) -> Bool {
    let count = counts[Key(fault: fault, uid: uid), default: 0] + 1
    counts[Key(fault: fault, uid: uid)] = count
    return count <= Self.told
  }

  /// The untold faults of this minute; the next one begins.
  package mutating func takeUntold() -> [(fault: PeerFault, uid: UInt32, count: Int)] {
    defer { counts = [:] }
    return counts.filter { $0.value > Self.told }.map { ($0.key.fault, $0.key.uid, $0.value - Self.told) }
  }
}
