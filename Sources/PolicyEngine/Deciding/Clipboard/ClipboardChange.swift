internal import GuardModel
internal import URLRules

/// An app's report of a selection that changed (amendments, clipboard, second part). It lowers protection only where
/// the app saw its own copy happen, or where the recorded clip can no longer be there.
extension GuardState {
  mutating func clipboardChanged(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    var decision = question.answer(.allow, .changeRecorded)
    if !isTrial { note(event, question, of: id) }
    let held = content(event, question) ?? ClipRecord()
    decision.clipOwner = held.owner
    guard event.selfOwned == .yes, held.owner != .unmanaged else { return decision }
    return question.wrap(decision, ofOwner: ownerProtections(held, question), event)
  }

  /// Only the program of a drag can report its end.
  mutating func dragEnd(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if users[question.user].changeAll([.drag], { clips, _ in clips.endDrag(of: id) }) { hasChanges = true }
    return question.answer(.allow, .changeRecorded)
  }

  /// An app whose answer is withheld does not act on it: its report only raises protection.
  private mutating func note(_ event: borrowing Event, _ question: Question, of id: InstanceID) {
    defer { if !users[question.user].changes.isEmpty { hasChanges = true } }
    switch event.isWithheld ? .unknown : event.selfOwned {
    case .yes: noteOwn(event, question, of: id)
    case .no: noteForeign(event, question, of: id)
    case .unknown:
      var own = ownRecord(event, question, of: id)
      own.order = nextClipOrder()
      users[question.user].change(event.selection, on: event.displayBytes) { clips, _ in clips.raise(by: own) }
    }
  }

  // MARK: Of the app itself

  /// The echo of a copy settles it. A clip that the app names keeps its owner: the app wrapped, stripped or emptied it.
  /// Anything else belongs to the strictest identity that the app showed within the last ten seconds.
  private mutating func noteOwn(_ event: borrowing Event, _ question: Question, of id: InstanceID) {
    if event.selection == .drag { return noteOwnDrag(event, question, of: id) }
    if settle(event, question, of: id) { return }
    var own = named(event, question) ?? ownRecord(event, question, of: id)
    (own.appNumber, own.instance, own.awaitsEcho) = (question.appNumber, id, own.awaitsEcho && event.clip == .none)
    (own.isLost, own.isDoubted, own.hasSeveralHolders) = (false, false, false)
    own.length = event.length ?? (event.clip == .none ? nil : own.length)
    own.order = nextClipOrder()
    own.since = own.order
    let isNamed = event.clip != .none
    users[question.user].change(event.selection, on: event.displayBytes) { clips, onlyRaises in
      guard !onlyRaises else { return clips.raise(by: own) }
      guard !isNamed else { return clips.record = own }
      var own = own
      // The program that copied may have come back without its token, before it named the owner of the data it shows.
      if let old = clips.record, old.instance?.isMissing == true, old.appNumber == own.appNumber {
        own = .stricter(own, old)
        (own.instance, own.hasSeveralHolders, own.awaitsEcho) = (id, false, false)
      }
      clips.replace(by: own, of: id)
    }
  }

  /// The program drags something; nothing new when it asked before.
  private mutating func noteOwnDrag(_ event: borrowing Event, _ question: Question, of id: InstanceID) {
    guard echoed(event, question, of: id) == nil else { return }
    var own = named(event, question) ?? ownRecord(event, question, of: id)
    own.instance = id
    own.order = nextClipOrder()
    proposalCount += 1
    let drag = ClipProposal(
      record: own, id: ProposalID(epoch: epoch, number: proposalCount), time: event.time, hasEcho: false, isDrag: true)
    users[question.user].change(.drag, on: event.displayBytes) { clips, _ in clips.startDrag(drag) }
  }

