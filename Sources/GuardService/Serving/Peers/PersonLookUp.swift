internal import CLinux
internal import Glibc
package import Platform

/// The owner of a uid: limits count by it, and clipboards and accounts belong to it.
package enum Person: Sendable, Hashable {
  case known(UInt32)
  /// No user of the machine, and no user's subordinate uid.
  case unknown
  /// Several users' subordinate uid.
  case ambiguous
}

/// Folds the subordinate uids of a user into that user.
///
/// The attack: one user has 65,536 uids in `/etc/subuid`, and by a user namespace a process under each of them. Limits
/// per uid would give it as many shares. Therefore a uid without a user of its own counts as its owner's; one without
/// an owner is served only where the policy names it. An entry in the user database wins, since some machines have
/// users in such ranges.
///
/// A database that does not answer makes no uid unknown: a uid outside all ranges is no uid that a user could give
/// itself.
package struct PersonLookUp: Sendable {
  /// Whether the user database has the uid; nil where it does not answer.
  package var isUser: @Sendable (UInt32) -> Bool?
  /// Owners of the subordinate uid.
  package var owners: @Sendable (UInt32) -> [UInt32]
  /// The name of a person in the user database.
  package var naming: @Sendable (UInt32) -> Users.Naming

  package init(
    isUser: @escaping @Sendable (UInt32) -> Bool?, owners: @escaping @Sendable (UInt32) -> [UInt32],
    naming: @escaping @Sendable (UInt32) -> Users.Naming = Users.naming(ofUser:)
  ) {
    self.isUser = isUser
    self.owners = owners
    self.naming = naming
  }

  package func person(of uid: UInt32) -> Person {
    let isUser = isUser(uid)
    if isUser == true { return .known(uid) }
    let owners = Set(owners(uid)).sorted()
    switch owners.count {
    case 0: return isUser == nil ? .known(uid) : .unknown
    case 1: return .known(owners[0])
    default: return .ambiguous
    }
  }
}

extension PersonLookUp {
  /// The machine's own. Each may take long: never on the event loop.
  static let system = PersonLookUp(
    isUser: Users.isUser,
    owners: { uid in
      var owners = [uid_t](repeating: 0, count: Self.mostOwners)
      let count = subordinate_uid_owners(uid, &owners, Int32(Self.mostOwners))
      return count >= 0 ? owners.prefix(Int(count)).map { UInt32($0) } : SubordinateRanges.system.owners(of: uid)
    })

  /// More than one is as bad as many.
  private static let mostOwners = 4
}

extension SubordinateRanges {
  /// The ranges in `/etc/subuid`, for machines without libsubid.
  fileprivate static var system: SubordinateRanges {
    SubordinateRanges(text: SmallFile.text(at: "/etc/subuid", maximum: 1 << 20) ?? "", uid: Users.uid(ofUser:))
  }
}

/// Ranges of uids that a machine gives to its users, for their containers: the text of `/etc/subuid`.
///
///     let ranges = SubordinateRanges(text: "alice:100000:65536\n1001:165536:65536\n") { $0 == "alice" ? 1000 : nil }
///     ranges.owners(of: 100_001)    // [1000]
///     ranges.owners(of: 200_000)    // [1001]
///
/// Source: subuid(5). A line that cannot be read gives no range.
package struct SubordinateRanges: Sendable, Hashable {
  private struct Range: Sendable, Hashable {
    let first: UInt64
    let count: UInt64
    let owner: UInt32
  }

  private var ranges: [Range] = []

  /// - Parameter uid: the uid of a user's name; nil where there is no such user.
  package init(text: String, uid: (String) -> UInt32?) {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 3, let first = UInt32(fields[1]), let count = UInt32(fields[2]), count > 0 else { continue }
      guard let owner = UInt32(fields[0]) ?? uid(String(fields[0])) else { continue }
      ranges.append(Range(first: UInt64(first), count: UInt64(count), owner: owner))
    }
  }

  /// Whom the machine gives this uid, each once; more than one where ranges lie over each other.
  package func owners(of uid: UInt32) -> [UInt32] {
    let uid = UInt64(uid)
    return Set(ranges.filter { $0.first <= uid && uid < $0.first + $0.count }.map(\.owner)).sorted()
  }
}
