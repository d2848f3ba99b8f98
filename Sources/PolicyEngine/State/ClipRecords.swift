internal import GuardModel

/// The known facts about one filling of a selection.
struct ClipRecord: Sendable, Hashable {
  /// Its owner under the policy in force, except for facts that only a question can tell; see `GuardState.owner(of:)`.
  var owner = ClipOwner.unknownManaged
  /// It was unmanaged when it was recorded, and a later policy binds its account: without that policy it is free again.
  var wasUnmanaged = false
  /// Its account, managed or not: a policy that comes later may bind it, or free it.
  var account: AccountID?
  /// The app that filled it; nil when no guarded app did.
  var appNumber: AppNumber?
  var instance: InstanceID?
  /// Two instances may hold it and the daemon cannot tell which, so neither's word that it lost the selection counts.
  var hasSeveralHolders = false
  /// Its holder said that it lost the selection, or has ended.
  var isLost = false
  /// A program saw a text of another length there, and its holder has not said that it lost the selection.
  var isDoubted = false
  /// Unicode scalars; nil when not known.
  var length: Int?
  var formats: ClipFormats = []
  var id: ClipID?
  /// The next word of its own program that it lost the selection may be older than the copy.
  var awaitsEcho = false
  /// The page where it was copied; nil if that is not known, or no longer.
  var place: CopyPlace?
  /// Order of recording, over all users.
  var order: UInt64 = 0
  /// Anything recorded before this, on other displays as well, is gone.
  var since: UInt64 = 0
}

extension ClipRecord {
  /// The stricter of two: an unknown managed owner beats an account, an account beats no account, and two different
  /// accounts make an unknown one.
  static func stricter(_ left: ClipRecord, _ right: ClipRecord) -> ClipRecord {
    switch (left.owner, right.owner) {
    case (.unmanaged, .unmanaged), (.unknownManaged, .unknownManaged): merged(left, right, left.owner)
    case (.account(let one), .account(let other)): merged(left, right, one == other ? left.owner : .unknownManaged)
    case (.unmanaged, _): right
    case (_, .unmanaged): left
    default: merged(left, right, .unknownManaged)
    }
  }

  /// Whether this one is stricter than the other: counting it for the other as well would raise the protection.
  func raises(_ other: ClipRecord) -> Bool { ClipOwner.stricter(owner, other.owner) != other.owner }

  private static func merged(_ left: ClipRecord, _ right: ClipRecord, _ owner: ClipOwner) -> ClipRecord {
    var result = left
    result.owner = owner
    result.account = left.account ?? right.account
    result.wasUnmanaged = left.wasUnmanaged && right.wasUnmanaged
    if left.appNumber != right.appNumber { result.appNumber = nil }
    result.hasSeveralHolders = left.hasSeveralHolders || right.hasSeveralHolders || left.instance != right.instance
    if left.place != right.place { result.place = nil }
    result.isLost = left.isLost && right.isLost
    result.isDoubted = left.isDoubted && right.isDoubted
    result.length = longer(left.length, right.length)
    result.formats = left.formats.isEmpty || right.formats.isEmpty ? [] : left.formats.union(right.formats)
    result.order = max(left.order, right.order)
    result.since = min(left.since, right.since)
    return result
  }

  /// The longer of two lengths; missing when one is missing, or when one is not a text and so qualifies for nothing.
  private static func longer(_ left: Int?, _ right: Int?) -> Int? {
    guard let left, let right, min(left, right) >= 1 else { return nil }
    return max(left, right)
  }
}

/// The kinds of data that a clip offers, as far as its MIME types tell; empty when the app named none.
struct ClipFormats: OptionSet, Sendable, Hashable {
  let rawValue: UInt8

  static let plainText = ClipFormats(rawValue: 1)
  static let otherText = ClipFormats(rawValue: 2)
  static let image = ClipFormats(rawValue: 4)
  static let other = ClipFormats(rawValue: 8)

