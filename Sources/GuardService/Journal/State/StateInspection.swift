internal import CSQLite
internal import Glibc
internal import Platform

/// The contents of a state file, read without writing to it: a copy is opened, and the copy is thrown away.
///
/// SQLite cannot look at a file that another program writes without taking part in its bookkeeping, so the file and its
/// companions are copied first. A copy that was made while the daemon wrote may be torn; then another is made.
package enum StateInspection: Sendable, Hashable {
  /// There is none: nothing is remembered yet.
  case missing
  /// It is whole; its size with all that belongs to it.
  case sound(bytes: Int)
  /// The next daemon would set it aside, for this reason.
  case unusable(String)
  /// It cannot be looked at from here.
  case unreadable(String)

  /// The version of SQLite, such as `3.40.1`.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// A file of a state that is larger is not copied.
  private static let maximumBytes = 256 << 20
  /// Maximum copies made of a file that is being written.
  private static let attempts = 3

  /// Inspects the state file of a place.
  package init(of place: StatePlace) {
    var found = StateInspection.missing
    for _ in 0..<Self.attempts {
      found = Self.inspect(place.file)
      guard case .unusable = found else { break }
    }
    self = found
  }

  private static func inspect(_ file: String) -> StateInspection {
    guard access(file, F_OK) == 0 else {
      return errno == ENOENT ? .missing : .unreadable(SystemError("look at", file).description)
    }
    var template = Array("/tmp/webviewguard-doctor-XXXXXX".utf8CString)
    guard let directory = mkdtemp(&template).map({ String(cString: $0) }) else {
      return .unreadable(SystemError("make a directory for a copy of", file).description)
    }
    let copy = directory + "/state.db"
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy + suffix) }
      rmdir(directory)
    }
    do throws(SystemError) {
      let bytes = try Self.copy(file, to: copy) + Self.copy(file + "-wal", to: copy + "-wal", isOptional: true)
      return judge(copy, bytes)
    } catch {
      return .unreadable(error.description)
    }
  }

  private static func judge(_ copy: String, _ bytes: Int) -> StateInspection {
    // A daemon that has just begun leaves an empty file for a moment.
    if bytes == 0 { return .missing }
    do throws(SQLiteError) {
      let database = try SQLiteDatabase(path: copy)
      try StateStore.verify(database)
      return .sound(bytes: bytes)
    } catch {
      return .unusable(error.description)
    }
  }

  private static func copy(_ file: String, to copy: String, isOptional: Bool = false) throws(SystemError) -> Int {
    guard let status = FileStatus(file) else {
      if isOptional, errno == ENOENT { return 0 }
      throw SystemError("read", file)
    }
    guard status.size <= maximumBytes else { throw SystemError("read", file, EFBIG) }
    guard let bytes = SmallFile.bytes(at: file, maximum: maximumBytes) else { throw SystemError("read", file) }
    try SmallFile.replace(copy, with: bytes, mode: 0o600)
    return bytes.count
  }
}
