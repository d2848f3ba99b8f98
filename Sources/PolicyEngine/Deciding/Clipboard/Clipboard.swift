internal import GuardModel
internal import URLRules

/// Copy and paste: ledger E.2 with the amendments.
extension GuardState {
  /// Notes whose data the selection will hold when the copy happens. The copy itself succeeds; data that may not leave
  /// is stopped at the paste.
  mutating func copy(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate ?? question.inspection(event) { return end }
    var record = ClipRecord(
      owner: .unmanaged, appNumber: question.appNumber, instance: id, length: event.length,
      formats: event.clipFormats, awaitsEcho: true, place: copyPlace(event, question, of: id))
    var decision = question.answer(.allow, question.unrestrictedReason)
    if case .account(let account) = question.identity.identity {
      record.account = account
      if question.isManaged {
        if !isTrial { clipCount += 1 }
        record.owner = .account(account)
        record.id = ClipID(epoch: epoch, number: clipCount)
        decision.reason = .clipRecorded
        decision = question.wrap(decision, ofOwner: question.binding, event)
      }
    }
    if !isTrial { proposalCount += 1 }
    decision.proposal = ProposalID(epoch: epoch, number: proposalCount)
    decision.clip = record.id
    decision.clipOwner = record.owner
    propose(record, decision.proposal, event, question)
    return decision
  }

  /// The copy becomes a record only once its change was seen. When its answer is withheld, the app never learns the
  /// copy's number but may have filled the selection anyway: that only raises protection.
  private mutating func propose(
    _ record: ClipRecord, _ id: ProposalID?, _ event: borrowing Event, _ question: Question
  ) {
    guard !isTrial, let id else { return }
    var record = record
    record.order = nextClipOrder()
    let isDrag = event.selection == .drag
    let proposal = ClipProposal(
      record: record, id: id, time: event.time, hasEcho: question.features.contains(.clipEcho), isDrag: isDrag)
    let isWithheld = event.isWithheld
    users[question.user].change(event.selection, on: event.displayBytes) { clips, onlyRaises in
      if isDrag {
        clips.startDrag(proposal)
      } else if isWithheld {
        clips.raise(by: record)
      } else {
        clips.propose(proposal, onlyRaises: onlyRaises)
      }
    }
    if record.id != nil { users[question.user].remember(record) }
    hasChanges = true
  }

  /// Compares the clip's owner with the destination's owner.
  mutating func paste(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    let page = pageOfPaste(event, question, of: id)
    if let refusal = page.refusal { return refusal }
    let clip = heldClip(event, question)
    var decision = judge(clip, event, question, page, of: id)
    decision.clipOwner = clip.owner
    return decision
  }

  private mutating func judge(
    _ clip: ClipRecord, _ event: borrowing Event, _ question: Question, _ page: PageReceiver, of id: InstanceID
  ) -> Decision {
    // In an unknown viewer, the field may or may not be the program's own.
    let isInPage = event.surface == .content || question.viewer.isUnknown
    if isInPage, let end = question.uploadGate { return end }
    if clip.owner == .unmanaged, !question.isManaged { return question.answer(.allow, question.unrestrictedReason) }
    let receiver = isInPage && !isCopiedThere(clip, event, question, of: id) ? page : PageReceiver()
    let owner = ownerProtections(clip, question)
    let sides = ClipboardSides(clip, question, owner, isInPage: isInPage, receiver)
    let decision = judge(sides, clip, event, question)
    return receiver.told(decision, owner.union(question.binding), question.snapshot)
  }

  private mutating func judge(
    _ sides: ClipboardSides, _ clip: ClipRecord, _ event: borrowing Event, _ question: Question
  ) -> Decision {
    if sides.isUnasked { return question.answer(.allow, .sameAccount) }
    if sides.mayLeave, sides.mayEnter { return question.answer(.allow, .clipboardAllowed) }
    if clip.owner == .unknownManaged { return question.answer(.block, .ownerUnknown) }
    return except(sides, clip, event, question)
  }

