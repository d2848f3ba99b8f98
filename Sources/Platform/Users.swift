internal import Glibc

/// Users and groups of the machine, from its name service. Each answer may take a while: ask on threads that may block.
///
/// Trap: a directory service that is down answers like one that does not know the name.
package enum Users {
  /// The number of a user; nil when the system has none of that name.
  package static func uid(ofUser name: String) -> UInt32? {
    look(passwd(), { getpwnam_r(name, $0, $1, $2, $3) }, { $0.pw_uid }).found
  }

  /// The number of a group; nil when the system has none of that name.
  package static func gid(ofGroup name: String) -> UInt32? {
    look(group(), { getgrnam_r(name, $0, $1, $2, $3) }, { $0.gr_gid }).found
  }

  /// The user's name; nil when the system has none.
  package static func name(ofUser uid: UInt32) -> String? {
    look(passwd(), { getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_name.map { String(cString: $0) } }).found
  }

  /// The group's name; its number where it has none.
  package static func name(ofGroup gid: UInt32) -> String {
    look(group(), { getgrgid_r(gid, $0, $1, $2, $3) }, { $0.gr_name.map { String(cString: $0) } }).found ?? String(gid)
  }

  /// The primary group of a user; nil when the system does not know the user.
  package static func gid(ofUser uid: UInt32) -> UInt32? {
    look(passwd(), { getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_gid }).found
  }

  /// Whether the system has a user of this number; nil when its database does not answer.
  package static func isUser(_ uid: UInt32) -> Bool? {
    let answer = look(passwd(), { getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_uid })
    if answer.found != nil { return true }
    // Some databases say so by an error.
    return [0, ENOENT, ESRCH].contains(answer.error) ? false : nil
  }

  /// Maximum memory for one entry: a group of some ten thousand members.
  private static let maximumBuffer = 4 << 20

  /// Asks with more and more room for the entry, until it fits.
  private static func look<Entry, Found>(
    _ blank: Entry,
    _ ask: (
      UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> Int32,
    _ take: (Entry) -> Found?
  ) -> (found: Found?, error: Int32) {
    var size = 4096
    while size <= maximumBuffer {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { buffer.deallocate() }
      var entry = blank
      var result: UnsafeMutablePointer<Entry>?
      let error = ask(&entry, buffer, size, &result)
      if error != ERANGE { return (result == nil ? nil : take(entry), error) }
      size *= 4
    }
    return (nil, ERANGE)
  }
}
