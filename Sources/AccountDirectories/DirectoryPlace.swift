package import AccountKeys
package import Platform

/// How an account's files are kept so that they can be read only while the account may work.
package enum DirectoryWay: String, Sendable, Hashable, CaseIterable {
  /// The file system encrypts them (fscrypt, policies of version 2): ext4, f2fs and others with the feature `encrypt`.
  case fscrypt
  /// A program encrypts them, on any file system with extended attributes or without (FUSE).
  case gocryptfs
}

/// Where an account's directory lies, below a directory that only root can change:
///
///     ROOT/1000/2bb54003f51bb9c73f499e5146dc639c/files     what apps use; readable while it is open
///                                               /sealed    gocryptfs: the encrypted files, for root alone
///                                               /made      by which key and in which way it was made
///
/// No name on the way can be changed by a user, so root may follow it. The last directory belongs to its user.
package struct DirectoryPlace: Sendable, Hashable {
  package let owner: KeyOwner
  /// The directory with everything of it.
  package let area: String

  /// - Parameter root: an absolute path without a `/` at its end.
  package init(of owner: KeyOwner, below root: String) {
    self.owner = owner
    area = "\(root)/\(owner.uid)/\(owner.account.value.hex)"
  }

  package var files: String { area + "/files" }
  var sealed: String { area + "/sealed" }
  var made: String { area + "/made" }

  /// Every place below a directory, in no order, and why others could not be seen. Other names there are not this
  /// program's, and stay.
  package static func all(below root: String) -> (places: [DirectoryPlace], faults: [SystemError]) {
    var found: (places: [DirectoryPlace], faults: [SystemError]) = ([], [])
    for person in names(in: root, &found.faults) {
      guard let uid = UInt32(person), String(uid) == person else { continue }
      for name in names(in: "\(root)/\(person)", &found.faults) {
        guard let account = SixteenBytes(hex: name) else { continue }
        found.places.append(DirectoryPlace(of: KeyOwner(uid: uid, account: AccountTag(account)), below: root))
      }
    }
    return found
  }

  private static func names(in path: String, _ faults: inout [SystemError]) -> [String] {
    do throws(SystemError) { return try Directory.names(in: path) } catch {
      if !error.isAbsence { faults.append(error) }
      return []
    }
  }
}

/// By which key and in which way a directory was made: the text of the file `made`. It is written before anything else, so
/// that a crash leaves no directory whose key nobody can name.
///
///     way gocryptfs
///     key 5f0c6d6f6be1c0a6a8f4f43d3f9be0a1
///     object 9b0f…                          64 digits
package struct DirectoryMark: Sendable, Hashable {
  package var way: DirectoryWay
  /// The account's key, from which the directory's is derived.
  package var key: KeyID
  /// The name under which it is derived; another directory of the same account has another one.
  package var object: SealedObjectID

  package init(way: DirectoryWay, key: KeyID, object: SealedObjectID) {
    (self.way, self.key, self.object) = (way, key, object)
  }

  var text: String { "way \(way.rawValue)\nkey \(key.hex)\nobject \(object.hex)\n" }

  /// Nil for any other text: each line is there once, in this order.
  init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.split(separator: " ") }
    guard lines.count == 4, lines[3].isEmpty, lines[..<3].allSatisfy({ $0.count == 2 }),
      lines[..<3].map({ $0[0] }) == ["way", "key", "object"],
      let way = DirectoryWay(rawValue: String(lines[0][1])), let key = KeyID(hex: String(lines[1][1])),
      let object = SealedObjectID(hex: String(lines[2][1]))
    else { return nil }
    self.init(way: way, key: key, object: object)
  }
}
