internal import GuardModel
internal import URLRules

/// What outlives the daemon: taken out as it changes, put back at the next start.
extension GuardState {
  /// Moves what changed since the last call into `kept`. The state does no I/O: who calls writes it down.
  package mutating func takeChanges(into kept: inout KeptState) {
    hasChanges = false
    for index in users.indices where !users[index].changes.isEmpty {
      describeChanges(of: users[index], in: &kept)
      users[index].changes = ClipChanges()
    }
    kept.pages.merge(pageChanges)
    pageChanges = KeptPages()
  }

  /// Puts back what a daemon before this one kept, into a state that has seen no event yet.
  ///
  /// - Parameter living: the serials of instances that had not ended. They may come back with `attach` under their serial;
  ///   until then each counts as running, so that nobody else's word takes its clip away.
  package mutating func restore(_ kept: KeptState, living: Set<UInt64>, _ snapshot: Snapshot) {
    serials = max(serials, living.max() ?? 0)
    for (place, clip) in kept.selections {
      let record = record(clip, living, snapshot)
      users[userIndex(place.uid)].restore(record, in: place)
    }
    for (slot, clip) in kept.issued.sorted(by: { $0.key.index < $1.key.index }) {
      let record = record(clip, living, snapshot)
      users[userIndex(slot.uid)].restoreIssued(record)
    }
    for (uid, budget) in kept.budgets { users[userIndex(uid)].budget = budget }
    for case (let place, let page?) in kept.pages.pages where living.contains(place.instance) { restore(page, place) }
  }

  /// Lets the clips of an instance that came back be its own again. With `owesIdentity`, and in `windows`, it counts as
  /// unknown until it has said whose data it shows: before the restart it had, and answers may not get weaker in between.
  package mutating func resume(_ id: InstanceID, owesIdentity: Bool, windows: Set<UInt64> = []) {
    guard let instance = instance(id) else { return }
    instances[Int(id.index)]?.owesIdentity = owesIdentity
    if owesIdentity, instance.processIsStated, !instance.processIsFixed {
      instances[Int(id.index)]?.process = .absent
      instances[Int(id.index)]?.processIsStated = false
    }
    instances[Int(id.index)]?.owedWindows = windows
    for user in users.indices { users[user].replaceHolder(.missing(id.serial), by: id) }
  }

  /// The windows of which an instance that came back has said nothing in time are gone.
  package mutating func forgiveWindows(of id: InstanceID) {
    guard instance(id) != nil else { return }
    instances[Int(id.index)]?.owedWindows = []
  }

  /// What viewers showed is not known: what was kept is lost. Every viewer of a program that begins counts as one that shows
  /// an external page.
  package mutating func losePages() { pagesAreLost = true }

  /// Every program of before has come back, or has ended.
  package mutating func endReturning() {
    pagesAreLost = false
  }

  /// Ends an instance that did not come back in time.
  package mutating func endMissing(_ serial: UInt64) {
    for user in users.indices { users[user].replaceHolder(.missing(serial), by: .gone(serial)) }
    dropPages(ofInstance: serial)
  }

  private func describeChanges(of user: UserClips, in kept: inout KeptState) {
    for (index, display) in user.displays.enumerated() {
      for selection in [Selection.clipboard, .primary, .drag] where user.changes.contains(selection, onDisplay: index) {
        let place = SelectionPlace(uid: user.uid, display: display.display, selection: selection)
        kept.selections[place] = display[selection].map(described)
      }
    }
    for (index, record) in user.issued.enumerated() where user.changes.contains(slot: index) {
      kept.issued[ClipSlot(uid: user.uid, index: index)] = described(record)
    }
    if user.changes.budgetChanged { kept.budgets[user.uid] = user.budget }
  }

  private func described(_ record: ClipRecord) -> KeptClip {
    var kept = KeptClip()
    switch record.owner {
    case .unknownManaged: kept.owner = .unknownManaged
    case .account(let id): kept.owner = .account(names: accounts.names(of: id))
    case .unmanaged: kept.owner = .unmanaged
    }
    kept.app = record.appNumber.map { appNames[Int($0)] }
    kept.holder = record.instance?.serial
    kept.hasSeveralHolders = record.hasSeveralHolders
    kept.length = record.length
    kept.id = record.id
    kept.awaitsEcho = record.awaitsEcho
    kept.order = record.order
    return kept
  }

  private mutating func record(_ kept: KeptClip, _ living: Set<UInt64>, _ snapshot: Snapshot) -> ClipRecord {
    var record = ClipRecord()
    switch kept.owner {
    case .unknownManaged: record.owner = .unknownManaged
    case .account(let names):
      record.owner = accounts.number(ofNames: names, snapshot).map { .account($0) } ?? .unknownManaged
    case .unmanaged: record.owner = .unmanaged
    }
    record.appNumber = kept.app.map { number(ofApp: $0) }
    record.instance = kept.holder.map { living.contains($0) ? .missing($0) : .gone($0) }
    record.hasSeveralHolders = kept.hasSeveralHolders
    record.length = kept.length
    record.id = kept.id
    record.awaitsEcho = kept.awaitsEcho
    record.order = kept.order
    serials = max(serials, kept.holder ?? 0)
    return record
  }
}

extension UserClips {
  fileprivate mutating func restore(_ record: ClipRecord, in place: SelectionPlace) {
    order = max(order, record.order)
    var index = displays.firstIndex { $0.display == place.display }
    if index == nil, displays.count <= Self.maximumDisplays {
      displays.append(DisplayClips(display: place.display))
      index = displays.count - 1
    }
    if let index { displays[index][place.selection] = record }
  }

  fileprivate mutating func restoreIssued(_ record: ClipRecord) {
    guard issued.count < Self.rememberedClips else { return }
    issued.append(record)
    order = max(order, record.order)
    nextIssued = issued.indices.min { issued[$0].order < issued[$1].order } ?? 0
    if issued.count < Self.rememberedClips { nextIssued = 0 }
  }

  fileprivate mutating func replaceHolder(_ old: InstanceID, by new: InstanceID) {
    for index in displays.indices {
      for selection in [Selection.clipboard, .primary, .drag] where displays[index][selection]?.instance == old {
        displays[index][selection]?.instance = new
      }
    }
    for index in issued.indices where issued[index].instance == old { issued[index].instance = new }
  }
}
