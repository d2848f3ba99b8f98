internal import Platform

/// Turns names of users and groups into the numbers that the kernel gives with a connection.
package protocol NameResolver: Sendable {
  /// The number of a user; nil when the system knows none of this name.
  func userID(named name: String) -> UInt32?
  /// The number of a group; nil when the system knows none of this name.
  func groupID(named name: String) -> UInt32?
}

/// The users and groups of the machine, from wherever its name service takes them.
///
/// Trap: a directory service that is down answers like one that does not know the name. The policy then binds no user
/// there, and the loader warns.
package struct SystemNames: NameResolver {
  package init() {}

  package func userID(named name: String) -> UInt32? { Users.uid(ofUser: name) }

  package func groupID(named name: String) -> UInt32? { Users.gid(ofGroup: name) }
}
