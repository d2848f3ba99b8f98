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