  /// Settles the proposal that the report is the echo of; false without such a proposal.
  private mutating func settle(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Bool {
    guard let seen = echoed(event, question, of: id) else { return false }
    let order = nextClipOrder()
    let length = event.length
    users[question.user].change(event.selection, on: event.displayBytes) { clips, onlyRaises in
      guard !onlyRaises else { return clips.raise(by: seen.record) }
      if let index = clips.proposals.firstIndex(where: { $0.id == seen.id }) {
        clips.settle(index, length: length, order: order)
      } else {
        var record = seen.record
        record.length = length ?? record.length
        clips.settle(record, order: order)
      }
    }
    return true
  }

  /// The copy that a report is the echo of: the copy that it names, wherever that was asked for, else one of its
  /// length.
  private mutating func echoed(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> ClipProposal? {
    let time = event.time
    users[question.user].expire(at: time)
    let user = users[question.user]
    let isNamed = event.proposal != nil || event.clip != .none
    if isNamed { return user.proposal(event.selection) { $0.index(of: event.proposal, event.clip, by: id) } }
    return user.clips(event.selection, on: event.displayBytes)?.proposal(ofLength: event.length, by: id)
      ?? user.unnamedClips(event.selection, laterThanOn: event.displayBytes)?.proposal(ofLength: event.length, by: id)
  }

  /// The clip that a report names; an unknown managed owner's when the clip is unknown, nil when it names no clip.
  private func named(_ event: borrowing Event, _ question: Question) -> ClipRecord? {
    switch event.clip {
    case .none: nil
    case .unreadable: ClipRecord(hasSeveralHolders: true, length: event.length)
    case .id(let id): users[question.user].issued(id) ?? ClipRecord(hasSeveralHolders: true, length: event.length)
    }
  }

  // MARK: Of others

  /// Another program filled the selection. A report of a selection that may be either of two says nothing of either.
  private mutating func noteForeign(_ event: borrowing Event, _ question: Question, of id: InstanceID) {
    users[question.user].expire(at: event.time)
    let order = nextClipOrder()
    if var named = named(event, question) {
      (named.order, named.since) = (order, order)
      users[question.user].change(event.selection, on: event.displayBytes) { clips, onlyRaises in
        if onlyRaises { clips.raise(by: named) } else { clips.record = named }
      }
      return
    }
    guard event.selection != .unknown else { return }
    if let seen = unseenCopy(event, question) { settle(seen, event, question) }
    let report = ForeignReport(
      length: event.length, time: event.time, order: order, instance: id, instances: instances)
    let unnamed = users[question.user].unnamedClips(event.selection, laterThanOn: event.displayBytes)
    if let unnamed, !report.endsAll(of: unnamed) { return }
    let isDrag = event.selection == .drag
    let mayBeElsewhere = users[question.user].mayBeElsewhere(event.selection, than: event.displayBytes, event.length)
    users[question.user].change(event.selection, on: event.displayBytes) { clips, onlyRaises in
      guard !onlyRaises else { return }
      let since = clips.since
      report.apply(to: &clips, isDrag: isDrag)
      if mayBeElsewhere { clips.record?.since = since }
    }
  }

  /// A clip of the strictest identity that this instance's viewers show, or showed within the last ten seconds; two
  /// managed accounts make an unknown one.
  private func ownRecord(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> ClipRecord {
    guard let instance = instance(id) else { return ClipRecord() }
    var record = ClipRecord(
      owner: .unmanaged, appNumber: question.appNumber, instance: id, length: event.length, formats: event.clipFormats)
    var shown = instance.effectiveFile(scope: question.scope).identity
    if instance.viewers.count > 0 { shown = .absent }
    let isInDebt = instance.isUnstated || (!instance.owedWindows.isEmpty && instance.viewers.count == 0)
    record.owner = isInDebt ? .unknownManaged : owner(of: shown, instance)
    // An unknown owner hides whether the earlier content still waits for its echo: assume that it does.
    record.awaitsEcho = isInDebt
    instance.recentIdentities.forEach(at: event.time) {
      record.owner = .stricter(record.owner, owner(of: .account($0), instance))
    }
    if instance.recentIdentities.isUnknown(at: event.time) { record.owner = .unknownManaged }
    for scope in instance.scopes.values { record.owner = .stricter(record.owner, owner(of: scope, instance)) }
    let policies = question.snapshot.viewerPolicies(of: question.appIndex)
    for index in instance.viewers.liveIndices {
      let viewer = instance.resolve(index, in: policies)
      for identity in instance.identities(of: viewer) ?? [] {
        record.owner = .stricter(record.owner, owner(of: identity, instance))
      }
      let resolved = instance.identity(of: viewer, scope: question.scope, accounts)
      let isOwed = instance.owesIdentity(of: viewer, as: resolved)
      record.owner = .stricter(record.owner, isOwed ? .unknownManaged : owner(of: resolved.identity, instance))
      record.awaitsEcho = record.awaitsEcho || isOwed
      record.account = first(of: record.account, resolved.identity)
    }
    record.account = first(of: record.account, shown)
    if case .account(let account) = record.owner { record.account = account }
    return record
  }

  /// Among several unmanaged accounts, picks the first by name, regardless of the order of arrival.
  private func first(of account: AccountID?, _ identity: Identity) -> AccountID? {
    guard case .account(let other) = identity else { return account }
    guard let account else { return other }
    return accounts[account].sortName <= accounts[other].sortName ? account : other
  }

  private func owner(of identity: Identity, _ instance: Instance) -> ClipOwner {
    guard case .account(let account) = identity, !instance.protections(of: account, accounts).isEmpty else {
      return .unmanaged
    }
    return .account(account)
  }
}

/// A report that the selection does not belong to the reporting program.
private struct ForeignReport {
  let length: Int?
  let time: UInt64
  let order: UInt64
  let instance: InstanceID
  /// All instances of the state: they do not change while a report is noted.
  let instances: [Instance?]

  func apply(to clips: inout SelectionClips, isDrag: Bool) {
    // A drag that began ends when its program says so, or is forgotten after a time.
    if isDrag, clips.hasDrag(at: time) { return }
    if isDrag { return clips.settle(fallen, order: order) }
    clips.fall { left(of: $0) }
  }

  /// Whether the selection can hold only unmanaged data after the report.
  func endsAll(of clips: SelectionClips) -> Bool {
    !clips.contains { left(of: $0).owner != .unmanaged }
  }

  private var fallen: ClipRecord { ClipRecord(owner: .unmanaged, length: length, order: order, since: order) }

  /// The remaining part of the selection's possible content.
  ///
  /// A text of the same length or of no length is still the clip: a clipboard manager took it over, also after its
  /// program has ended, or a program in the background sees no length. A text of another length is another clip, or an
  /// older one. Its owner is unknown until the holder has said that it lost the selection, or has ended, so the text
  /// may neither leave nor enter.
  private func left(of old: ClipRecord?) -> ClipRecord {
    guard var old else { return fallen }
    guard !old.hasSeveralHolders, let holder = old.instance else { return old.hasSeveralHolders ? old : fallen }
    let isHolder = holder == instance
    if isHolder, old.awaitsEcho {
      old.awaitsEcho = false
      return old
    }
    let isOther = length.map { old.isOtherThan($0) } ?? false
    if isOther || (isHolder && old.isDoubted && length == nil) {
      guard old.owner != .unmanaged, !isHolder, !old.isLost, !hasEnded(holder) else { return fallen }
      old.isDoubted = true
      return old
    }
    if length != nil { old.isDoubted = false }
    old.isLost = old.isLost || isHolder
    return old
  }

  private func hasEnded(_ holder: InstanceID) -> Bool {
    if holder.isMissing { return false }
    return !instances.indices.contains(Int(holder.index)) || instances[holder.place]?.serial != holder.serial
  }
}

extension ClipOwner {
  /// Two different accounts make an unknown managed owner.
  static func stricter(_ left: ClipOwner, _ right: ClipOwner) -> ClipOwner {
    switch (left, right) {
    case (.unmanaged, let other), (let other, .unmanaged): other
    default: left == right ? left : .unknownManaged
    }
  }
}
