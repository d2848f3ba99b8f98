internal import CSQLite
internal import GuardModel
internal import Platform
internal import PolicyEngine

/// The state file, open: reads and writes the state that outlives the daemon.
///
/// One thread at a time uses it. A set of changes is one transaction: after a crash the whole set is there or none of
/// it.
struct StateStore: ~Copyable {
  let database: SQLiteDatabase
  /// The clips and programs in the file do not hold; the next set that is written removes them.
  private(set) var mustForget: Bool
  /// False when the file may lack changes that were answered; its time still holds.
  let believes: Bool
  private let path: String
  private let identity: FileIdentity?
  private let boot: String
  private var saveService: SQLiteStatement
  private var clips: ClipRows
  private var saveBudget: SQLiteStatement
  private var saveInstance: SQLiteStatement
  private var dropInstance: SQLiteStatement
  private var saveMark: SQLiteStatement

  /// Opens a state file, or makes a new one of an empty file.
  ///
  /// - Parameters:
  ///   - boot: the id of the running boot. Clips and instances of another boot are forgotten: clipboards and programs
  ///     do
  ///     not survive one. The latest time and the timed exceptions stay.
  ///   - believing: false when the file lacks the last answers; it counts as written by another boot.
  ///   - synced: a set of changes counts as written when the disk has it.
  init(path: String, boot: String, believing: Bool, synced: Bool = false) throws(SQLiteError) {
    let database = try SQLiteDatabase(path: path)
    try database.run(StateSchema.settings(synced: synced))
    if try database.number("SELECT count(*) FROM sqlite_schema") == 0 {
      try database.run("BEGIN IMMEDIATE; \(StateSchema.creation) COMMIT")
    }
    try Self.verify(database)
    try Self.migrate(database)
    try database.run(StateSchema.marks)
    let known = try database.text("SELECT boot FROM service")
    let clips = try ClipRows(database)
    let saveService = try database.prepare("UPDATE service SET latest = max(latest, ?) WHERE id = 1")
    let saveBudget = try database.prepare("INSERT OR REPLACE INTO budget (uid, minute, used) VALUES (?,?,?)")
    let saveInstance = try database.prepare(
      "INSERT OR REPLACE INTO instance (token, uid, app, serial, identity, windows, record) VALUES (?,?,?,?,?,?,?)")
    let dropInstance = try database.prepare("DELETE FROM instance WHERE token = ?")
    saveMark = try database.prepare("INSERT OR REPLACE INTO mark (name, value) VALUES (?,?)")
    self.saveService = saveService
    self.clips = clips
    self.saveBudget = saveBudget
    self.saveInstance = saveInstance
    self.dropInstance = dropInstance
    self.boot = boot
    believes = believing
    self.path = path
    self.database = database
    identity = FileIdentity(path: path)
    mustForget = !believing || boot.isEmpty || known != boot
  }

  /// Throws for a file that SQLite can open but that is foreign, or damaged.
  static func verify(_ database: borrowing SQLiteDatabase) throws(SQLiteError) {
    let version = try database.number("PRAGMA user_version")
    guard try database.number("PRAGMA application_id") == StateSchema.applicationID,
      (1...StateSchema.version).contains(version)
    else { throw .foreign }
    guard try database.text("PRAGMA quick_check(1)") == "ok" else { throw .damaged }
  }

  /// Takes over a file of an earlier version.
  private static func migrate(_ database: borrowing SQLiteDatabase) throws(SQLiteError) {
    let version = try database.number("PRAGMA user_version")
    guard version < StateSchema.version else { return }
    try database.run("BEGIN IMMEDIATE; \(StateSchema.additions(to: version)) COMMIT")
  }

  /// Writes a set of changes as a whole. Throws when another file lies in the place of this one: the next daemon would
  /// read that.
  mutating func write(_ changes: StateRecords) throws(SQLiteError) {
    guard let identity, FileIdentity(path: path) == identity else { throw .replaced }
    try database.run("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      if mustForget { try forget() }
      try writeRows(changes)
      try database.run("COMMIT")
      mustForget = false
      if changes.outlivesPowerCuts { try database.checkpoint() }
    } catch {
      // A failed COMMIT may have ended the transaction; then there is nothing to take back.
      try? database.run("ROLLBACK")
      throw error
    }
  }

  private func forget() throws(SQLiteError) {
    try database.run(StateSchema.forgetting)
    if !believes { try database.run("\(StateSchema.forgettingExceptions); \(StateSchema.forgettingAccounts)") }
    var saveBoot = try database.prepare(StateSchema.boot)
    saveBoot.bind(boot)
    try saveBoot.run()
  }

