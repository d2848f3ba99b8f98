internal import GuardModel
internal import URLRules

/// What one user's selections hold, on every display: one guarded app must know what another copied.
struct UserClips: Sendable {
  let uid: UInt32
  var displays: [DisplayClips] = []
  var issued: [ClipRecord] = []
  var nextIssued = 0
  var order: UInt64 = 0
  var budget = ClipBudget(minute: 0, used: 0)
  /// What of all this is not written down yet.
  var changes = ClipChanges()

  /// How many accounts this user named that no entry of the policy names.
  var namedAccounts = 0

  static let maximumDisplays = 16
  /// How many clip numbers are remembered; an older one counts as unknown.
  static let rememberedClips = ClipSlot.count

  init(uid: UInt32) { self.uid = uid }

  /// Fills a selection. An unknown selection may be either of two, so it only ever raises both.
  mutating func fill(_ selection: Selection, on display: Span<UInt8>, with record: ClipRecord) {
    order += 1
    var record = record
    record.order = order
    if record.id != nil { remember(record) }
    let index = displayIndex(display)
    let isShared = displays[index].display.count != display.count
    switch selection {
    case .unknown:
      displays[index].raise(.clipboard, by: record)
      displays[index].raise(.primary, by: record)
      changes.note(.clipboard, onDisplay: index)
      changes.note(.primary, onDisplay: index)
      return
    case _ where isShared: displays[index].raise(selection, by: record)
    default: displays[index][selection] = record
    }
    changes.note(selection, onDisplay: index)
  }

  /// The record of this very selection on this very display.
  func record(_ selection: Selection, on display: Span<UInt8>) -> ClipRecord? {
    displays.first { equal($0.display.span, display) }?[selection]
  }

  /// A record on an unnamed display that may be about this named one, because it came later.
  func unnamedRecord(_ selection: Selection, laterThanOn display: Span<UInt8>) -> ClipRecord? {
    guard !display.isEmpty, let unnamed = displays.first(where: \.display.isEmpty)?[selection] else { return nil }
    guard let named = record(selection, on: display) else { return unnamed }
    return unnamed.order > named.order ? unnamed : nil
  }

  /// What a report about the selection on this display speaks of: its record, and a later one on an unnamed display.
  func reported(_ selection: Selection, on display: Span<UInt8>) -> ClipRecord? {
    let named = record(selection, on: display)
    guard let unnamed = unnamedRecord(selection, laterThanOn: display) else { return named }
    return named.map { .stricter($0, unnamed) } ?? unnamed
  }

  /// What a paste from the selection holds; nil when nobody knows.
  func content(_ selection: Selection, on display: Span<UInt8>) -> ClipRecord? {
    guard selection == .unknown else { return known(selection, on: display) }
    guard let clipboard = known(.clipboard, on: display), let primary = known(.primary, on: display) else { return nil }
    return .stricter(clipboard, primary)
  }

  /// Whose the next drag is nobody knows yet.
  mutating func endDrag(on display: Span<UInt8>) {
    fill(.drag, on: display, with: ClipRecord())
  }

  /// The record that went out with this number; nil when it is not remembered.
  func issued(_ id: ClipID) -> ClipRecord? { issued.first { $0.id == id } }

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

  /// A named display's record, and every later one of another display: two names may mean one seat. For an unnamed
  /// display, and for one that only an unnamed record could speak of, the strictest of all.
  private func known(_ selection: Selection, on display: Span<UInt8>) -> ClipRecord? {
    if display.isEmpty { return strictest(selection, from: 0) }
    if let own = record(selection, on: display) { return strictest(selection, from: own.order) }
    return reported(selection, on: display) == nil ? nil : strictest(selection, from: 0)
  }

  /// The strictest of the records that came at `order` or later.
  private func strictest(_ selection: Selection, from order: UInt64) -> ClipRecord? {
    var result: ClipRecord?
    for display in displays {
      guard let record = display[selection], record.order >= order else { continue }
      result = result.map { .stricter($0, record) } ?? record
    }
    return result
  }

  private mutating func remember(_ record: ClipRecord) {
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

  /// Past the cap, a display counts as one that was not named.
  private mutating func displayIndex(_ display: Span<UInt8>) -> Int {
    if let known = displays.firstIndex(where: { equal($0.display.span, display) }) { return known }
    let isFull = displays.count >= Self.maximumDisplays
    if isFull, let unnamed = displays.firstIndex(where: \.display.isEmpty) { return unnamed }
    let name = isFull ? [] : Array(copying: display)
    displays.append(DisplayClips(display: name))
    return displays.count - 1
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
