/// How much memory one user's programs make the daemon hold. Shared by all connections and instances of the user.
package final class UserMemory {
  package let uid: UInt32
  /// Bytes of what its apps registered.
  package fileprivate(set) var registered = 0
  /// Bytes of messages that are being received, and of answers that have not left.
  @exclusivity(unchecked) package fileprivate(set) var moving = 0

  package init(uid: UInt32) { self.uid = uid }
}

/// What all users together make the daemon hold, and how much of it one may.
///
/// Two accounts of the same size: what is registered, and what moves. Above its part of the first a user can register
/// nothing more; above its part of the second its connections are read more slowly. Nothing that was registered goes.
///
/// One user gets a quarter. Once three quarters are in use, the rest is for users who hold little: a flood by three users
/// does not stop a fourth.
package struct MemoryBudget {
  /// Bytes of either account.
  package let maximum: Int
  package private(set) var registered = 0
  package private(set) var moving = 0

  package init(megabytes: Int) { maximum = megabytes << 20 }

  /// What one user may hold while there is room.
  package var share: Int { maximum / 4 }
  /// What it may hold while there is little.
  private var smallShare: Int { maximum / 64 }

  /// Whether the user may register so many bytes more; what shrinks is always welcome.
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
