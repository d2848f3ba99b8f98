internal import GuardModel
internal import URLRules
internal import URLStandard

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
    takeLifeChanges(into: &kept.accounts)
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
    restoreLife(kept.accounts, snapshot)
    for case (let place, let page?) in kept.pages.pages where living.contains(place.instance) { restore(page, place) }
  }

  /// Lets the clips of an instance that came back be its own again. With `owesIdentity`, and in `windows`, its identity
  /// is unknown until its program names it: it had done so before the restart, and answers must not weaken meanwhile.
  package mutating func resume(_ id: InstanceID, owesIdentity: Bool, windows: Set<UInt64> = []) {
    guard let instance = instance(id) else { return }
    instances[id.place]?.owesIdentity = owesIdentity
    if owesIdentity, instance.processIsStated, !instance.processIsFixed {
      instances[id.place]?.process = .absent
      instances[id.place]?.processIsStated = false
    }
    instances[id.place]?.owedWindows = windows
    if owesIdentity || !windows.isEmpty { instances[id.place]?.recentIdentities.leaveUnknown(at: time) }
    for user in users.indices { users[user].replaceHolder(.missing(id.serial), by: id) }
  }

  /// The windows that a returned instance has not mentioned in time are gone.
  package mutating func forgiveWindows(of id: InstanceID) {
    guard instance(id) != nil else { return }
    instances[id.place]?.owedWindows = []
  }

  /// The viewers' pages are unknown: the kept ones are lost. Every viewer of a starting program counts as one that
  /// shows an external page.
  package mutating func losePages() { pagesAreLost = true }

  /// Every earlier program has come back, or has ended.
  package mutating func endReturning() {
    pagesAreLost = false
    for account in wipeBook.returning.values.flatMap(\.self) { accounts.release(account) }
    wipeBook.returning = [:]
  }

  /// Ends an instance that did not come back in time.
  package mutating func endMissing(_ serial: UInt64) {
    endClips(of: .missing(serial))
    for user in users.indices { users[user].replaceHolder(.missing(serial), by: .gone(serial)) }
    dropPages(ofInstance: serial)
    restarts.set(nil, of: serial)
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
    kept.app = record.appNumber.map(name(of:))
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

/// The pages of viewers outlive the daemon: otherwise an external page would become the document after a restart, when
/// clients repeat all their statements.
extension GuardState {
  /// Notes the current pages of a viewer, so that `takeChanges` has them.
  mutating func keepPages(of viewer: ViewerIndex, in id: InstanceID, _ snapshot: Snapshot) {
    guard keepsPages, let instance = instance(id) else { return }
    let (name, pages) = (instance.viewers[viewer].name, instance.viewers[viewer].pages)
    let knowsDocument = pages.shown.known != nil && showsManaged(viewer, of: instance, snapshot)
    note(pages.areExternal || knowsDocument ? KeptPage(pages, withDocument: knowsDocument) : nil, name, in: id)
  }

  /// The app forgets a viewer, which may come back under its name.
  mutating func leavePages(of viewer: ViewerIndex, in id: InstanceID) {
    guard let left = instances[id.place]?.viewers[viewer], let instance = instance(id) else { return }
    guard left.pages.areExternal else { return note(nil, left.name, in: id) }
    let hasRoom = instances[id.place]?.left.insert(left.pages, left.name, limit: limits.leftPagesPerInstance)
    guard hasRoom == false else { return }
    note(nil, left.name, in: id)
    if !instance.left.isFull { note(.unknown, KeptPage.everyName, in: id) }
  }

  /// A program comes back to a restarted daemon, or a program starts that may be one without saying so: then the pages
  /// of the missing programs count.
  mutating func recallPages(_ id: InstanceID, isReturning: Bool) {
    guard let instance = instance(id) else { return }
    var left = LeftPages()
    if pagesAreLost { left.fill() }
    if isReturning {
      left.merge(missingPages.removeValue(forKey: id.serial)?.left ?? LeftPages())
    } else {
      for missing in missingPages.values where missing.uid == instance.peer.uid && missing.app == instance.appName {
        left.merge(missing.left)
      }
      left.forEach { note(KeptPage($1, withDocument: true), $0, in: id) }
      if left.isFull { note(.unknown, KeptPage.everyName, in: id) }
    }
    instances[id.place]?.left = left
  }

  /// The pages of an instance's viewers no longer matter.
  mutating func dropPages(ofInstance serial: UInt64) {
    missingPages[serial] = nil
    guard keepsPages else { return }
    pageChanges.ended.insert(serial)
    hasChanges = true
  }

  mutating func restore(_ page: KeptPage, _ place: PagePlace) {
    var missing = missingPages[place.instance] ?? MissingPages(uid: place.uid, app: place.app)
    if place.viewer == KeptPage.everyName {
      missing.left.fill()
    } else {
      _ = missing.left.insert(page.pages, place.viewer, limit: .max)
    }
    missingPages[place.instance] = missing
  }

  private mutating func note(_ page: KeptPage?, _ name: [UInt8], in id: InstanceID) {
    guard keepsPages, let instance = instance(id) else { return }
    let place = PagePlace(uid: instance.peer.uid, app: instance.appName, instance: id.serial, viewer: name)
    pageChanges.pages[place] = .some(page)
    hasChanges = true
  }

  /// An unmanaged user's pages are private, and do not belong on the disk.
  private func showsManaged(_ viewer: ViewerIndex, of instance: Instance, _ snapshot: Snapshot) -> Bool {
    guard let app = instance.app else { return false }
    let resolved = instance.resolve(viewer, in: snapshot.viewerPolicies(of: app))
    return instance.isManaged(instance.identity(of: resolved, scope: .absent, accounts).identity, accounts)
  }
}

/// The pages of a program that has not come back to this daemon.
struct MissingPages: Sendable {
  let uid: UInt32
  let app: String
  var left = LeftPages()
}

extension KeptPage {
  init(_ pages: ViewerPages, withDocument: Bool) {
    showsExternal = pages.shown.showsExternal
    opensExternal = pages.opened.showsExternal
    let document = withDocument ? pages.shown.known?.bytes : nil
    self.document = document.flatMap { $0.count <= LeftPages.longestDocument ? $0 : nil }
  }

  var pages: ViewerPages {
    var subject = URLSubject()
    if let document { subject.read(document.span) }
    let known = subject.kind == .url && !subject.hadCredentials ? subject.judged : nil
    var pages = ViewerPages()
    pages.shown = ShownPage(accepted: known, showsExternal: showsExternal)
    if opensExternal { pages.opened.loadExternal() }
    return pages
  }
}
