internal import PolicyEngine
internal import URLRules

/// Timed exceptions in the state file. Unlike clips they survive a boot; a file that is not believed says nothing of them.
extension StateStore {
  private static let columns =
    "id, host, below, app, account, subjects, since, until, uid, user, cause, ended, remover, removerUser"

  func write(_ exceptions: [String: KeptException?]) throws(SQLiteError) {
    guard !exceptions.isEmpty else { return }
    var save = try database.prepare(
      "INSERT OR REPLACE INTO exception (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
    var drop = try database.prepare("DELETE FROM exception WHERE id = ?")
    for (id, kept) in exceptions {
      if let kept {
        save.bind(kept)
        try save.run()
      } else {
        drop.bind(id)
        try drop.run()
      }
    }
  }

  func readExceptions(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT \(Self.columns) FROM exception")
    while try rows.step() {
      guard let kept = rows.exception else { throw .senseless("exception") }
      records.exceptions[kept.exception.id] = kept
    }
  }
}

extension SQLiteStatement {
  fileprivate mutating func bind(_ kept: KeptException) {
    let exception = kept.exception
    bind(exception.id)
    bind(exception.hostText)
    bind(exception.takesHostsBelow)
    bind(exception.app)
    bind(exception.account)
    bind(Int64(exception.subjects.rawValue))
    bind(exception.since)
    bind(exception.until)
    bind(Int64(exception.grantor.uid))
    bind(exception.grantor.user)
    bind(exception.cause)
    bind(kept.endedAt)
    bind(kept.remover.map { Int64($0.uid) })
    bind(kept.remover?.user)
  }

  /// The exception of a row; nil when no daemon would have granted it.
  fileprivate var exception: KeptException? {
    guard let id = text(0), ExceptionID.isOne(id), let name = text(1), let host = HostName(name),
      host.bytes == Array(name.utf8), let below = flag(2), !(below && host.isAddress), let subjects = subjects(5),
      let since = time(6), let until = time(7), since < until,
      until - since <= UInt64(TimedException.longestSeconds + 1) * 1000, until.isMultiple(of: 1000),
      let grantor = uid(8), let cause = text(10), !cause.isEmpty, cause.utf8.count <= TimedException.longestCause
    else { return nil }
    guard isNull(3) || text(3) != nil, isNull(4) || text(4) != nil, isNull(9) || text(9) != nil else { return nil }
    guard isNull(11) || time(11) != nil, isNull(12) || (uid(12) != nil && !isNull(11)), isNull(13) || text(13) != nil
    else { return nil }
    var exception = TimedException(
      id: id, host: host, takesHostsBelow: below, subjects: subjects, since: since, until: until,
      grantor: Administrator(uid: grantor, user: text(9)), cause: cause)
    exception.app = text(3)
    exception.account = text(4)
    let remover = uid(12).map { Administrator(uid: $0, user: text(13)) }
    return KeptException(exception, endedAt: time(11), remover: remover)
  }

  private func subjects(_ column: Int32) -> Purposes? {
    let all = Purposes.names.reduce(into: Purposes()) { $0.formUnion($1.purpose) }
    guard let bits = number(column).flatMap(UInt8.init(exactly:)), bits > 0 else { return nil }
    return all.isSuperset(of: Purposes(rawValue: bits)) ? Purposes(rawValue: bits) : nil
  }

  /// Milliseconds since 1970, that some clock may have said.
  func time(_ column: Int32) -> UInt64? {
    number(column).flatMap { (1...StateStore.latestTime).contains($0) ? UInt64($0) : nil }
  }
}
