internal import GuardModel
internal import PolicyEngine

/// Contents of the selections, in the state file.
struct ClipRows: ~Copyable {
  private var saveSelection: SQLiteStatement
  private var dropSelection: SQLiteStatement
  private var saveProposal: SQLiteStatement
  private var dropProposals: SQLiteStatement
  private var saveIssued: SQLiteStatement

  init(_ database: borrowing SQLiteDatabase) throws(SQLiteError) {
    let clip = StateSchema.clipColumns
    let values = String(repeating: ",?", count: StateSchema.clipColumnCount)
    let place = "uid = ? AND display = ? AND selection = ?"
    // All of them before the first is kept: none may be left half made.
    let saveSelection = try database.prepare(
      "INSERT OR REPLACE INTO selection (uid, display, selection, \(clip)) VALUES (?,?,?\(values))")
    let dropSelection = try database.prepare("DELETE FROM selection WHERE \(place)")
    let saveProposal = try database.prepare(
      "INSERT INTO proposal (uid, display, selection, place, madeEpoch, madeNumber, time, echoes, \(clip)) VALUES "
        + "(?,?,?,?,?,?,?,?\(values))")
    let dropProposals = try database.prepare("DELETE FROM proposal WHERE \(place)")
    saveIssued = try database.prepare("INSERT OR REPLACE INTO issued (uid, slot, \(clip)) VALUES (?,?\(values))")
    self.saveSelection = saveSelection
    self.dropSelection = dropSelection
    self.saveProposal = saveProposal
    self.dropProposals = dropProposals
  }

  mutating func write(_ changes: KeptState) throws(SQLiteError) {
    for (place, selection) in changes.selections { try write(selection, place) }
    for (slot, clip) in changes.issued {
      saveIssued.bind(Int64(slot.uid))
      saveIssued.bind(Int64(slot.index))
      saveIssued.bind(clip)
      try saveIssued.run()
    }
  }

  private mutating func write(_ selection: KeptSelection, _ place: SelectionPlace) throws(SQLiteError) {
    dropProposals.bind(place)
    try dropProposals.run()
    for (index, proposal) in selection.proposals.enumerated() {
      saveProposal.bind(place)
      saveProposal.bind(Int64(index))
      saveProposal.bind(proposal.id.epoch)
      saveProposal.bind(proposal.id.number)
      saveProposal.bind(proposal.time)
      saveProposal.bind(proposal.hasEcho)
      saveProposal.bind(proposal.clip)
      try saveProposal.run()
    }
    guard let clip = selection.clip else {
      dropSelection.bind(place)
      return try dropSelection.run()
    }
    saveSelection.bind(place)
    saveSelection.bind(clip)
    try saveSelection.run()
  }
}

extension StateStore {
  func readSelections(_ records: inout StateRecords) throws(SQLiteError) {
    let clip = StateSchema.clipColumns
    let rows = try database.prepare("SELECT uid, display, selection, \(clip) FROM selection")
    while try rows.step() {
      guard let place = rows.selectionPlace, let clip = rows.clip(from: 3) else { throw .senseless("selection") }
      records.clips.selections[place] = KeptSelection(clip: clip)
    }
    let proposals = try database.prepare(
      "SELECT uid, display, selection, madeEpoch, madeNumber, time, echoes, \(clip) FROM proposal "
        + "ORDER BY uid, display, selection, place")
    while try proposals.step() {
      guard let place = proposals.selectionPlace, let epoch = proposals.number(3), let number = proposals.number(4),
        let time = proposals.number(5), (0...Self.latestTime).contains(time), let echoes = proposals.flag(6),
        let clip = proposals.clip(from: 7)
      else { throw .senseless("proposal") }
      let id = ProposalID(epoch: UInt64(bitPattern: epoch), number: UInt64(bitPattern: number))
      let proposal = KeptProposal(clip: clip, id: id, time: UInt64(time), hasEcho: echoes)
      records.clips.selections[place, default: KeptSelection()].proposals.append(proposal)
    }
  }

