internal import GuardModel
internal import PolicyEngine

/// The life of accounts in the state file. It survives a boot; of a file that is not believed only ends of access stay.
extension StateStore {
  private static let columns = "uid, app, account, status, byApp, registered, enrolled, checkedIn, tried"

  func write(_ accounts: KeptAccounts) throws(SQLiteError) {
    guard !accounts.isEmpty else { return }
    var save = try database.prepare("INSERT OR REPLACE INTO account (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?)")
    var drop = try database.prepare("DELETE FROM account WHERE uid = ? AND app = ? AND account = ?")
    for (place, member) in accounts.members {
      guard let member else {
        drop.bind(place)
        try drop.run()
        continue
      }
      save.bind(place)
      save.bind(member)
      try save.run()
    }
    for (place, word) in accounts.words { try write(word, place) }
    try write(accounts.conditions)
    if let wipes = accounts.wipes { try write(wipes) }
    if let looks = accounts.remediations { try write(looks) }
  }

  /// All of them are written each time: there are few.
  private func write(_ looks: [KeptRemediation]) throws(SQLiteError) {
    try database.run("DELETE FROM remediation")
    var save = try database.prepare(
      "INSERT INTO remediation (place, request, uid, app, account, silent, asked) VALUES (?,?,?,?,?,?,?)")
    for (place, look) in looks.enumerated() {
      save.bind(Int64(place))
      save.bind(look.request)
      save.bind(Int64(look.person))
      save.bind(look.app)
      save.bind(look.account)
      save.bind(look.isSilent)
      save.bind(look.askedAt)
      try save.run()
    }
  }

  private func readRemediations(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare(
      "SELECT request, uid, app, account, silent, asked FROM remediation ORDER BY place")
    var looks: [KeptRemediation] = []
    while try rows.step() {
      guard let request = rows.text(0), !request.isEmpty, let person = rows.uid(1), let app = rows.text(2),
        let account = rows.text(3), !account.isEmpty, let isSilent = rows.flag(4), let askedAt = rows.time(5)
      else { throw .senseless("remediation") }
      looks.append(
        KeptRemediation(
          request: request, person: person, app: app, account: account, isSilent: isSilent, askedAt: askedAt))
    }
    if !looks.isEmpty { records.clips.accounts.remediations = looks }
  }

  private func write(_ conditions: [String: KeptCondition?]) throws(SQLiteError) {
    var save = try database.prepare("INSERT OR REPLACE INTO condition (key, failing, unknown, word) VALUES (?,?,?,?)")
    var drop = try database.prepare("DELETE FROM condition WHERE key = ?")
    for (key, condition) in conditions {
      guard let condition else {
        drop.bind(key)
        try drop.run()
        continue
      }
      save.bind(key)
      save.bind(condition.failingSince)
      save.bind(condition.unknownSince)
      save.bind(condition.wordUntil)
      try save.run()
    }
  }

  private func readConditions(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT key, failing, unknown, word FROM condition")
    while try rows.step() {
      guard let key = rows.text(0), !key.isEmpty, (1...3).allSatisfy({ rows.isNull($0) || rows.time($0) != nil })
      else { throw .senseless("condition") }
      records.clips.accounts.conditions[key] = KeptCondition(
        failingSince: rows.time(1), unknownSince: rows.time(2), wordUntil: rows.time(3))
    }
  }

  private func write(_ word: KeptWord, _ place: KeptWordPlace) throws(SQLiteError) {
    var drop = try database.prepare("DELETE FROM signIn WHERE uid = ? AND source = ?")
    drop.bind(Int64(place.person))
    drop.bind(place.source.rawValue)
    try drop.run()
    var save = try database.prepare(
      "INSERT INTO signIn (uid, source, place, upn, objectId, time) VALUES (?,?,?,?,?,?)")
    // A word that names nobody is a word all the same.
    for (index, names) in (word.accounts.isEmpty ? [SignedInAccount()] : word.accounts).enumerated() {
      save.bind(Int64(place.person))
      save.bind(place.source.rawValue)
      save.bind(Int64(index))
      save.bind(names.upn)
      save.bind(names.objectID)
      save.bind(word.time)
      try save.run()
    }
  }

  func readAccounts(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT \(Self.columns) FROM account")
    while try rows.step() {
      guard let (place, member) = rows.member else { throw .senseless("account") }
      guard believes || member.status == .ended else { continue }
      records.clips.accounts.members[place] = .some(member)
    }
    try readWipes(&records)
    guard believes else { return }
    try readConditions(&records)
    try readRemediations(&records)
    let words = try database.prepare("SELECT uid, source, upn, objectId, time FROM signIn ORDER BY uid, source, place")
    while try words.step() {
      guard let person = words.uid(0), let source = words.text(1).flatMap(AccountSource.init), let time = words.time(4),
        words.isNull(2) || words.text(2) != nil, words.isNull(3) || words.text(3) != nil
      else { throw .senseless("signIn") }
      let place = KeptWordPlace(person: person, source: source)
      var word = records.clips.accounts.words[place] ?? KeptWord(accounts: [], time: time)
      let names = SignedInAccount(upn: words.text(2), objectID: words.text(3))
      if !names.all.isEmpty { word.accounts.append(names) }
      records.clips.accounts.words[place] = word
    }
  }
}

extension SQLiteStatement {
  fileprivate mutating func bind(_ place: KeptMemberPlace) {
    bind(Int64(place.person))
    bind(place.app)
    bind(place.account)
  }

  fileprivate mutating func bind(_ member: KeptMember) {
    bind(Int64(member.status.rawValue))
    bind(member.isByApp)
    bind(member.registeredAt)
    bind(member.enrolledAt)
    bind(member.checkedInAt)
    bind(member.triedAt)
  }

  /// The account of a row; nil when no daemon would have written it.
  fileprivate var member: (KeptMemberPlace, KeptMember)? {
    guard let person = uid(0), let app = text(1), let account = text(2), !account.isEmpty,
      let status = number(3).flatMap(UInt8.init(exactly:)).flatMap(KeptMember.Status.init), let byApp = flag(4),
      let registered = time(5), isNull(6) || time(6) != nil, let checkedIn = time(7), let tried = time(8)
    else { return nil }
    return (
      KeptMemberPlace(person: person, app: app, account: account),
      KeptMember(
        status, isByApp: byApp, registeredAt: registered, enrolledAt: time(6), checkedInAt: checkedIn, triedAt: tried)
    )
  }
}
