package import GuardModel
package import JSONText

/// `OpenDirectory`: an app wants the directory of an account.
package struct OpenDirectoryCall: Call, Hashable {
  package var account = ""

  package init() {}

  package static let parameters = ParameterTable<OpenDirectoryCall>([.name("account", \.account)])
}

/// The reply to `OpenDirectory`.
package struct OpenDirectoryReply: Reply, Sendable, Hashable {
  package var state: AccountDirectoryState
  /// Where it is; nil while the service does not know.
  package var path: String?
  package var problem: String?

  package init(_ state: AccountDirectoryState, path: String? = nil, problem: String? = nil) {
    (self.state, self.path, self.problem) = (state, path, problem)
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("state", state.rawValue)
    writer.member("path", ifPresent: path)
    writer.member("problem", ifPresent: problem)
  }
}

/// A call of the program that opens and closes directories. The ids are as they came; the shell reads them.
package enum DirectoryOrder: Sendable, Hashable {
  case keep(KeepDirectoriesCall)
  case key(DirectoryKeyCall)
  case note(NoteDirectoryCall)
}

/// `KeepDirectories`: the keeper is there, and hears from now on which directories have to be open.
package struct KeepDirectoriesCall: Call, Hashable {
  /// How this machine can keep directories.
  package var ways: [FileEncryption] = []
  /// Those that are open: an earlier daemon let them.
  package var open: [KeptDirectory] = []

  package init() {}

  package static let parameters = ParameterTable<KeepDirectoriesCall>([
    .words("ways", .directoryWays, \.ways),
    Parameter("open", .objects, isRequired: true) { value, call throws(ServiceError) in
      guard value.kind == .array else { return false }
      var elements = value.elements
      while let element = elements.next() {
        guard element.kind == .object else { return false }
        var directory = KeptDirectory()
        try KeptDirectory.members.read(element, into: &directory)
        call.open.append(directory)
      }
      return true
    },
  ])
}

/// A directory that is open.
package struct KeptDirectory: Sendable, Hashable {
  package var uid: UInt32 = 0
  /// 16 bytes in hexadecimal digits.
  package var accountID = ""
  package var path = ""

  package init() {}

  package static let members = ParameterTable<KeptDirectory>([
    .uid(isRequired: true) { $0.uid = $1 }, .name("accountId", \.accountID), .name("path", \.path),
  ])
}

/// One reply to `KeepDirectories`: every directory that has to be open, and no other one.
package struct KeepDirectoriesReply: Reply, Sendable, Hashable {
  package struct Directory: Sendable, Hashable {
    package var uid: UInt32
    package var accountID: String
    /// The account's other ids, under which it may have a directory.
    package var formerIDs: [String]
    package var way: FileEncryption

    package init(uid: UInt32, accountID: String, formerIDs: [String], way: FileEncryption) {
      (self.uid, self.accountID, self.formerIDs, self.way) = (uid, accountID, formerIDs, way)
    }
  }

  package var directories: [Directory]

  package init(_ directories: [Directory]) { self.directories = directories }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("directories")
    writer.beginArray()
    for directory in directories {
      writer.beginObject()
      writer.member("uid", UInt64(directory.uid))
      writer.member("accountId", directory.accountID)
      writer.member("formerIds", directory.formerIDs)
      writer.member("way", directory.way.rawValue)
      writer.endObject()
    }
    writer.endArray()
  }
}

/// `DirectoryKey`: the key of one directory that has to be open.
package struct DirectoryKeyCall: Call, Hashable {
  package var uid: UInt32 = 0
  package var accountID = ""
  /// 32 bytes in hexadecimal digits, of the directory's own.
  package var object = ""
  /// The account's key by which the directory was made; nil for a new one.
  package var keyID: String?

  package init() {}

  package static let parameters = ParameterTable<DirectoryKeyCall>([
    .uid(isRequired: true) { $0.uid = $1 }, .name("accountId", \.accountID), .name("object", \.object),
    .optionalText("keyId", \.keyID),
  ])
}

/// `NoteDirectory`: what became of a directory.
package struct NoteDirectoryCall: Call, Hashable {
  package var uid: UInt32 = 0
  package var accountID = ""
  package var state = AccountDirectoryState.none
  package var path: String?
  package var problem: String?

  package init() {}

  package static let parameters = ParameterTable<NoteDirectoryCall>([
    .uid(isRequired: true) { $0.uid = $1 }, .name("accountId", \.accountID), .word("state", .directoryState, \.state),
    .optionalText("path", \.path), .optionalText("problem", \.problem),
  ])
}

extension Words<FileEncryption> {
  static let directoryWays = Words(FileEncryption.allCases.filter(\.isDirectory), name: \.rawValue)
}

extension Words<AccountDirectoryState> {
  static let directoryState = Words()
}
