internal import GuardModel
internal import PolicyEngine

/// Everything that the file holds. What no daemon of ours would have written makes the whole file worthless: a record that
/// is believed by half is a weaker answer.
extension StateStore {
  func read() throws(SQLiteError) -> StateRecords {
    var records = StateRecords()
    try readService(&records)
    try readMarks(&records)
    if believes { try readExceptions(&records) }
    guard !mustForget else { return records }
    try readSelections(&records)
    try readIssued(&records)
    try readBudgets(&records)
    try readInstances(&records)
    try readPages(&records)
    return records
  }

  private func readService(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT latest FROM service")
    while try rows.step() {
      guard let latest = rows.number(0), (0...Self.latestTime).contains(latest) else { throw .senseless("service") }
      records.latest = latest > 0 ? UInt64(latest) : nil
    }
  }

  private func readMarks(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT name, value FROM mark")
    while try rows.step() {
      guard let name = rows.text(0), let value = rows.text(1) else { throw .senseless("mark") }
      if !value.isEmpty { records.marks[name] = value }
    }
  }

  /// Milliseconds since 1970, in the year 10889: no clock ever said more, and numbers made of it stay in range.
  static let latestTime: Int64 = 1 << 48

  private func readBudgets(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT uid, minute, used FROM budget")
    while try rows.step() {
      guard let uid = rows.uid(0), let minute = rows.number(1), minute >= 0, let used = rows.number(2),
        (0...Int64(UInt32.max)).contains(used)
      else { throw .senseless("budget") }
      records.clips.budgets[uid] = ClipBudget(minute: UInt64(minute), used: Int(used))
    }
  }

  private func readInstances(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT token, uid, app, serial, identity, windows, record FROM instance")
    while try rows.step() {
      guard let token = rows.text(0), let uid = rows.uid(1), let app = rows.text(2), let serial = rows.count(3),
        let identity = rows.flag(4), let windows = rows.bytes(5).flatMap(WindowKeys.keys), let record = rows.number(6)
      else { throw .senseless("instance") }
      records.instances[token] = KeptInstance(
        uid: uid, app: app, serial: serial, hasIdentity: identity, windows: windows,
        record: UInt64(bitPattern: record))
    }
  }
}

extension SQLiteStatement {
  func uid(_ column: Int32) -> UInt32? { number(column).flatMap(UInt32.init(exactly:)) }

  /// A number that is counted on from; half of all numbers are left for that.
  func count(_ column: Int32) -> UInt64? { number(column).flatMap(UInt64.init(exactly:)) }

  func flag(_ column: Int32) -> Bool? {
    switch number(column) {
    case 0: false
    case 1: true
    default: nil
    }
  }
}
