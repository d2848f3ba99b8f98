internal import Bytes
internal import GuardModel
internal import URLRules

/// The content of a selection, as far as any program saw it, and its owner under the policy in force.
extension GuardState {
  /// The content that a paste or a report finds; nil when it is unknown.
  func content(_ event: borrowing Event, _ question: Question) -> ClipRecord? {
    users[question.user].content(event.selection, on: event.displayBytes) { owner(of: $0, question) }
  }

  /// The owner of a recorded clip.
  func owner(of record: ClipRecord, _ question: Question) -> ClipOwner {
    if record.isDoubted { return .unknownManaged }
    return owner(of: record, groups: question.groupProtections)
  }

  /// The owner of a clip that is not doubted. A policy that came after the copy may bind the clip's account, which
  /// makes the clip managed. It may also free the account: then the clip was some managed account's, and its remaining
  /// protection is unknown (review, section 2, item 18).
  private func owner(of record: ClipRecord, groups: ProtectionSet) -> ClipOwner {
    guard let account = record.account, record.owner != .unknownManaged else { return record.owner }
    let isManaged = !protections(of: account, in: record, groups: groups).isEmpty
    if isManaged { return .account(account) }
    return record.owner == .unmanaged || record.wasUnmanaged ? .unmanaged : .unknownManaged
  }

  /// Gives every record of these users the owner that follows from the policy in force. The possible contents of a
  /// selection are compared by these owners: without this, a clip that was unmanaged when it was copied, and is managed
  /// since a reload, would count as unmanaged beside others.
  mutating func bindClips(ofUsers bound: Range<Int>) {
    for user in bound {
      let groups = instances(ofPerson: users[user].uid).reduce(into: ProtectionSet()) { groups, id in
        groups = groups.union(instances[id.place]?.groupProtections ?? ProtectionSet())
      }
      var clips = users[user]
      clips.updateRecords { bind(&$0, groups: groups) }
      users[user] = clips
    }
  }

  private func bind(_ record: inout ClipRecord, groups: ProtectionSet) {
    switch owner(of: record, groups: groups) {
    // The record keeps its account, which a later policy may bind again.
    case .unknownManaged: break
    case let owner:
      if record.owner == .unmanaged, owner != .unmanaged { record.wasUnmanaged = true }
      if owner == .unmanaged { record.wasUnmanaged = false }
      record.owner = owner
    }
  }

  /// The protections that bind the account of a clip. The groups are those of the instance that copied; when it has
  /// ended, those of the asking instance, which belongs to the same user.
  func protections(of account: AccountID, in clip: ClipRecord, _ question: Question) -> ProtectionSet {
    protections(of: account, in: clip, groups: question.groupProtections)
  }

  private func protections(of account: AccountID, in clip: ClipRecord, groups: ProtectionSet) -> ProtectionSet {
    let holder = clip.instance.flatMap { instance($0) }
    return accounts[account].protections.union(holder?.groupProtections ?? groups)
  }

  /// The number of the next change of any selection.
  mutating func nextClipOrder() -> UInt64 {
    clipOrder += 1
    return clipOrder
  }

  // MARK: Copies of programs that do not tell of them

  /// A copy that no program reported, but that the length offered to a paste, or seen by a program, shows to have
  /// happened; nil where the owner is the same without it.
  func unseenCopy(_ event: borrowing Event, _ question: Question) -> ClipRecord? {
    guard let length = event.length,
      let seen = users[question.user].unseenCopy(event.selection, on: event.displayBytes, ofLength: length)
    else { return nil }
    return content(event, question)?.owner == owner(of: seen, question) ? nil : seen
  }

  /// The selection holds such a copy: on the display of the event, wherever the copy was asked for.
  mutating func settle(_ seen: ClipRecord, _ event: borrowing Event, _ question: Question) {
    let order = nextClipOrder()
    let length = event.length ?? 0
    users[question.user].change(event.selection, on: event.displayBytes) { clips, onlyRaises in
      if !onlyRaises { clips.settle(unseen: seen, length: length, order: order) }
    }
    hasChanges = true
  }

  // MARK: Other persons

  /// Whether a paste may receive another person's copy: everyone on an X display shares its selections. An own copy
  /// that was seen later took its place.
  func isOfAnotherPerson(_ event: borrowing Event, _ question: Question) -> Bool {
    guard event.isOnXDisplay, users.count > 1 else { return false }
    let formats = event.clipFormats
    let own = users[question.user].clips(event.selection, on: event.displayBytes)?.record
    let since = own.map { $0.instance != nil && !$0.awaitsEcho ? $0.order : 0 } ?? 0
    for index in users.indices where index != question.user {
      for selection in event.selection == .unknown ? [.clipboard, .primary] : [event.selection] {
        guard let clips = users[index].clips(selection, on: event.displayBytes) else { continue }
        let fits = clips.contains { record in
          record.order >= since && record.length == event.length && record.formats.mayBe(formats)
            && owner(of: record, question) != .unmanaged
        }
        if fits { return true }
      }
    }
    return false
  }
}

