internal import GuardModel

/// What is written down of one filling of a selection. As it stands: nobody knows anything.
struct ModelClip {
  var owner = ModelOwner.unknownManaged
  /// Its account, managed or not.
  var account: String?
  /// The instances that may have filled it; none when no guarded app did.
  var holders: [Int] = []
  /// Records of two origins were taken together, or its program is not known.
  var isContested = false
  /// Its program said that it lost the selection, or ended.
  var isLost = false
  /// Somebody saw a text of another length.
  var isDoubted = false
  /// nil when no guarded app, or none for certain, filled it.
  var app: String?
  var length: Int?
  var id: ClipID?
  var awaitsEcho = false
  /// In which page it was copied; nil where nobody knows.
  var place: ModelCopyPlace?
  var order = 0
  /// All that was there before this, on whatever display, is gone.
  var since = 0

  var firstHolder: Int? { holders.first }

  /// Unknown beats a managed account, an account beats unmanaged; two accounts make an unknown one.
  static func stricter(_ left: ModelClip, _ right: ModelClip) -> ModelClip {
    if left.owner == .unmanaged, right.owner != .unmanaged { return right }
    if right.owner == .unmanaged, left.owner != .unmanaged { return left }
    var both = left
    if left.owner != right.owner { both.owner = .unknownManaged }
    both.account = left.account ?? right.account
    if left.holders != right.holders || right.isContested { both.isContested = true }
    both.isLost = left.isLost && right.isLost
    both.isDoubted = left.isDoubted && right.isDoubted
    if left.app != right.app { both.app = nil }
    if left.place != right.place { both.place = nil }
    // Either may be it: the exception holds only where it holds of both.
    let lengths = [left.length, right.length].compactMap(\.self).filter { $0 >= 1 }
    both.length = lengths.count == 2 ? lengths.max() : nil
    both.order = max(left.order, right.order)
    both.since = min(left.since, right.since)
    return both
  }

  func isStricter(than other: ModelClip) -> Bool {
    if owner == other.owner || owner == .unmanaged { return false }
    return other.owner != .unknownManaged
  }

  func of(_ owner: ModelOwner) -> ModelClip {
    var copy = self
    copy.owner = owner
    return copy
  }

  func isOfOwner(of other: ModelClip) -> Bool { owner == other.owner && account == other.account }

  /// Certainly no text of this length.
  func differs(from length: Int?) -> Bool {
    guard let own = self.length, let length else { return false }
    return own != length
  }
}

/// A copy that was asked for.
struct ModelCopy {
  var clip: ModelClip
  /// Which one, of all that were asked for.
  var number: Int
  var time: UInt64
  /// Its app tells when it happened.
  var tells: Bool

  /// This drag stands for an older one, too: of two apps, neither can say that both have ended.
  mutating func takeOver(_ older: ModelCopy) {
    let new = clip
    clip = .stricter(older.clip, new)
    if !new.isOfOwner(of: older.clip) { clip.owner = .unknownManaged }
    clip.holders = new.holders == older.clip.holders ? new.holders : []
    (clip.id, clip.order, clip.since) = (new.id, new.order, min(new.since, older.clip.since))
  }
}

/// One selection of one display: what was seen to fill it, and what was asked for since. Of a drag: those that go on.
struct ModelSelection {
  var seen: ModelClip?
  var asked: [ModelCopy] = []

  func since(isDrag: Bool) -> Int { seen?.since ?? (isDrag ? asked.first?.clip.since : nil) ?? 0 }

  /// One that its app tells nothing of may be taken for seen, and still be asked for.
  var all: [ModelClip] { [seen].compactMap(\.self) + asked.map(\.clip).filter { $0.order != seen?.order } }

  /// Ten seconds without an echo: what would lower is dropped, what would raise is taken for seen.
  mutating func wait(until now: UInt64) {
    for copy in asked where copy.tells && now >= copy.time + 10_000 {
      if seen == nil || copy.clip.isStricter(than: seen ?? copy.clip) { raise(copy.clip) }
    }
    asked.removeAll { $0.tells && now >= $0.time + 10_000 }
  }

