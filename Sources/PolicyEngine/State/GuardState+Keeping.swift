internal import GuardModel
internal import URLRules

/// The state that outlives the daemon: taken out as it changes, put back at the next start.
extension GuardState {
  /// Moves the changes since the last call into `kept`. The state does no I/O: the caller writes them down.
  package mutating func takeChanges(into kept: inout KeptState) {
    hasChanges = false
    for index in users.indices where !users[index].changes.isEmpty {
      describeChanges(of: users[index], in: &kept)
      users[index].changes = ClipChanges()
    }
    kept.pages.merge(pageChanges)
    pageChanges = KeptPages()
  }

  /// Restores the facts that an earlier daemon kept, into a state that has seen no event yet.
  ///
  /// - Parameter living: the serials of instances that had not ended. They may come back with `attach` under their
  ///   serial; until then each counts as running, so that no other program's word removes its clip.
  package mutating func restore(_ kept: KeptState, living: Set<UInt64>, _ snapshot: Snapshot) {
    serials = max(serials, living.max() ?? 0)
    for (place, clips) in kept.selections {
      let clips = selection(clips, isDrag: place.selection == .drag, living, snapshot)
      users[userIndex(place.uid)].restore(clips, in: place)
    }
    for (slot, clip) in kept.issued.sorted(by: { $0.key.index < $1.key.index }) {
      let record = record(clip, living, snapshot)
      users[userIndex(slot.uid)].restoreIssued(record)
    }
    bindClips(ofUsers: users.indices)
    for (uid, budget) in kept.budgets { users[userIndex(uid)].budget = budget }
    for case (let place, let page?) in kept.pages.pages where living.contains(place.instance) { restore(page, place) }
  }

  /// Lets the clips of an instance that came back be its own again. With `owesIdentity`, and in `windows`, its identity
  /// is unknown until its program names it: it had done so before the restart, and answers must not weaken meanwhile.
  package mutating func resume(_ id: InstanceID, owesIdentity: Bool, windows: Set<UInt64> = []) {
    guard let instance = instance(id) else { return }
    instances[Int(id.index)]?.owesIdentity = owesIdentity
    if owesIdentity, instance.processIsStated, !instance.processIsFixed {
      instances[Int(id.index)]?.process = .absent
      instances[Int(id.index)]?.processIsStated = false
    }
    instances[Int(id.index)]?.owedWindows = windows
    if owesIdentity || !windows.isEmpty { instances[Int(id.index)]?.recentIdentities.leaveUnknown(at: time) }
    for user in users.indices { users[user].replaceHolder(.missing(id.serial), by: id) }
  }

  /// The windows that a returned instance has not mentioned in time are gone.
  package mutating func forgiveWindows(of id: InstanceID) {
    guard instance(id) != nil else { return }
    instances[Int(id.index)]?.owedWindows = []
  }

  /// The viewers' pages are unknown: the kept ones are lost. Every viewer of a starting program counts as one that
  /// shows an external page.
  package mutating func losePages() { pagesAreLost = true }

  /// Every earlier program has come back, or has ended.
  package mutating func endReturning() {
    pagesAreLost = false
  }

  /// Ends an instance that did not come back in time.
  package mutating func endMissing(_ serial: UInt64) {
    endClips(of: .missing(serial))
    for user in users.indices { users[user].replaceHolder(.missing(serial), by: .gone(serial)) }
    dropPages(ofInstance: serial)
  }

  private func describeChanges(of user: UserClips, in kept: inout KeptState) {
    for (index, display) in user.displays.enumerated() {
      for selection in [Selection.clipboard, .primary, .drag] where user.changes.contains(selection, onDisplay: index) {
        let place = SelectionPlace(uid: user.uid, display: display.display, selection: selection)
        kept.selections[place] = described(display[selection])
      }
    }
    for (index, record) in user.issued.enumerated() where user.changes.contains(slot: index) {
      kept.issued[ClipSlot(uid: user.uid, index: index)] = described(record)
    }
    if user.changes.budgetChanged { kept.budgets[user.uid] = user.budget }
  }

  private func described(_ clips: SelectionClips) -> KeptSelection {
    var kept = KeptSelection()
    kept.clip = clips.record.map(described)
    kept.proposals = clips.proposals.map { proposal in
      KeptProposal(
        clip: described(proposal.record), id: proposal.id, time: proposal.time, hasEcho: proposal.hasEcho)
    }
    return kept
  }

  private func described(_ record: ClipRecord) -> KeptClip {
    var kept = KeptClip()
    let names = record.account.map { accounts.names(of: $0) }
    switch record.owner {
    case .unknownManaged: kept.owner = .unknownManaged
    case .account where record.wasUnmanaged: kept.owner = .unmanaged(names: names ?? [])
    case .account: kept.owner = .account(names: names ?? [])
    case .unmanaged: kept.owner = .unmanaged(names: names ?? [])
    }
    kept.app = record.appNumber.map { appNames[Int($0)] }
    kept.holder = record.instance?.serial
    kept.hasSeveralHolders = record.hasSeveralHolders
    kept.isLost = record.isLost
    kept.isDoubted = record.isDoubted
    kept.length = record.length
    kept.formats = record.formats.rawValue
    kept.id = record.id
    kept.awaitsEcho = record.awaitsEcho
    kept.order = record.order
    kept.since = record.since
    return kept
  }

  private mutating func selection(
    _ kept: KeptSelection, isDrag: Bool, _ living: Set<UInt64>, _ snapshot: Snapshot
  ) -> SelectionClips {
    var clips = SelectionClips()
    clips.record = kept.clip.map { record($0, living, snapshot) }
    clips.restore(
      kept.proposals.map { proposal in
        ClipProposal(
          record: record(proposal.clip, living, snapshot), id: proposal.id, time: proposal.time,
          hasEcho: proposal.hasEcho, isDrag: isDrag)
      })
    return clips
  }

  /// An account that the policy forgot counts as some managed account, unless its clip was unmanaged.
  private mutating func record(_ kept: KeptClip, _ living: Set<UInt64>, _ snapshot: Snapshot) -> ClipRecord {
    var record = ClipRecord()
    switch kept.owner {
    case .unknownManaged: record.owner = .unknownManaged
    case .account(let names):
      record.account = accounts.number(ofNames: names, snapshot)
      record.owner = record.account.map { .account($0) } ?? .unknownManaged
    case .unmanaged(let names):
      record.account = names.isEmpty ? nil : accounts.number(ofNames: names, snapshot)
      record.owner = .unmanaged
    }
    record.appNumber = kept.app.map { number(ofApp: $0) }
    record.instance = kept.holder.map { living.contains($0) ? .missing($0) : .gone($0) }
    record.hasSeveralHolders = kept.hasSeveralHolders
    record.isLost = kept.isLost
    record.isDoubted = kept.isDoubted
    record.length = kept.length
    record.formats = ClipFormats(rawValue: kept.formats)
    record.id = kept.id
    record.awaitsEcho = kept.awaitsEcho
    record.order = kept.order
    record.since = kept.since
    serials = max(serials, kept.holder ?? 0)
    clipOrder = max(clipOrder, kept.order)
    return record
  }

  /// Ends an instance's part in the clips of all users: its clips are lost, and its drags are over.
  mutating func endClips(of instance: InstanceID) {
    for user in users.indices {
      let isChanged = users[user].changeAll([.clipboard, .primary, .drag]) { clips, selection in
        clips.end(instance, isDrag: selection == .drag)
      }
      if isChanged { hasChanges = true }
    }
  }
}
