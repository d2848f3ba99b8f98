internal import CSQLite

/// A prepared statement: bound in order, stepped, and reset for the next time.
struct SQLiteStatement: ~Copyable {
  private let handle: OpaquePointer
  /// The place of the next value; the first is 1.
  private var next: Int32 = 1

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  // MARK: Binding

  mutating func bind(_ value: Int64?) {
    if let value { sqlite3_bind_int64(handle, next, value) } else { sqlite3_bind_null(handle, next) }
    next += 1
  }

  /// All 64 bits, as a signed number.
  mutating func bind(_ value: UInt64?) { bind(value.map { Int64(bitPattern: $0) }) }

  mutating func bind(_ value: Bool) { bind(value ? 1 : 0 as Int64) }

  mutating func bind(_ value: String?) {
    guard var value else { return bind(nil as Int64?) }
    value.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) { csqlite_bind_text(handle, next, $0.baseAddress, Int32($0.count)) }
    }
    next += 1
  }

  mutating func bind(_ value: [UInt8]?) {
    guard let value else { return bind(nil as Int64?) }
    _ = value.withUnsafeBytes { csqlite_bind_blob(handle, next, $0.baseAddress, Int32($0.count)) }
    next += 1
  }

  // MARK: Running

  /// Goes to the next row; false behind the last.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let database = sqlite3_db_handle(handle)
      throw SQLiteError(code: sqlite3_extended_errcode(database), message: String(cString: sqlite3_errmsg(database)))
    }
  }

  /// Runs it to its end and makes it ready for the next values.
  mutating func run() throws(SQLiteError) {
    defer { reset() }
    while try step() {}
  }

  mutating func reset() {
    sqlite3_reset(handle)
    next = 1
  }

  // MARK: Reading

  /// The number in a column; nil when there is something else.
  func number(_ column: Int32) -> Int64? {
    guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
    return sqlite3_column_int64(handle, column)
  }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func text(_ column: Int32) -> String? {
    guard sqlite3_column_type(handle, column) == SQLITE_TEXT, let bytes = sqlite3_column_text(handle, column) else {
      return nil
    }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int32) -> [UInt8]? {
    guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    guard count > 0, let bytes = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