  func readIssued(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT uid, slot, \(StateSchema.clipColumns) FROM issued")
    while try rows.step() {
      guard let uid = rows.uid(0), let slot = rows.number(1), (0..<Int64(ClipSlot.count)).contains(slot),
        let clip = rows.clip(from: 2), clip.id != nil
      else { throw .senseless("issued") }
      records.clips.issued[ClipSlot(uid: uid, index: Int(slot))] = clip
    }
  }
}

extension SQLiteStatement {
  fileprivate mutating func bind(_ place: SelectionPlace) {
    bind(Int64(place.uid))
    bind(place.display)
    bind(Int64(place.selection.rawValue))
  }

  /// Binds the columns of a clip, in the schema's order.
  fileprivate mutating func bind(_ clip: KeptClip) {
    switch clip.owner {
    case .unknownManaged:
      bind(0 as Int64?)
      bind(nil as [UInt8]?)
    case .account(let names):
      bind(1 as Int64?)
      bind(AccountNames.bytes(names))
    case .unmanaged(let names):
      bind(2 as Int64?)
      bind(names.isEmpty ? nil : AccountNames.bytes(names))
    }
    bind(clip.app)
    bind(clip.holder)
    bind(clip.hasSeveralHolders)
    bind(clip.length.map(Int64.init))
    bind(clip.id?.epoch)
    bind(clip.id?.number)
    bind(clip.awaitsEcho)
    bind(clip.order)
    bind(clip.isLost)
    bind(clip.isDoubted)
    bind(Int64(clip.formats))
    bind(clip.since)
  }

  /// The selection in the first three columns; nil when it is none that a clip can be in.
  fileprivate var selectionPlace: SelectionPlace? {
    guard let uid = uid(0), let display = bytes(1),
      let selection = number(2).flatMap(UInt8.init(exactly:)).flatMap(Selection.init(rawValue:)), selection != .unknown
    else { return nil }
    return SelectionPlace(uid: uid, display: display, selection: selection)
  }

  /// The clip in the columns from this one on, which are the schema's; nil when it makes no sense.
  fileprivate func clip(from first: Int32) -> KeptClip? {
    guard var clip = ownedClip(from: first) else { return nil }
    guard isNull(first + 2) || text(first + 2) != nil, let shared = flag(first + 4), let echo = flag(first + 8),
      let order = count(first + 9), let lost = flag(first + 10), let doubted = flag(first + 11),
      let formats = number(first + 12).flatMap(UInt8.init(exactly:)), let since = count(first + 13)
    else { return nil }
    guard isNull(first + 6) == isNull(first + 7), (number(first + 5) ?? 0) >= 0,
      isNull(first + 3) || count(first + 3) != nil
    else { return nil }
    clip.app = text(first + 2)
    clip.holder = count(first + 3)
    clip.length = number(first + 5).map { Int($0) }
    if let epoch = number(first + 6), let number = number(first + 7) {
      clip.id = ClipID(epoch: UInt64(bitPattern: epoch), number: UInt64(bitPattern: number))
    }
    (clip.hasSeveralHolders, clip.isLost, clip.isDoubted, clip.awaitsEcho) = (shared, lost, doubted, echo)
    (clip.formats, clip.order, clip.since) = (formats, order, since)
    return clip
  }

  private func ownedClip(from first: Int32) -> KeptClip? {
    var clip = KeptClip()
    let names = isNull(first + 1) ? [] : bytes(first + 1).flatMap(AccountNames.names)
    switch number(first) {
    case 0: clip.owner = .unknownManaged
    case 1:
      guard let names, !names.isEmpty else { return nil }
      clip.owner = .account(names: names)
    case 2:
      guard let names else { return nil }
      clip.owner = .unmanaged(names: names)
    default: return nil
    }
    return clip
  }
}