  /// A side that refuses may except short texts; where both refuse, both must except.
  private mutating func except(
    _ sides: ClipboardSides, _ clip: ClipRecord, _ event: borrowing Event, _ question: Question
  ) -> Decision {
    var refused = question.answer(.block, sides.mayLeave ? .incomingRestricted : .orgData)
    refused.protection = sides.mayLeave ? sides.entering?.protection : sides.leaving?.protection
    let (limit, perMinute) = sides.exception(question.snapshot)
    guard limit > 0 else { return refused }
    refused.limit = limit
    guard event.offersPlainText, let offered = event.length, let copied = clip.length else { return refused }
    let length = max(offered, copied)
    guard !(1...limit).contains(length) || question.features.contains(.plainText) else {
      return refused.noting(.cannotStrip)
    }
    guard (1...limit).contains(length), spend(length, of: perMinute, question, at: event.time) else {
      refused.reason = sides.mayLeave ? .personalDataOverLimit : .orgDataOverLimit
      return refused
    }
    var decision = refused
    (decision.outcome, decision.reason, decision.flags[.onlyPlainText]) = (.allow, .withinLimit, true)
    return decision
  }

  /// The stricter of the recorded clip and the clip that was handed back; an unknown clip belongs to an unknown managed
  /// owner.
  private mutating func heldClip(_ event: borrowing Event, _ question: Question) -> ClipRecord {
    var held = recordedClip(event, question) ?? ClipRecord()
    if isOfAnotherPerson(event, question) { held = .stricter(held, ClipRecord()) }
    switch event.clip {
    case .none: return held
    case .unreadable: return .stricter(held, ClipRecord())
    case .id(let id):
      guard let issued = users[question.user].issued(id) else { return .stricter(held, ClipRecord()) }
      return .stricter(held, issued.owned(by: owner(of: issued, question)))
    }
  }

  /// The content of the selection; a copy that the offered length shows to have happened counts as seen.
  private mutating func recordedClip(_ event: borrowing Event, _ question: Question) -> ClipRecord? {
    guard let seen = unseenCopy(event, question) else { return content(event, question) }
    let before = isTrial ? users[question.user] : nil
    settle(seen, event, question)
    defer { if let before { users[question.user] = before } }
    return content(event, question)
  }

  /// The protections that bind the clip's owner; none for an unknown owner. The groups are those of the instance that
  /// copied; when it has ended, those of the asking instance, which belongs to the same user.
  func ownerProtections(_ clip: ClipRecord, _ question: Question) -> ProtectionSet {
    guard case .account(let account) = clip.owner else { return ProtectionSet() }
    return protections(of: account, in: clip, question)
  }

  private mutating func spend(
    _ length: Int, of perMinute: Int?, _ question: Question, at time: UInt64
  ) -> Bool {
    if isTrial { return users[question.user].maySpend(length, of: perMinute, at: time) }
    if perMinute != nil { hasChanges = true }
    return users[question.user].spend(length, of: perMinute, at: time)
  }
}

/// The two sides of a paste, with the level of each.
private struct ClipboardSides {
  private let isSameAccount: Bool
  /// Source and destination are one account in one app, and no protection calls the page unmanaged.
  let isUnasked: Bool
  private let receiver: PageReceiver
  /// The protections that bind the owner, and those that bind the destination.
  private let owner: ProtectionSet
  private let destination: ProtectionSet
  /// The level that the data must pass at its owner's side, and at the destination's; nil on an unbound side.
  let leaving: Strictest<ClipboardLevel>?
  let entering: Strictest<ClipboardLevel>?
  let mayLeave: Bool
  let mayEnter: Bool

