internal import GuardModel
internal import URLRules

/// Copy and paste: ledger E.2 with the amendments.
extension GuardState {
  /// Records whose data fills the selection. The copy itself succeeds; what may not leave is stopped at the paste.
  mutating func copy(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate ?? question.inspection(event) { return end }
    var record = ClipRecord(
      owner: .unmanaged, appNumber: question.appNumber, instance: id, length: event.length, awaitsEcho: true)
    var decision = question.answer(.allow, question.unrestrictedReason)
    if question.isManaged, case .account(let account) = question.identity.identity {
      clipCount += 1
      record.owner = .account(account)
      record.id = ClipID(epoch: epoch, number: clipCount)
      decision.reason = .clipRecorded
      decision = question.wrap(decision, ofProtection: question.protection, event)
    }
    decision.clip = record.id
    decision.clipOwner = record.owner
    fill(event, question, with: record)
    return decision
  }

  /// Compares whose the clip is with whose the destination is.
  mutating func paste(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    let clip = heldClip(event, question)
    var decision = judge(clip, event, question)
    decision.clipOwner = clip.owner
    return decision
  }

  private mutating func judge(_ clip: ClipRecord, _ event: borrowing Event, _ question: Question) -> Decision {
    if question.isManaged, question.blocksUploads {
      return question.answer(.block, .uploadBlockedViewer)
    }
    if clip.owner == .unmanaged, !question.isManaged { return question.answer(.allow, question.unrestrictedReason) }
    let sides = ClipboardSides(clip, question, ownerProtection(clip, question))
    if sides.isSameAccount, clip.appNumber == question.appNumber { return question.answer(.allow, .sameAccount) }
    if sides.mayLeave, sides.mayEnter { return question.answer(.allow, .clipboardAllowed) }
    if clip.owner == .unknownManaged { return question.answer(.block, .ownerUnknown) }
    return except(sides, clip, event, question)
  }

  /// A side that refuses may except short texts; where both refuse, both must except.
  private mutating func except(
    _ sides: ClipboardSides, _ clip: ClipRecord, _ event: borrowing Event, _ question: Question
  ) -> Decision {
    var refused = question.answer(.block, sides.mayLeave ? .incomingRestricted : .orgData)
    refused.protection = sides.mayLeave ? sides.destination : sides.owner
    let (limit, perMinute) = sides.exception(question.snapshot)
    guard limit > 0 else { return refused }
    refused.limit = limit
    guard event.offersPlainText, let offered = event.length, let copied = clip.length else { return refused }
    let length = max(offered, copied)
    guard (1...limit).contains(length), spend(length, of: perMinute, question, at: event.time) else {
      refused.reason = sides.mayLeave ? .personalDataOverLimit : .orgDataOverLimit
      return refused
    }
    var decision = refused
    (decision.outcome, decision.reason, decision.onlyPlainText) = (.allow, .withinLimit, true)
    return decision
  }

  /// The stricter of what is recorded and of the clip that was handed back; what nobody knows is an unknown managed
  /// owner's.
  private func heldClip(_ event: borrowing Event, _ question: Question) -> ClipRecord {
    let user = users[question.user]
    let recorded = user.content(event.selection, on: event.displayBytes) ?? ClipRecord()
    switch event.clip {
    case .none: return recorded
    case .unreadable: return .stricter(recorded, ClipRecord())
    case .id(let id): return .stricter(recorded, user.issued(id) ?? ClipRecord())
    }
  }

  /// The groups' protection is that of the instance that copied; when it has ended, that of the asking one, which is the
  /// same user's.
  func ownerProtection(_ clip: ClipRecord, _ question: Question) -> Int32? {
    guard case .account(let account) = clip.owner else { return nil }
    if let protection = accounts[account].protection { return protection }
    guard let holder = clip.instance.flatMap({ instance($0) }) else { return question.groupProtection }
    return holder.groupProtection
  }

  private mutating func spend(
    _ length: Int, of perMinute: Int?, _ question: Question, at time: UInt64
  ) -> Bool {
    if perMinute != nil { hasChanges = true }
    return users[question.user].spend(length, of: perMinute, at: time)
  }

  mutating func fill(_ event: borrowing Event, _ question: Question, with record: ClipRecord) {
    hasChanges = true
    users[question.user].fill(event.selection, on: event.displayBytes, with: record)
  }
}

/// The two sides of a paste and what each allows.
private struct ClipboardSides {
  let isSameAccount: Bool
  /// The owner's protection.
  let owner: Int32?
  /// The destination's protection.
  let destination: Int32?
  let mayLeave: Bool
  let mayEnter: Bool

  /// A counterpart is policy-managed when the same account is managed there (ledger DT-20). The data of an unknown
  /// managed owner may leave for nowhere.
  init(_ clip: ClipRecord, _ question: Question, _ owner: Int32?) {
    self.owner = owner
    destination = question.protection
    let isSameAccount = question.isManaged && clip.owner == question.identity.identity.owner
    let protections = question.snapshot.protections
    let unknown = question.snapshot.lifting.reachesUnknownAccounts ? ClipboardLevel.any : .blocked
    let leaving = clip.owner == .unmanaged ? nil : owner.map { protections[Int($0)].clipboard.level } ?? unknown
    let entering = question.protection.map { protections[Int($0)].clipboard.level }
    mayLeave = leaving.map { $0.allows(isSameAccount, inward: false) } ?? true
    mayEnter = entering.map { $0.allows(isSameAccount, inward: true) } ?? true
    self.isSameAccount = isSameAccount
  }

  /// The smaller exception of the sides that refuse, and its budget a minute. A side that refuses without a protection
  /// excepts nothing.
  func exception(_ snapshot: Snapshot) -> (length: Int, perMinute: Int?) {
    var length = Int.max
    var perMinute: Int?
    let sides = [(mayLeave, owner), (mayEnter, destination)] as InlineArray<2, (Bool, Int32?)>
    for index in sides.indices where !sides[index].0 {
      guard let side = sides[index].1 else { return (0, nil) }
      let settings = snapshot.protections[Int(side)].clipboard
      length = min(length, settings.exceptionLength)
      if let budget = settings.exceptionPerMinute { perMinute = min(perMinute ?? budget, budget) }
    }
    return (length, perMinute)
  }
}

extension Question {
  /// The end of a copy whose content a scanner had to pass and did not (ledger CB-13).
  fileprivate func inspection(_ event: borrowing Event) -> Decision? {
    guard protectionSettings?.requiresInspection == true else { return nil }
    switch event.inspection {
    case .passed: return nil
    case .none: return answer(.block, .scanRequired)
    case .blocked: return answer(.block, .scanBlocked)
    case .tooLarge: return answer(.block, .scanTooLarge)
    case .offline: return answer(.block, .scanOffline)
    case .cancelled: return answer(.block, .scanCancelled)
    }
  }
}

extension Identity {
  /// The owner that a clip of this identity would have, were it managed.
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

extension Event {
  /// The display's name; empty when the app did not name one.
  var displayBytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes(display ?? TextSlot(lower: 0, upper: 0)) }
  }
}
