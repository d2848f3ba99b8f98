package import PolicyFiles
internal import Synchronization

/// The users and groups of two configurations that are compared, also those that this machine does not know.
///
/// The loader drops a peer of a group that is not known, so on a machine without the group `sales`, both policies would
/// seem to bind no user by it. Here such a name gets a number of its own, the same in both.
package final class ComparedNames: NameResolver {
  private let base: any NameResolver
  private let users = Mutex(Book())
  private let groups = Mutex(Book())

  private struct Book {
    var names: [UInt32: String] = [:]
    var unknown: [String: UInt32] = [:]

    mutating func number(of name: String, _ known: UInt32?) -> UInt32 {
      // No user has such a number: the kernel counts from the other end, and keeps the last one for "none".
      let number = known ?? unknown[name] ?? 0xFFFF_FFF0 - UInt32(truncatingIfNeeded: unknown.count)
      if known == nil { unknown[name] = number }
      if names[number] == nil { names[number] = name }
      return number
    }
  }

  package init(_ base: any NameResolver = SystemNames()) { self.base = base }

  package func userID(named name: String) -> UInt32? {
    let known = base.userID(named: name)
    return users.withLock { $0.number(of: name, known) }
  }

  package func groupID(named name: String) -> UInt32? {
    let known = base.groupID(named: name)
    return groups.withLock { $0.number(of: name, known) }
  }

  /// As a policy would name the user: `user: kiosk`, or `uid: 1000`.
  func user(_ number: UInt32) -> String {
    users.withLock { $0.names[number].map { "user: \($0)" } } ?? "uid: \(number)"
  }

  func group(_ number: UInt32) -> String {
    "group: " + (groups.withLock { $0.names[number] } ?? String(number))
  }
}
