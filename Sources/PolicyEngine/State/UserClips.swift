internal import Bytes
internal import GuardModel
internal import URLRules

/// The selections of one display.
struct DisplayClips: Sendable {
  /// Empty for a display that the app did not name.
  var display: [UInt8]
  private var selections: InlineArray<3, SelectionClips> = [SelectionClips(), SelectionClips(), SelectionClips()]

  init(display: [UInt8]) { self.display = display }

  /// `unknown` reads the clipboard. A copy is read, since a value that a coroutine lends is allocated.
  subscript(selection: Selection) -> SelectionClips {
    get { selections[Self.index(of: selection)] }
    _modify { yield &selections[Self.index(of: selection)] }
  }

  private static func index(of selection: Selection) -> Int {
    switch selection {
    case .clipboard, .unknown: 0
    case .primary: 1
    case .drag: 2
    }
  }
}

/// The contents of one user's selections, on every display: one guarded app must know the copies of another.
struct UserClips: Sendable {
  let uid: UInt32
  private(set) var displays: [DisplayClips] = []
  private(set) var issued: [ClipRecord] = []
  private var nextIssued = 0
  var budget = ClipBudget(minute: 0, used: 0)
  /// The parts of all this that are not written down yet.
  var changes = ClipChanges()

  /// Number of accounts that this user named and no entry of the policy names.
  var namedAccounts = 0

  static let maximumDisplays = 16
  /// Number of remembered clip numbers; an older one counts as unknown.
  static let rememberedClips = ClipSlot.count

  init(uid: UInt32) { self.uid = uid }

  // MARK: Changing

  /// Changes a selection. An unknown selection may be either of two: `body` is called for both, and may only raise
  /// them. Displays past the cap are treated alike: they share an unnamed one.
  ///
  /// - Parameter body: changes the selection; true stands for one that may only be raised.
  mutating func change(
    _ selection: Selection, on display: Span<UInt8>, _ body: (inout SelectionClips, _ onlyRaises: Bool) -> Void
  ) {
    let index = displayIndex(display)
    let isShared = displays[index].display.count != display.count
    switch selection {
    case .unknown:
      for either in [Selection.clipboard, .primary] {
        body(&displays[index][either], true)
        changes.note(either, onDisplay: index)
      }
    case .clipboard, .primary, .drag:
      body(&displays[index][selection], isShared)
      changes.note(selection, onDisplay: index)
    }
  }

  /// Changes a selection on every display that something is known of; `body` says whether it did.
  mutating func changeAll(_ selections: [Selection], _ body: (inout SelectionClips, Selection) -> Bool) -> Bool {
    var isChanged = false
    for index in displays.indices {
      for selection in selections where body(&displays[index][selection], selection) {
        changes.note(selection, onDisplay: index)
        isChanged = true
      }
    }
    return isChanged
  }

  /// Lets records lose their owner: some managed account's, which no account may paste. True when there were any.
  mutating func lose(where isLost: (ClipRecord) -> Bool) -> Bool {
    var isChanged = changeAll([.clipboard, .primary, .drag]) { clips, _ in
      var hasLost = false
      clips.updateRecords { record in
        guard isLost(record) else { return }
        record = record.owned(by: .unknownManaged)
        hasLost = true
      }
      return hasLost
    }
    for slot in issued.indices where isLost(issued[slot]) {
      issued[slot] = issued[slot].owned(by: .unknownManaged)
      changes.note(slot: slot)
      isChanged = true
    }
    return isChanged
  }

  /// Drops or takes over the copies whose echo did not come in time.
  mutating func expire(at time: UInt64) {
    _ = changeAll([.clipboard, .primary]) { clips, _ in clips.expire(at: time) }
  }

  /// Changes every record, in ways that need not be written down.
  mutating func updateRecords(_ body: (inout ClipRecord) -> Void) {
    for index in displays.indices {
      for selection in [Selection.clipboard, .primary, .drag] { displays[index][selection].updateRecords(body) }
    }
    for index in issued.indices { body(&issued[index]) }
  }

