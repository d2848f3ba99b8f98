internal import GuardModel
internal import Platform
internal import PolicyEngine

/// Wipes under way, in the state file. They survive a boot; in a file of another machine, or one that is not believed,
/// every delay begins anew.
extension StateStore {
  private static let columns = "id, uid, app, names, cause, reason, phase, began, ran, delay, needed, approvals"
  private static let partColumns = "id, app, step, deadline, ordered, givenUp, removed, kept"

  /// All wipes are written each time: there are few.
  func write(_ kept: KeptWipes) throws(SQLiteError) {
    try database.run("DELETE FROM wipe; DELETE FROM wipePart; DELETE FROM wipeClock; DELETE FROM wiped")
    var clock = try database.prepare(
      "INSERT INTO wipeClock (id, machine, offline, sinceDestruction, time) VALUES (1,?,?,?,?)")
    clock.bind(MachineID.text)
    clock.bind(kept.offline)
    clock.bind(kept.sinceDestruction)
    clock.bind(kept.time)
    try clock.run()
    var save = try database.prepare("INSERT INTO wipe (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
    var savePart = try database.prepare("INSERT INTO wipePart (\(Self.partColumns)) VALUES (?,?,?,?,?,?,?,?)")
    for wipe in kept.wipes {
      save.bind(wipe)
      try save.run()
      for part in wipe.parts {
        savePart.bind(part, of: wipe.id)
        try savePart.run()
      }
    }
    var saveWiped = try database.prepare("INSERT OR IGNORE INTO wiped (instance, names) VALUES (?,?)")
    for wiped in kept.wiped {
      saveWiped.bind(wiped.instance)
      saveWiped.bind(AccountNames.bytes(wiped.names))
      try saveWiped.run()
    }
  }

  func readWipes(_ records: inout StateRecords) throws(SQLiteError) {
    let clock = try database.prepare("SELECT machine, offline, sinceDestruction, time FROM wipeClock")
    guard try clock.step() else { return }
    guard let machine = clock.text(0), let offline = clock.count(1), let since = clock.count(2),
      let time = clock.count(3)
    else { throw .senseless("wipeClock") }
    var kept = KeptWipes()
    (kept.offline, kept.sinceDestruction, kept.time) = (offline, since, time)
    let rows = try database.prepare("SELECT \(Self.columns) FROM wipe ORDER BY began, id")
    while try rows.step() {
      guard let wipe = rows.wipe else { throw .senseless("wipe") }
      kept.wipes.append(wipe)
    }
    let parts = try database.prepare("SELECT \(Self.partColumns) FROM wipePart ORDER BY id, app")
    while try parts.step() {
      guard let id = parts.text(0), let part = parts.wipePart,
        let index = kept.wipes.firstIndex(where: { $0.id == id })
      else { throw .senseless("wipePart") }
      kept.wipes[index].parts.append(part)
    }
    let wiped = try database.prepare("SELECT instance, names FROM wiped")
    while try wiped.step() {
      guard let instance = wiped.count(0), let names = wiped.bytes(1).flatMap(AccountNames.names) else {
        throw .senseless("wiped")
      }
      kept.wiped.append(KeptWiped(instance: instance, names: names))
    }
    let isDoubtful = !believes || machine != MachineID.text || machine.isEmpty
    records.clips.accounts.wipes = isDoubtful ? kept.begunAnew : kept
  }
}

/// The machine's own id: a cloned image has another, or should have. Empty on a machine without one.
enum MachineID {
  static let text: String =
    SmallFile.text(at: "/etc/machine-id", maximum: 64).map { String($0.prefix { $0 != "\n" }) } ?? ""
}

extension SQLiteStatement {
  fileprivate mutating func bind(_ wipe: KeptWipe) {
    bind(wipe.id)
    bind(Int64(wipe.person))
    bind(wipe.app)
    bind(AccountNames.bytes(wipe.names))
    bind(wipe.cause.rawValue)
    bind(wipe.reason)
    bind(Int64(wipe.phase.rawValue))
    bind(wipe.beganAt)
    bind(wipe.ran)
    bind(wipe.delay)
    bind(Int64(wipe.neededApprovals))
    bind(wipe.approvals.map(String.init).joined(separator: ","))
  }

  fileprivate mutating func bind(_ part: KeptWipe.Part, of id: String) {
    bind(id)
    bind(part.app)
    bind(Int64(part.step.rawValue))
    bind(part.deadline)
    bind(part.order)
    bind(part.isGivenUp)
    bind(part.removed)
    bind(part.kept)
  }

  /// The wipe of a row, without its parts; nil when no daemon would have written it.
  fileprivate var wipe: KeptWipe? {
    guard let id = text(0), let person = uid(1), isNull(2) || text(2) != nil,
      let names = bytes(3).flatMap(AccountNames.names), let cause = text(4).flatMap(WipeCause.init),
      isNull(5) || text(5) != nil, let phase = number(6).flatMap(UInt8.init(exactly:)).flatMap(WipePhase.init),
      let began = count(7), let ran = count(8), let delay = count(9), let needed = number(10), (0...2).contains(needed),
      let approvals = text(11)
    else { return nil }
    return KeptWipe(
      id: id, person: person, app: text(2), names: names, cause: cause, reason: text(5), phase: phase, beganAt: began,
      ran: ran, delay: delay, neededApprovals: Int(needed),
      approvals: approvals.split(separator: ",").compactMap { UInt32($0) }, parts: [])
  }

  fileprivate var wipePart: KeptWipe.Part? {
    guard let app = text(1), let step = number(2).flatMap(UInt8.init(exactly:)).flatMap(WipeStep.init),
      let deadline = count(3), let order = count(4), let givenUp = flag(5), let removed = count(6), let kept = count(7)
    else { return nil }
    return KeptWipe.Part(
      app: app, step: step, deadline: deadline, order: order, isGivenUp: givenUp, removed: removed, kept: kept)
  }
}
