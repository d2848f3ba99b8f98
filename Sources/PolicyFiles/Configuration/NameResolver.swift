internal import Glibc

/// Turns names of users and groups into the numbers that the kernel gives with a connection.
package protocol NameResolver: Sendable {
  /// The number of a user; nil when the system knows none of this name.
  func userID(named name: String) -> UInt32?
  /// The number of a group; nil when the system knows none of this name.
  func groupID(named name: String) -> UInt32?
}

/// The users and groups of the machine, from wherever its name service takes them.
///
/// Trap: a directory service that is down answers like one that does not know the name. Policy then speaks of nobody
/// there, which the loader says as a warning.
package struct SystemNames: NameResolver {
  package init() {}

  package func userID(named name: String) -> UInt32? {
    Self.lookUp { buffer, size in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let status = getpwnam_r(name, &entry, buffer, size, &found)
      return (status, found?.pointee.pw_uid)
    }
  }

  package func groupID(named name: String) -> UInt32? {
    Self.lookUp { buffer, size in
      var entry = group()
      var found: UnsafeMutablePointer<group>?
      let status = getgrnam_r(name, &entry, buffer, size, &found)
      return (status, found?.pointee.gr_gid)
    }
  }

  /// Most memory for one entry: a group of some ten thousand members.
  private static let maximumBuffer = 4 << 20

  private static func lookUp(
    _ ask: (_ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> (status: Int32, number: UInt32?)
  ) -> UInt32? {
    var size = 4096
    while size <= maximumBuffer {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { buffer.deallocate() }
      let answer = ask(buffer, size)
      guard answer.status == ERANGE else { return answer.number }
      size *= 4
    }
    return nil
  }
}
