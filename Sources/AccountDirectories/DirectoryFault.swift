package import Platform

/// Why a directory cannot be opened or closed.
package enum DirectoryFault: Error, Sendable, Hashable, CustomStringConvertible {
  case system(SystemError)
  /// This machine cannot do it in this way; the hint says what is missing.
  case unable(DirectoryWay, hint: String)
  /// An entry is not as this program made it, and is left alone.
  case damaged(path: String, reason: String)
  /// The program ended without doing what it was asked.
  case program(String, status: Int32)
  /// Another program opens and closes the directories below this path.
  case taken(path: String)
  /// The key is not the directory's.
  case wrongKey(path: String)

  /// For people; the end of a sentence, without key bytes.
  package var description: String {
    switch self {
    case .system(let error): error.description
    case .unable(let way, let hint): "this machine cannot keep directories by \(way.rawValue): \(hint)"
    case .damaged(let path, let reason): "`\(path)` cannot be used: \(reason)"
    case .program(let name, let status): "`\(name)` ended with status \(status)"
    case .taken(let path): "another program keeps the directories in `\(path)`: one is enough"
    case .wrongKey(let path): "the key that was given is not the one of `\(path)`"
    }
  }
}