  /// Remembers a clip that went out with a number.
  mutating func remember(_ record: ClipRecord) {
    if issued.isEmpty { issued.reserveCapacity(Self.rememberedClips) }
    if let known = issued.firstIndex(where: { $0.id == record.id }) {
      issued[known] = record
      changes.note(slot: known)
    } else if issued.count < Self.rememberedClips {
      issued.append(record)
      changes.note(slot: issued.count - 1)
    } else {
      issued[nextIssued] = record
      changes.note(slot: nextIssued)
      nextIssued = (nextIssued + 1) % Self.rememberedClips
    }
  }

  // MARK: Reading

  /// The knowledge of this very selection on this very display.
  func clips(_ selection: Selection, on display: Span<UInt8>) -> SelectionClips? {
    guard let known = displays.firstIndex(where: { $0.display.span.matches(display) }) else { return nil }
    let clips = displays[known][selection]
    return clips.isEmpty ? nil : clips
  }

  /// The knowledge of an unnamed display that may concern this named one, because it came later.
  func unnamedClips(_ selection: Selection, laterThanOn display: Span<UInt8>) -> SelectionClips? {
    guard !display.isEmpty, let unnamed = clips(selection, on: Span()) else { return nil }
    guard let named = clips(selection, on: display)?.record else { return unnamed }
    return unnamed.order > named.since ? unnamed : nil
  }

  /// The content of a paste from the selection; nil when it is unknown.
  func content(
    _ selection: Selection, on display: Span<UInt8>, owner: (ClipRecord) -> ClipOwner
  ) -> ClipRecord? {
    guard selection == .unknown else { return known(selection, on: display, owner) }
    guard let clipboard = known(.clipboard, on: display, owner), let primary = known(.primary, on: display, owner)
    else {
      return nil
    }
    return .stricter(clipboard, primary)
  }

  /// The copy that `index` finds in one of the selections, on whatever display.
  func proposal(_ selection: Selection, _ index: (SelectionClips) -> Int?) -> ClipProposal? {
    for display in displays {
      if let found = index(display[selection]) { return display[selection].proposals[found] }
      if selection == .unknown, let found = index(display[.primary]) { return display[.primary].proposals[found] }
    }
    return nil
  }

  /// An unreported copy that this length shows to have happened: no other managed clip that may be there has it.
  func unseenCopy(_ selection: Selection, on display: Span<UInt8>, ofLength length: Int) -> ClipRecord? {
    guard selection != .unknown, selection != .drag else { return nil }
    let own = clips(selection, on: display)
    let unnamed = unnamedClips(selection, laterThanOn: display)?.unseen(ofLength: length)
    let named = own?.unseen(ofLength: length)
    let found = named.map { named in unnamed.map(named.orManaged) ?? named } ?? unnamed
    let since = display.isEmpty ? 0 : own?.record?.since ?? 0
    guard let found, found.order >= since else { return nil }
    for other in displays {
      let from = other.display.span.matches(display) ? 0 : since
      guard other[selection].isOther(length, than: found, from: from) else { return nil }
    }
    return found
  }

  /// Whether a managed clip that counts on this display, and is on record for another, may be a text of this length: a
  /// name of X and one of Wayland may mean one seat, so a program may be seeing that clip here.
  func mayBeElsewhere(_ selection: Selection, than display: Span<UInt8>, _ length: Int?) -> Bool {
    let since = clips(selection, on: display)?.since ?? 0
    let isX = DisplayName.xDisplay(in: display) != nil
    for other in displays where !other.display.span.matches(display) {
      let otherIsX = DisplayName.xDisplay(in: other.display.span) != nil
      // Two X servers, or two compositors, have selections of their own.
      if !other.display.isEmpty, !display.isEmpty, isX == otherIsX { continue }
      let mayBe = other[selection].contains { record in
        record.order >= since && record.owner != .unmanaged && !(length.map(record.isOtherThan) ?? false)
      }
      if mayBe { return true }
    }
    return false
  }

