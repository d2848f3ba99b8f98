internal import GuardModel
internal import URLRules

/// What an app reports of a selection that changed. It may lower protection only where the app itself held the clip, or
/// where no guarded app did.
extension GuardState {
  mutating func clipboardChanged(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    var decision = question.answer(.allow, .changeRecorded)
    if let record = changedRecord(event, question, of: id) { fill(event, question, with: record) }
    let held = users[question.user].content(event.selection, on: event.displayBytes) ?? ClipRecord()
    decision.clipOwner = held.owner
    guard event.selfOwned == .yes, held.owner != .unmanaged else { return decision }
    return question.wrap(decision, ofOwner: ownerProtections(held, question), event)
  }

  mutating func dragEnd(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    users[question.user].endDrag(on: event.displayBytes)
    hasChanges = true
    return question.answer(.allow, .changeRecorded)
  }

  /// What the selection holds after the report; nil when it tells nothing new.
  private func changedRecord(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> ClipRecord? {
    let user = users[question.user]
    let named = user.record(event.selection, on: event.displayBytes)
    let unnamed = user.unnamedRecord(event.selection, laterThanOn: event.displayBytes)
    switch event.selfOwned {
    case .yes: return selfOwned(unnamed ?? named, event, question, of: id)
    case .no: return foreign(named, unnamed, event, of: id)
    case .unknown:
      let own = ownRecord(event, question, of: id)
      return .stricter(own, user.reported(event.selection, on: event.displayBytes) ?? ClipRecord())
    }
  }

  /// The echo of a `Copy` changes nothing; anything else the app put there belongs to its strictest identity.
  private func selfOwned(
    _ old: ClipRecord?, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> ClipRecord? {
    guard var echoed = old, echoed.instance == id, echoed.awaitsEcho else {
      let own = ownRecord(event, question, of: id)
      // The program that copied may have come back without its token, before it said whose data it shows.
      guard let old, old.instance?.isMissing == true, old.appNumber == question.appNumber else { return own }
      var raised = ClipRecord.stricter(own, old)
      (raised.instance, raised.hasSeveralHolders, raised.awaitsEcho) = (id, false, false)
      return raised
    }
    echoed.awaitsEcho = false
    echoed.length = echoed.length ?? event.length
    return echoed
  }

  /// Somebody else filled the selection: of the display's own record, and of a later one that may be about this display,
  /// both must fall.
  private func foreign(
    _ named: ClipRecord?, _ unnamed: ClipRecord?, _ event: borrowing Event, of id: InstanceID
  ) -> ClipRecord? {
    guard let unnamed else { return foreign(named, event, of: id) }
    guard let fallen = foreign(unnamed, event, of: id) else { return nil }
    return named == nil ? fallen : foreign(named, event, of: id).map { .stricter(fallen, $0) }
  }

  /// What is left of one record. A guarded app's own stands until that app says it lost the selection: the report may be
  /// older than that app's copy. A text of another length is another clip, or an older one; until the holder speaks, nobody
  /// knows whose, so it may neither leave nor enter.
  private func foreign(_ old: ClipRecord?, _ event: borrowing Event, of id: InstanceID) -> ClipRecord? {
    let unmanaged = ClipRecord(owner: .unmanaged, length: event.length)
    guard let old else { return event.selection == .unknown ? nil : unmanaged }
    if old.hasSeveralHolders { return nil }
    guard let holder = old.instance else { return event.selection == .unknown ? nil : unmanaged }
    if holder == id {
      guard old.awaitsEcho else { return unmanaged }
      var late = old
      late.awaitsEcho = false
      return late
    }
    guard let known = old.length, let now = event.length, known != now else { return nil }
    guard holder.isMissing || instance(holder) != nil else { return unmanaged }
    var doubted = old
    doubted.owner = .unknownManaged
    return doubted
  }

  /// A clip of the strictest identity among this instance's viewers; of two managed accounts, an unknown one.
  private func ownRecord(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> ClipRecord {
    var record = ClipRecord(owner: .unmanaged, appNumber: question.appNumber, instance: id, length: event.length)
    guard let instance = instance(id) else { return ClipRecord() }
    var shown = instance.effectiveFile(scope: question.scope).identity
    if instance.viewers.count > 0 { shown = .absent }
    let isInDebt = instance.isUnstated || (!instance.owedWindows.isEmpty && instance.viewers.count == 0)
    record.owner = isInDebt ? .unknownManaged : owner(of: shown, instance)
    // Whether what it held before still waits for its echo is forgotten under an unknown owner: as if it did.
    record.awaitsEcho = isInDebt
    for scope in instance.scopes.values { record.owner = .stricter(record.owner, owner(of: scope, instance)) }
    for index in instance.viewers.liveIndices {
      let viewer = instance.resolve(index, in: question.app)
      for identity in instance.identities(of: viewer) ?? [] {
        record.owner = .stricter(record.owner, owner(of: identity, instance))
      }
      let resolved = instance.identity(of: viewer, scope: question.scope, accounts)
      let isOwed = instance.owesIdentity(of: viewer, as: resolved)
      record.owner = .stricter(record.owner, isOwed ? .unknownManaged : owner(of: resolved.identity, instance))
      record.awaitsEcho = record.awaitsEcho || isOwed
    }
    return record
  }

  private func owner(of identity: Identity, _ instance: Instance) -> ClipOwner {
    guard case .account(let account) = identity, !instance.protections(of: account, accounts).isEmpty else {
      return .unmanaged
    }
    return .account(account)
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