  /// A counterpart is policy-managed when the same account is managed there (ledger DT-20). The data of an unknown
  /// managed owner may not leave at all.
  ///
  /// - Parameters:
  ///   - isInPage: false for the program's own fields. They are no page of the account, so data that comes in there
  ///     is not asked about (ledger CB-14).
  ///   - receiver: the owner of the page. For one account in one app, only protections that call the page unmanaged
  ///     are asked.
  init(
    _ clip: ClipRecord, _ question: Question, _ owner: ProtectionSet, isInPage: Bool, _ receiver: PageReceiver
  ) {
    let snapshot = question.snapshot
    let isSameAccount = question.isManaged && clip.owner == question.identity.identity.owner
    let isOwn = isSameAccount && clip.appNumber == question.appNumber
    let owner = isOwn ? snapshot.those(of: owner, where: receiver.isNobodys) : owner
    (self.owner, self.receiver, isUnasked) = (owner, receiver, isOwn && owner.isEmpty)
    destination =
      isOwn ? ProtectionSet() : snapshot.those(of: question.binding) { !receiver.isNobodys(for: $0) }
    let unknown = snapshot.lifting.reachesUnknownAccounts ? ClipboardLevel.any : .blocked
    leaving = snapshot.strictest(of: owner, receiver.leavingLevel)
    entering = snapshot.strictest(of: destination) { $0.clipboard.level }
    let outward = clip.owner == .unmanaged ? nil : leaving?.value ?? unknown
    mayLeave = outward.map { $0.allows(isSameAccount, inward: false) } ?? true
    mayEnter = !isInPage || entering.map { $0.value.allows(isSameAccount, inward: true) } ?? true
    self.isSameAccount = isSameAccount
  }

  /// The smallest exception of the protections that refuse, and the smallest budget per minute. A side that refuses
  /// without a protection has no exception.
  func exception(_ snapshot: Snapshot) -> (length: Int, perMinute: Int?) {
    var exception = (length: Int.max, perMinute: Int?.none)
    if !mayLeave { take(owner, inward: false, snapshot, into: &exception) }
    if !mayEnter { take(destination, inward: true, snapshot, into: &exception) }
    return exception
  }

  private func take(
    _ side: ProtectionSet, inward: Bool, _ snapshot: Snapshot, into exception: inout (length: Int, perMinute: Int?)
  ) {
    if side.isEmpty { exception.length = 0 }
    side.forEach { index in
      let settings = snapshot[index].clipboard
      let level = inward ? settings.level : receiver.leavingLevel(of: snapshot[index])
      guard !level.allows(isSameAccount, inward: inward) else { return }
      exception.length = min(exception.length, settings.exceptionLength)
      if let budget = settings.exceptionPerMinute { exception.perMinute = min(exception.perMinute ?? budget, budget) }
    }
  }
}

extension Question {
  /// Ends a copy whose content had to pass a scanner and did not (ledger CB-13).
  fileprivate func inspection(_ event: borrowing Event) -> Decision? {
    guard let demanding = snapshot.first(of: binding, where: { $0.requiresInspection }) else { return nil }
    switch event.inspection {
    case .passed: return nil
    case .none: return answer(.block, .scanRequired, by: demanding)
    case .blocked: return answer(.block, .scanBlocked, by: demanding)
    case .tooLarge: return answer(.block, .scanTooLarge, by: demanding)
    case .offline: return answer(.block, .scanOffline, by: demanding)
    case .cancelled: return answer(.block, .scanCancelled, by: demanding)
    }
  }
}

extension Identity {
  /// The owner that a clip of this identity would have if it were managed.
  fileprivate var owner: ClipOwner? {
    if case .account(let account) = self { .account(account) } else { nil }
  }
}

extension ClipboardLevel {
  /// Whether this side's level lets data pass to or from a counterpart.
  func allows(_ counterpartIsManaged: Bool, inward: Bool) -> Bool {
    switch self {
    case .any: true
    case .managedWithPasteIn: inward || counterpartIsManaged
    case .managed: counterpartIsManaged
    case .blocked: false
    }
  }
}