  /// The kinds among these types, separated by commas: `text/html,image/png` is other text and an image.
  init(types: Span<UInt8>) {
    var found: ClipFormats = []
    var start = 0
    for end in 0...types.count where end == types.count || types[end] == UInt8(ascii: ",") {
      found.formUnion(Self.kind(of: types.extracting(start..<end)))
      start = end + 1
    }
    self = found
  }

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Whether data of these kinds may be the data described by those kinds. Unnamed kinds fit all.
  func mayBe(_ others: ClipFormats) -> Bool { isEmpty || others.isEmpty || !isDisjoint(with: others) }

  private static func kind(of type: Span<UInt8>) -> ClipFormats {
    if starts(type, with: "text/plain") { return .plainText }
    if starts(type, with: "text/") { return .otherText }
    return starts(type, with: "image/") ? .image : .other
  }

  private static func starts(_ type: Span<UInt8>, with prefix: StaticString) -> Bool {
    guard type.count >= prefix.utf8CodeUnitCount else { return false }
    return prefix.withUTF8Buffer { prefix in prefix.indices.allSatisfy { type[$0] | 0x20 == prefix[$0] | 0x20 } }
  }
}

/// The content that a `Copy` announced for a selection.
struct ClipProposal: Sendable, Hashable {
  var record: ClipRecord
  let id: ProposalID
  /// When it was asked, in milliseconds since 1970.
  let time: UInt64
  /// Its program reports each change that it makes.
  let hasEcho: Bool
  var isDrag = false

  /// The same program started the older one with the same owner's data.
  func isAgain(_ older: ClipProposal) -> Bool { record.instance == older.record.instance && hasSameOwner(as: older) }

  private func hasSameOwner(as other: ClipProposal) -> Bool {
    record.owner == other.record.owner && record.account == other.record.account
  }

  /// This drag counts as an older one, too: several owners become an unknown one. If they are of several programs, none
  /// of these can report the end of both.
  mutating func takeOver(_ older: ClipProposal) {
    let isOfOneOwner = hasSameOwner(as: older)
    let new = record
    record = .stricter(older.record, new)
    if !isOfOneOwner { record.owner = .unknownManaged }
    record.instance = new.instance == older.record.instance ? new.instance : nil
    (record.id, record.order, record.since) = (new.id, new.order, min(new.since, older.record.since))
  }

  /// Its program has not told the end of this drag.
  func isForgotten(at now: UInt64) -> Bool { now >= time &+ SelectionClips.dragTime }

  /// Whether its echo should have come.
  func isOver(at now: UInt64) -> Bool { hasEcho && !isDrag && now >= time &+ SelectionClips.echoTime }
}

/// The parts of one user's clips that are not written down yet: a bit for each, so that noting a change allocates
/// nothing.
struct ClipChanges: Sendable, Hashable {
  private var selections: UInt64 = 0
  private var slots = SIMD4<UInt64>()
  private(set) var budgetChanged = false

  var isEmpty: Bool { selections == 0 && slots == SIMD4() && !budgetChanged }

  mutating func note(_ selection: Selection, onDisplay index: Int) { selections |= Self.bit(selection, index) }

  /// Slot of a clip that went out with a number.
  mutating func note(slot: Int) { slots[slot / 64] |= 1 << UInt64(slot % 64) }

  mutating func noteBudget() { budgetChanged = true }

  func contains(_ selection: Selection, onDisplay index: Int) -> Bool { selections & Self.bit(selection, index) != 0 }

  func contains(slot: Int) -> Bool { slots[slot / 64] & 1 << UInt64(slot % 64) != 0 }

  /// Three bits a display; `unknown` is written as the two that it raises.
  private static func bit(_ selection: Selection, _ display: Int) -> UInt64 {
    let offset: UInt64 =
      switch selection {
      case .clipboard, .unknown: 0
      case .primary: 1
      case .drag: 2
      }
    return 1 << (UInt64(display) * 3 + offset)
  }
}
