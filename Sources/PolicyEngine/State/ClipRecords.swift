internal import GuardModel

/// What is known of one filling of a selection.
struct ClipRecord: Sendable, Hashable {
  var owner = ClipOwner.unknownManaged
  /// Which app filled it; nil when no guarded app did.
  var appNumber: Int32?
  var instance: InstanceID?
  /// Two instances may hold it; nobody knows which, so neither's word that it lost the selection counts.
  var hasSeveralHolders = false
  /// Unicode scalars; nil when not known.
  var length: Int?
  var id: ClipID?
  /// A `Copy` was answered and its echo, a `ClipboardChanged` of the same instance, has not come yet.
  var awaitsEcho = false
  /// In which page it was copied; nil where that is not known, or not any more.
  var place: CopyPlace?
  /// Order of recording within the user.
  var order: UInt64 = 0
}

/// The selections of one display.
struct DisplayClips: Sendable {
  /// Empty for a display that the app did not name.
  var display: [UInt8]
  var clipboard: ClipRecord?
  var primary: ClipRecord?
  var drag: ClipRecord?

  subscript(selection: Selection) -> ClipRecord? {
    get {
      switch selection {
      case .clipboard, .unknown: clipboard
      case .primary: primary
      case .drag: drag
      }
    }
    set {
      switch selection {
      case .clipboard, .unknown: clipboard = newValue
      case .primary: primary = newValue
      case .drag: drag = newValue
      }
    }
  }
}

extension DisplayClips {
  /// Something that may or may not have filled the selection only ever raises its protection.
  mutating func raise(_ selection: Selection, by record: ClipRecord) {
    self[selection] = .stricter(record, self[selection] ?? ClipRecord())
  }
}

extension ClipRecord {
  /// The stricter of two: an unknown managed owner beats an account, an account beats nobody, and two different accounts
  /// make an unknown one.
  static func stricter(_ left: ClipRecord, _ right: ClipRecord) -> ClipRecord {
    switch (left.owner, right.owner) {
    case (.unmanaged, .unmanaged), (.unknownManaged, .unknownManaged): merged(left, right, left.owner)
    case (.account(let one), .account(let other)): merged(left, right, one == other ? left.owner : .unknownManaged)
    case (.unmanaged, _): right
    case (_, .unmanaged): left
    default: merged(left, right, .unknownManaged)
    }
  }

  private static func merged(_ left: ClipRecord, _ right: ClipRecord, _ owner: ClipOwner) -> ClipRecord {
    var result = left
    result.owner = owner
    if left.appNumber != right.appNumber { result.appNumber = nil }
    result.hasSeveralHolders = left.hasSeveralHolders || right.hasSeveralHolders || left.instance != right.instance
    if left.place != right.place { result.place = nil }
    result.length = longer(left.length, right.length)
    result.order = max(left.order, right.order)
    return result
  }

  /// The longer of two lengths; missing when one is, or when one is of no text at all and so qualifies for nothing.
  private static func longer(_ left: Int?, _ right: Int?) -> Int? {
    guard let left, let right, min(left, right) >= 1 else { return nil }
    return max(left, right)
  }
}