  mutating func raise(_ clip: ModelClip) {
    if let old = seen {
      seen = .stricter(old, clip)
      seen?.since = old.since
      if old.owner != .unmanaged, clip.owner != .unmanaged, old.length != clip.length { seen?.length = nil }
    } else if clip.owner != .unmanaged {
      seen = clip.of(.unknownManaged)
    }
  }

  mutating func ask(_ copy: ModelCopy, canLower: Bool) {
    wait(until: copy.time)
    if !copy.tells {
      let raises = seen?.owner == .unmanaged && copy.clip.owner != .unmanaged
      let isFree = seen?.owner == .unmanaged && copy.clip.owner == .unmanaged
      let isSame = isFree && (seen?.account == nil || seen?.account == copy.clip.account)
      if raises || canLower && (seen == nil || isSame) {
        let since = seen?.since ?? 0
        seen = copy.clip
        seen?.since = since
      }
    }
    add(copy, isDrag: false)
  }

  mutating func add(_ copy: ModelCopy, isDrag: Bool) {
    asked.append(copy)
    guard asked.count > 8 else { return }
    let first = asked.removeFirst()
    let isOne = asked.allSatisfy { $0.clip.owner == first.clip.owner }
    if isDrag {
      asked[0].takeOver(first)
    } else if isOne, seen?.owner == first.clip.owner {
      let since = seen?.since ?? 0
      if !first.tells { seen = first.clip }
      seen?.since = since
    } else {
      let isOther = seen?.firstHolder != first.clip.firstHolder && first.clip.owner != .unmanaged
      seen = (seen ?? first.clip).of(.unknownManaged)
      if isOther { seen?.isContested = true }
    }
  }

  /// The echo: what was asked before it is over, but for other apps' copies that are stricter.
  mutating func happen(_ index: Int, length: Int?, order: Int) {
    var clip = asked[index].clip
    clip.length = length ?? clip.length
    let stays = asked[..<index].filter { $0.tells && $0.clip.holders != clip.holders && $0.clip.isStricter(than: clip) }
    asked = stays + asked[(index + 1)...]
    see(clip, order: order)
  }

  mutating func see(_ clip: ModelClip, order: Int) {
    seen = clip
    seen?.awaitsEcho = false
    seen?.isDoubted = false
    seen?.order = order
    seen?.since = order
  }

  /// A report without a name: equal lengths, which the record has not, where it is stricter.
  func echo(of length: Int?, by instance: Int) -> Int? {
    let same = asked.indices.filter { asked[$0].clip.firstHolder == instance && asked[$0].clip.length == length }
    guard length != nil, let last = same.last, Set(same.map { asked[$0].clip.owner }).count == 1 else { return nil }
    guard let seen, seen.isStricter(than: asked[last].clip) else { return last }
    return seen.differs(from: length) ? last : nil
  }

  /// The copies of apps that tell nothing, shown by their length to have happened.
  func shown(by length: Int) -> [ModelClip] {
    asked.filter { !$0.tells && $0.clip.length == length }.map(\.clip)
  }
}

/// One user's selections, by display; the display `""` is one that the app did not name.
struct ClipBook {
  private var selections: [String: ModelSelection] = [:]
  private var displays: [String] = []
  var issued: [ClipID: ModelClip] = [:]
  private var minute: UInt64 = 0
  private var spent = 0

  /// An unknown selection is one of two, so that it may only be raised.
  mutating func change(
    _ selection: Selection, _ display: String, _ body: (inout ModelSelection, _ canLower: Bool) -> Void
  ) {
    if !displays.contains(display) { displays.append(display) }
    for one in selection == .unknown ? [.clipboard, .primary] : [selection] {
      body(&selections[key(one, display), default: ModelSelection()], selection != .unknown)
    }
  }

  mutating func changeAll(_ chosen: [Selection], _ body: (inout ModelSelection) -> Void) {
    for display in displays {
      for selection in chosen {
        if selections[key(selection, display)] != nil {
          body(&selections[key(selection, display), default: ModelSelection()])
        }
      }
    }
  }

  func told(_ selection: Selection, _ display: String) -> ModelSelection? {
    guard let told = selections[key(selection == .unknown ? .clipboard : selection, display)], !told.all.isEmpty else {
      return nil
    }
    return told
  }

