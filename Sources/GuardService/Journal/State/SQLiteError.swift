internal import CSQLite

/// An error of SQLite, or a fault in the rows of a file that SQLite could read.
struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The extended result code.
  var code: Int32
  var message: String

  /// Another process holds the file.
  var isBusy: Bool { code & 0xFF == SQLITE_BUSY }

  /// The fault lies in the file and not in the disk, the memory or another process: trying again will not help.
  var isDamage: Bool {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_PERM, SQLITE_CANTOPEN: false
    default: true
    }
  }

  var description: String { message }

  /// A file that is sound and not ours, or of another version.
  static let foreign = SQLiteError(code: SQLITE_NOTADB, message: "it is not a state file of this version")

  /// A file whose pages do not fit together.
  static let damaged = SQLiteError(code: SQLITE_CORRUPT, message: "it is damaged")

  /// Writes would go into a file that no start finds again.
  static let replaced = SQLiteError(code: SQLITE_IOERR, message: "another file was put in its place")

  /// A row that this program would not have written.
  static func senseless(_ table: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, message: "a row of `\(table)` makes no sense")
  }
}
