internal import CLinux
internal import Glibc
internal import Platform

/// Whose a uid is: what limits count, and what clipboards and accounts belong to.
package enum Person: Sendable, Hashable {
  case known(UInt32)
  /// No user of the machine, and nobody's subordinate uid.
  case unknown
  /// Several users' subordinate uid.
  case ambiguous
}

/// Folds the subordinate uids of a user into that user.
///
/// The attack: one user has 65,536 uids in `/etc/subuid`, and by a user namespace a process under each of them. Limits per
/// uid would give it as many shares. So a uid without a user of its own counts as its owner's; one without an owner is
/// served only where the policy names it. An entry in the user database wins, since some machines have users in such ranges.
///
/// A database that does not answer makes nobody unknown: a uid outside all ranges is no uid that a user could give itself.
package struct PersonLookUp: Sendable {
  /// Whether the user database has the uid; nil where it does not answer.
  package var isUser: @Sendable (UInt32) -> Bool?
  /// Whose subordinate uid it is.
  package var owners: @Sendable (UInt32) -> [UInt32]

  package init(isUser: @escaping @Sendable (UInt32) -> Bool?, owners: @escaping @Sendable (UInt32) -> [UInt32]) {
    self.isUser = isUser
    self.owners = owners
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
  /// The machine's own. Both may take long: never on the event loop.
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
  /// What `/etc/subuid` says, for machines without libsubid.
  fileprivate static var system: SubordinateRanges {
    SubordinateRanges(text: SmallFile.text(at: "/etc/subuid", maximum: 1 << 20) ?? "", uid: Users.uid(ofUser:))
  }
}