extension Event {
  /// The kinds of data that it offers.
  var clipFormats: ClipFormats { formats.map { ClipFormats(types: bytes($0)) } ?? [] }

  /// The display's name; empty when the app did not name a display. One X display has several: its screens share the
  /// selections.
  ///
  /// `:0.1`, `unix:0` and `localhost:0` are `:0`; `wayland-0` is itself.
  var displayBytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let name = bytes(display ?? TextSlot(lower: 0, upper: 0))
      guard let display = DisplayName.xDisplay(in: name) else { return name }
      return name.extracting(display)
    }
  }

  /// Every person that may use the display shares its selections. Each person has their own names for Wayland displays.
  var isOnXDisplay: Bool { display.map { DisplayName.xDisplay(in: bytes($0)) != nil } ?? false }
}

/// Display names: X(7), and `WAYLAND_DISPLAY` of libwayland.
enum DisplayName {
  /// The part of `host:number.screen` that names an X display; nil for another name.
  static func xDisplay(in name: Span<UInt8>) -> Range<Int>? {
    var colon = name.count - 1
    while colon >= 0, name[colon] != UInt8(ascii: ":") { colon -= 1 }
    guard colon >= 0 else { return nil }
    var end = colon + 1
    while end < name.count, name[end].isASCIIDigit { end += 1 }
    guard end > colon + 1, end == name.count || isScreen(name.extracting(end..<name.count)) else { return nil }
    let host = name.extracting(0..<colon)
    let isLocal = host.matches("unix") || host.matches("localhost")
    return (isLocal ? colon : 0)..<end
  }

  private static func isScreen(_ rest: Span<UInt8>) -> Bool {
    guard rest.count > 1, rest[0] == UInt8(ascii: ".") else { return false }
    for index in 1..<rest.count where !rest[index].isASCIIDigit { return false }
    return true
  }
}

/// The part of a clip that programs may read without asking: any program of the display may read a selection, and most
/// are not guarded.
///
/// A clip that may go to managed places only is wrapped: other programs read a notice as its text, and the content lies
/// beside it under a private type, for programs that ask (ledger CB-17). Every program may read a text that is short
/// enough, as text and as nothing else. With a budget per minute no text is short enough, since the reads of such
/// programs cannot be counted.
extension Question {
  /// - Parameter owner: the protections of the clip's owner; none for an unknown owner.
  func wrap(_ decision: Decision, ofOwner owner: ProtectionSet, _ event: borrowing Event) -> Decision {
    guard !isMonitored(owner) else { return decision }
    let excepted = shutExceptions(of: owner, event)
    guard excepted != .max else { return decision }
    var decision = decision
    if excepted > 0 {
      (decision.limit, decision.flags[.onlyPlainText]) = (excepted, true)
    } else {
      decision.flags[.mimeWrap] = true
    }
    return decision
  }

  /// Blocks a copy or a change whose clip must be wrapped, or stripped to its text, when the app can do neither: the
  /// clip would lie open to every program. A blocked change has happened; the app empties the selection.
  func holdToAbilities(_ decision: inout Decision, _ kind: EventKind) {
    guard kind == .copy || kind == .clipboardChanged else { return }
    var missing: DecisionNotes = []
    if decision.flags[.mimeWrap], !features.contains(.wrap) { missing = .cannotWrap }
    if decision.flags[.onlyPlainText], !features.contains(.plainText) { missing = .cannotStrip }
    guard missing != [] else { return }
    decision.notes.formUnion(missing)
    (decision.outcome, decision.reason) = (.block, .orgData)
    decision.flags.subtract([.mimeWrap, .onlyPlainText])
    decision.limit = nil
  }

  /// Maximum number of scalars that any program may have of this clip, by the smallest exception of the protections
  /// that keep it among managed programs; unlimited where no protection does.
  private func shutExceptions(of owner: ProtectionSet, _ event: borrowing Event) -> Int {
    var smallest = owner.isEmpty ? 0 : Int.max
    owner.forEach { index in
      let settings = snapshot[index].clipboard
      guard !snapshot[index].isMonitored, !settings.level.allows(false, inward: false) else { return }
      smallest = min(smallest, settings.excepts(event) ? settings.exceptionLength : 0)
    }
    return smallest
  }

  /// Every protection that would shut the clip in only monitors; for an unknown owner, all protections do.
  private func isMonitored(_ owner: ProtectionSet) -> Bool {
    if app.isMonitored { return true }
    return snapshot.first(of: owner.isEmpty ? snapshot.allProtections : owner, where: { !$0.isMonitored }) == nil
  }
}

extension ClipboardSettings {
  /// Any program may have a text of this length.
  fileprivate func excepts(_ event: borrowing Event) -> Bool {
    guard exceptionLength > 0, exceptionPerMinute == nil, event.offersPlainText, let length = event.length else {
      return false
    }
    return (1...exceptionLength).contains(length)
  }
}
