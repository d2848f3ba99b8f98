internal import CSQLite

/// An open database. Closing it is the end of its life; its statements must be gone by then.
struct SQLiteDatabase: ~Copyable {
  private let handle: OpaquePointer

  /// Opens a file that exists already. One thread at a time may use it.
  init(path: String) throws(SQLiteError) {
    var handle: OpaquePointer?
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE
      | SQLITE_OPEN_EXRESCODE
    let status = sqlite3_open_v2(path, &handle, flags, nil)
    guard let handle, status == SQLITE_OK else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(handle)
      throw SQLiteError(code: status, message: message)
    }
    let distrust = csqlite_distrust_schema(handle)
    guard distrust == SQLITE_OK else {
      sqlite3_close_v2(handle)
      throw SQLiteError(code: distrust, message: "the schema of a file cannot be kept harmless")
    }
    self.handle = handle
  }

  deinit { sqlite3_close_v2(handle) }

  /// The last error.
  var error: SQLiteError {
    SQLiteError(code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
  }

  /// Runs statements that answer nothing of interest.
  func run(_ sql: String) throws(SQLiteError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error }
  }

  func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    var statement: OpaquePointer?
    let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard let statement, status == SQLITE_OK else { throw error }
    return SQLiteStatement(statement)
  }

  /// The one number that a statement answers; 0 when it answers nothing.
  func number(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.number(0) ?? 0 : 0
  }

  /// The one text that a statement answers; nil when it answers none.
  func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Moves the write-ahead log into the file, and both to the disk.
  func checkpoint() throws(SQLiteError) {
    guard sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK else { throw error }
  }
}