  /// What an app said of an unnamed display, later than anything that was seen on this one.
  func unnamed(_ selection: Selection, _ display: String) -> ModelSelection? {
    guard !display.isEmpty, let unnamed = told(selection, "") else { return nil }
    guard let own = told(selection, display)?.seen else { return unnamed }
    return (unnamed.all.map(\.order).max() ?? 0) > own.since ? unnamed : nil
  }

  /// Every copy that somebody asked for of such a selection, wherever.
  func asked(_ selection: Selection) -> [ModelCopy] {
    displays.flatMap { display in
      (selection == .unknown ? [.clipboard, .primary] : [selection]).flatMap {
        selections[key($0, display)]?.asked ?? []
      }
    }
  }

  /// A copy of an app that tells nothing, shown by its length to have happened: nothing stricter that counts has it.
  func shown(_ selection: Selection, _ display: String, by length: Int?) -> ModelClip? {
    guard let length, selection != .unknown, selection != .drag else { return nil }
    let own = told(selection, display)
    let all = [own, unnamed(selection, display)].flatMap { $0?.shown(by: length) ?? [] }
    let managed = all.filter { $0.owner != .unmanaged }
    guard let clip = (managed.isEmpty ? all : managed).max(by: { $0.order < $1.order }) else { return nil }
    let since = display.isEmpty ? 0 : own?.seen?.since ?? 0
    if clip.order < since { return nil }
    let rivals = displays.flatMap { other in
      (told(selection, other)?.all ?? []).filter { $0.order >= since || other == display }
    }
    let isUnclear = rivals.contains {
      $0.owner != .unmanaged && $0.order != clip.order && !$0.differs(from: length)
    }
    return isUnclear ? nil : clip
  }

  /// A managed clip of another display that counts here, and may be the text that is seen.
  func mayBeElsewhere(_ selection: Selection, _ display: String, _ length: Int?) -> Bool {
    let since = told(selection, display)?.since(isDrag: selection == .drag) ?? 0
    let others = displays.filter { other in
      other != display && (other.isEmpty || display.isEmpty || other.hasPrefix(":") != display.hasPrefix(":"))
    }
    return others.flatMap { told(selection, $0)?.all ?? [] }.contains {
      $0.order >= since && $0.owner != .unmanaged && !$0.differs(from: length)
    }
  }

  /// What a paste takes; nil when nobody knows. Of an unknown selection, the strictest of both.
  func content(_ selection: Selection, _ display: String, _ owner: (ModelClip) -> ModelOwner) -> ModelClip? {
    guard selection == .unknown else { return certain(selection, display, owner) }
    guard let one = certain(.clipboard, display, owner), let other = certain(.primary, display, owner) else {
      return nil
    }
    return .stricter(one, other)
  }

  /// Of a named display its own and all later ones, since two names may mean one seat; else the strictest of all.
  private func certain(
    _ selection: Selection, _ display: String, _ owner: (ModelClip) -> ModelOwner
  ) -> ModelClip? {
    let known = displays.filter { isKnown($0, selection) }
    var since = 0
    if display.isEmpty {
      if known.isEmpty { return nil }
    } else if known.contains(display) {
      since = told(selection, display)?.since(isDrag: selection == .drag) ?? 0
    } else if unnamed(selection, display) == nil || !known.contains("") {
      return nil
    }
    return Self.strictest(
      displays.flatMap { other in
        let clips = told(selection, other)?.all ?? []
        return clips.filter { $0.order >= since || other == display }.map { $0.of(owner($0)) }
      })
  }

  private static func strictest(_ clips: [ModelClip]) -> ModelClip? {
    guard var result = clips.first else { return nil }
    for clip in clips.dropFirst() { result = ModelClip.stricter(result, clip) }
    return result
  }

  private func isKnown(_ display: String, _ selection: Selection) -> Bool {
    guard let told = told(selection, display) else { return false }
    return told.seen != nil || selection == .drag
  }

  /// Takes from the minute's budget; false when it does not suffice.
  mutating func spend(_ scalars: Int, _ budget: Int?, _ now: UInt64) -> Bool {
    guard let budget else { return true }
    if now > minute { (minute, spent) = (now, 0) }
    guard spent + scalars <= budget else { return false }
    spent += scalars
    return true
  }

  private func key(_ selection: Selection, _ display: String) -> String { "\(selection.name)|\(display)" }
}