  private mutating func writeRows(_ changes: StateRecords) throws(SQLiteError) {
    if let latest = changes.latest {
      saveService.bind(latest)
      try saveService.run()
    }
    for (name, value) in changes.marks {
      saveMark.bind(name)
      saveMark.bind(value)
      try saveMark.run()
    }
    try write(changes.files)
    try clips.write(changes.clips)
    for (uid, budget) in changes.clips.budgets {
      saveBudget.bind(Int64(uid))
      saveBudget.bind(budget.minute)
      saveBudget.bind(Int64(budget.used))
      try saveBudget.run()
    }
    for (token, instance) in changes.instances { try write(instance, token) }
    try write(changes.clips.pages)
    try write(changes.exceptions)
    try write(changes.clips.accounts)
  }

  private mutating func write(_ instance: KeptInstance?, _ token: String) throws(SQLiteError) {
    guard let instance else {
      dropInstance.bind(token)
      return try dropInstance.run()
    }
    saveInstance.bind(token)
    saveInstance.bind(Int64(instance.uid))
    saveInstance.bind(instance.app)
    saveInstance.bind(instance.serial)
    saveInstance.bind(instance.hasIdentity)
    saveInstance.bind(WindowKeys.bytes(instance.windows))
    saveInstance.bind(instance.record)
    try saveInstance.run()
  }
}

/// The windows of an instance in one column: eight bytes each.
enum WindowKeys {
  static func bytes(_ keys: Set<UInt64>) -> [UInt8] {
    keys.flatMap { key in stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: key >> UInt64($0)) } }
  }

  /// Nil when the bytes are no such keys.
  static func keys(_ bytes: [UInt8]) -> Set<UInt64>? {
    guard bytes.count.isMultiple(of: 8) else { return nil }
    let starts = stride(from: 0, to: bytes.count, by: 8)
    return Set(starts.map { start in (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64($1 * 8) } })
  }
}

/// The names of one account in one column: UTF-8, with a byte between them that UTF-8 never holds.
enum AccountNames {
  private static let border: UInt8 = 0xFF

  static func bytes(_ names: [String]) -> [UInt8] { Array(names.map { Array($0.utf8) }.joined(separator: [border])) }

  /// Nil when the bytes are no such names.
  static func names(_ bytes: [UInt8]) -> [String]? {
    let names = bytes.split(separator: border, omittingEmptySubsequences: false).map {
      String(validating: $0, as: UTF8.self)
    }
    let valid = names.compactMap(\.self).filter { !$0.isEmpty }
    return valid.count == names.count ? valid : nil
  }
}

/// The viewers' pages, in the state file. Like clips they do not survive a boot: no program does.
extension StateStore {
  private static let columns = "instance, viewer, uid, app, shown, opened, document"

  func write(_ pages: KeptPages) throws(SQLiteError) {
    guard !pages.isEmpty else { return }
    var save = try database.prepare("INSERT OR REPLACE INTO page (\(Self.columns)) VALUES (?,?,?,?,?,?,?)")
    var drop = try database.prepare("DELETE FROM page WHERE instance = ? AND viewer = ?")
    for (place, page) in pages.pages {
      guard let page else {
        drop.bind(place.instance)
        drop.bind(place.viewer)
        try drop.run()
        continue
      }
      save.bind(page, in: place)
      try save.run()
    }
    var dropAll = try database.prepare("DELETE FROM page WHERE instance = ?")
    for instance in pages.ended {
      dropAll.bind(instance)
      try dropAll.run()
    }
  }

  func readPages(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT \(Self.columns) FROM page")
    while try rows.step() {
      guard let instance = rows.count(0), let viewer = rows.bytes(1), let uid = rows.uid(2), let app = rows.text(3),
        let shown = rows.flag(4), let opened = rows.flag(5), rows.isNull(6) || rows.bytes(6) != nil
      else { throw .senseless("page") }
      let place = PagePlace(uid: uid, app: app, instance: instance, viewer: viewer)
      records.clips.pages.pages[place] = KeptPage(
        showsExternal: shown, opensExternal: opened, document: rows.isNull(6) ? nil : rows.bytes(6))
    }
  }
}

extension SQLiteStatement {
  fileprivate mutating func bind(_ page: KeptPage, in place: PagePlace) {
    bind(place.instance)
    bind(place.viewer)
    bind(Int64(place.uid))
    bind(place.app)
    bind(page.showsExternal)
    bind(page.opensExternal)
    bind(page.document)
  }
}

/// Everything that the file holds. A single record that no daemon of ours would have written makes the whole file
/// worthless: a record that is believed by half is a weaker answer.
extension StateStore {
  func read() throws(SQLiteError) -> StateRecords {
    var records = StateRecords()
    try readService(&records)
    try readMarks(&records)
    try readFiles(&records)
    if believes { try readExceptions(&records) }
    try readAccounts(&records)
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
