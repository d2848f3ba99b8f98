internal import Glibc

/// Names of users and groups, from the system's database.
package enum UserNames {
  package static func gid(ofGroup name: String) -> UInt32? {
    var entry = group()
    var result: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getgrnam_r(name, &entry, &buffer, buffer.count, &result) == 0, result != nil else { return nil }
    return entry.gr_gid
  }

  /// The group's name; its number where it has none.
  package static func name(ofGroup gid: UInt32) -> String {
    var entry = group()
    var result: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getgrgid_r(gid, &entry, &buffer, buffer.count, &result) == 0, result != nil, let name = entry.gr_name else {
      return String(gid)
    }
    return String(cString: name)
  }

  /// Whether the system has a user of this number; nil when its database does not answer.
  static func isUser(_ uid: UInt32) -> Bool? {
    var entry = passwd()
    var result: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    let error = getpwuid_r(uid, &entry, &buffer, buffer.count, &result)
    if result != nil { return true }
    // Some databases say so by an error.
    return [0, ENOENT, ESRCH].contains(error) ? false : nil
  }

  /// The number of a user; nil when the system has none of that name.
  static func uid(ofUser name: String) -> UInt32? {
    var entry = passwd()
    var result: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getpwnam_r(name, &entry, &buffer, buffer.count, &result) == 0, result != nil else { return nil }
    return entry.pw_uid
  }

  /// The user's name; nil when the system has none.
  static func name(ofUser uid: UInt32) -> String? {
    var entry = passwd()
    var result: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getpwuid_r(uid, &entry, &buffer, buffer.count, &result) == 0, result != nil, let name = entry.pw_name else {
      return nil
    }
    return String(cString: name)
  }
}