  /// The record that went out with this number; nil when it is not remembered.
  func issued(_ id: ClipID) -> ClipRecord? { issued.first { $0.id == id } }

  /// A named display's record, and everything later of another display: two names may mean one seat. For an unnamed
  /// display, and for one that only an unnamed record could speak of, the strictest of all.
  private func known(
    _ selection: Selection, on display: Span<UInt8>, _ owner: (ClipRecord) -> ClipOwner
  ) -> ClipRecord? {
    if display.isEmpty {
      let isKnown = displays.contains { $0[selection].isKnown }
      return isKnown ? strictest(selection, since: 0, display, owner) : nil
    }
    if let own = clips(selection, on: display), own.isKnown {
      return strictest(selection, since: own.since, display, owner)
    }
    let unnamed = unnamedClips(selection, laterThanOn: display)
    return unnamed?.isKnown == true ? strictest(selection, since: 0, display, owner) : nil
  }

  /// The strictest of this display's contents, and of others at `order` or later.
  private func strictest(
    _ selection: Selection, since order: UInt64, _ own: Span<UInt8>, _ owner: (ClipRecord) -> ClipOwner
  ) -> ClipRecord? {
    var result: ClipRecord?
    for display in displays {
      let from = display.display.span.matches(own) ? 0 : order
      guard let content = display[selection].content(from: from, owner: owner) else { continue }
      result = result.map { .stricter($0, content) } ?? content
    }
    return result
  }

  /// Past the cap, a display counts as unnamed.
  private mutating func displayIndex(_ display: Span<UInt8>) -> Int {
    if let known = displays.firstIndex(where: { $0.display.span.matches(display) }) { return known }
    let isFull = displays.count >= Self.maximumDisplays
    if isFull, let unnamed = displays.firstIndex(where: \.display.isEmpty) { return unnamed }
    let name = isFull ? [] : Array(copying: display)
    displays.append(DisplayClips(display: name))
    return displays.count - 1
  }

  // MARK: Budget

  /// Whether the minute's budget suffices for `scalars`.
  func maySpend(_ scalars: Int, of perMinute: Int?, at time: UInt64) -> Bool {
    var copy = budget
    return copy.take(scalars, of: perMinute, at: time)
  }

  /// Takes `scalars` from the minute's budget; false when it does not suffice.
  mutating func spend(_ scalars: Int, of perMinute: Int?, at time: UInt64) -> Bool {
    guard perMinute != nil else { return true }
    guard budget.take(scalars, of: perMinute, at: time) else { return false }
    changes.noteBudget()
    return true
  }
}

// An earlier daemon's kept state.
extension UserClips {
  mutating func restore(_ clips: SelectionClips, in place: SelectionPlace) {
    var index = displays.firstIndex { $0.display == place.display }
    if index == nil, displays.count <= Self.maximumDisplays {
      displays.append(DisplayClips(display: place.display))
      index = displays.count - 1
    }
    if let index { displays[index][place.selection] = clips }
  }

  mutating func restoreIssued(_ record: ClipRecord) {
    guard issued.count < Self.rememberedClips else { return }
    issued.append(record)
    nextIssued = issued.indices.min { issued[$0].order < issued[$1].order } ?? 0
    if issued.count < Self.rememberedClips { nextIssued = 0 }
  }

  mutating func replaceHolder(_ old: InstanceID, by new: InstanceID) {
    updateRecords { if $0.instance == old { $0.instance = new } }
  }
}

extension ClipBudget {
  /// Takes `scalars` from the minute; false when it does not suffice.
  fileprivate mutating func take(_ scalars: Int, of perMinute: Int?, at time: UInt64) -> Bool {
    guard let perMinute else { return true }
    let minute = time / 60_000
    if minute > self.minute { self = ClipBudget(minute: minute, used: 0) }
    guard scalars <= perMinute, used <= perMinute - scalars else { return false }
    used += scalars
    return true
  }
}
