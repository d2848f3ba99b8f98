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

  private func readSelections(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT \(StateSchema.clipColumns), uid, display, selection FROM selection")
    while try rows.step() {
      guard let clip = rows.clip, let uid = rows.uid(10), let display = rows.bytes(11),
        let selection = rows.number(12).flatMap(UInt8.init(exactly:)).flatMap(Selection.init(rawValue:)),
        selection != .unknown
      else { throw .senseless("selection") }
      records.clips.selections[SelectionPlace(uid: uid, display: display, selection: selection)] = clip
    }
  }

  private func readIssued(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT \(StateSchema.clipColumns), uid, slot FROM issued")
    while try rows.step() {
      guard let clip = rows.clip, clip.id != nil, let uid = rows.uid(10), let slot = rows.number(11),
        (0..<Int64(ClipSlot.count)).contains(slot)
      else { throw .senseless("issued") }
      records.clips.issued[ClipSlot(uid: uid, index: Int(slot))] = clip
    }
  }

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

  /// The clip in the first columns, which are the schema's; nil when it makes no sense.
  fileprivate var clip: KeptClip? {
    var clip = KeptClip()
    switch number(0) {
    case 0: clip.owner = .unknownManaged
    case 1:
      guard let names = bytes(1).flatMap(AccountNames.names) else { return nil }
      clip.owner = .account(names: names)
    case 2: clip.owner = .unmanaged
    default: return nil
    }
    guard isNull(2) || text(2) != nil, let shared = flag(4), let echo = flag(8), let order = count(9) else {
      return nil
    }
    guard isNull(6) == isNull(7), (number(5) ?? 0) >= 0, isNull(3) || count(3) != nil else { return nil }
    clip.app = text(2)
    clip.holder = count(3)
    clip.hasSeveralHolders = shared
    clip.length = number(5).map { Int($0) }
    if let epoch = number(6), let number = number(7) {
      clip.id = ClipID(epoch: UInt64(bitPattern: epoch), number: UInt64(bitPattern: number))
    }
    clip.awaitsEcho = echo
    clip.order = order
    return clip
  }
}
