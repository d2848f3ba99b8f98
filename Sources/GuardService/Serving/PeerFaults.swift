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
