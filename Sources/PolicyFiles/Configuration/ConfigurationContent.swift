internal import Digests

/// The files of a configuration, for a copy: the bytes of its files, and the names of its lists.
package struct ConfigurationContent: Sendable {
  /// One file that a person wrote.
  package struct File: Sendable, Hashable {
    /// The name below the root: `rules/common/sign-in.yaml`.
    package let name: String
    package let bytes: [UInt8]
  }

  /// In the order of their names, without those that a later root masks.
  package var files: [File] = []
  /// Their bytes are not kept: a list may have some hundred megabytes.
  package var lists: [ListFile] = []

  init() {}

  init(_ files: [ConfigurationFile], lists: [ListFile]) {
    self.files = files.map { File(name: $0.name, bytes: $0.bytes) }
    self.lists = lists
  }

  /// Bytes in all.
  package var size: Int { files.reduce(0) { $0 + $1.bytes.count } + lists.reduce(0) { $0 + $1.storedBytes } }
}

extension ListFile {
  /// The place below a root: `rules/lists/file-sharing.txt`.
  package var nameBelowRoot: String { "rules/" + name }

  /// Hands the bytes of the file to `take`, piece by piece. Throws `changed` at the end when they are not the loaded
  /// ones: none of them may be used then.
  package func stream(_ take: (Span<UInt8>) -> Bool) throws(FileProblem) {
    let root = String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self)
    var sum = SHA256()
    _ = try SystemFiles().stream(path, below: root, limit: ListLimits.maximumBytes) { piece in
      sum.update(piece)
      return take(piece)
    }
    guard sum.digest.bytes == hash else { throw .changed }
  }
}
