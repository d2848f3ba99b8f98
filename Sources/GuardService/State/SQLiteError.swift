internal import CSQLite

/// What SQLite said, or what is wrong with the rows of a file that SQLite could read.
struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The extended result code.
  var code: Int32
  var message: String

  /// Another process holds the file.
  var isBusy: Bool { code & 0xFF == SQLITE_BUSY }

  var description: String { message }

  /// A file that is sound and not ours, or of another version.
  static let foreign = SQLiteError(code: SQLITE_NOTADB, message: "it is not a state file of this version")

  /// A file whose pages do not fit together.
  static let damaged = SQLiteError(code: SQLITE_CORRUPT, message: "it is damaged")

  /// A row that this program would not have written.
  static func senseless(_ table: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, message: "a row of `\(table)` makes no sense")
  }
}
