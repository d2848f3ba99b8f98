internal import GuardModel

/// What is written down of one filling of a selection. As it stands: nobody knows anything.
struct ModelClip {
  var owner = ModelOwner.unknownManaged
  /// The instances that may have filled it; none when no guarded app did.
  var holders: [Int] = []
  /// Records of two origins were taken together.
  var isContested = false
  /// nil when no guarded app, or none for certain, filled it.
  var app: String?
  var length: Int?
  var id: ClipID?
  var awaitsEcho = false
  /// In which page it was copied; nil where nobody knows.
  var place: ModelCopyPlace?
  var order = 0

  var firstHolder: Int? { holders.first }

  /// Unknown beats a managed account, an account beats unmanaged; two accounts make an unknown one.
  static func stricter(_ left: ModelClip, _ right: ModelClip) -> ModelClip {
    if left.owner == .unmanaged, right.owner != .unmanaged { return right }
    if right.owner == .unmanaged, left.owner != .unmanaged { return left }
    var both = left
    if left.owner != right.owner { both.owner = .unknownManaged }
    if left.holders != right.holders || right.isContested { both.isContested = true }
    if left.app != right.app { both.app = nil }
    if left.place != right.place { both.place = nil }
    // Either may be it: the exception holds only where it holds of both.
    let lengths = [left.length, right.length].compactMap(\.self).filter { $0 >= 1 }
    both.length = lengths.count == 2 ? lengths.max() : nil
    both.order = max(left.order, right.order)
    return both
  }
}

/// One user's selections, by display; the display `""` is one that the app did not name.
struct ClipBook {
  private var clips: [String: ModelClip] = [:]
  private var displays: [String] = []
  private(set) var issued: [ClipID: ModelClip] = [:]
  private var order = 0
  private var minute: UInt64 = 0
  private var spent = 0

  /// An unknown selection is one of two, so it raises both.
  mutating func write(_ clip: ModelClip, _ selection: Selection, _ display: String) {
    order += 1
    var clip = clip
    clip.order = order
    if let id = clip.id { issued[id] = clip }
    if !displays.contains(display) { displays.append(display) }
    guard selection == .unknown else {
      clips[key(selection, display)] = clip
      return
    }
    for either in [Selection.clipboard, .primary] {
      clips[key(either, display)] = .stricter(clip, clips[key(either, display)] ?? ModelClip())
    }
  }

  /// Whose the next drag is nobody knows yet.
  mutating func endDrag(_ display: String) { write(ModelClip(), .drag, display) }

  /// What a paste takes; nil when nobody knows. Of an unknown selection, the strictest of both.
  func content(_ selection: Selection, _ display: String) -> ModelClip? {
    guard selection == .unknown else { return certain(selection, display) }
    guard let one = certain(.clipboard, display), let other = certain(.primary, display) else { return nil }
    return .stricter(one, other)
  }

  /// Of a named display its own and all later ones; of another display the strictest of all.
  private func certain(_ selection: Selection, _ display: String) -> ModelClip? {
    // Two names may mean one seat, so later records of other displays count as well.
    let own = display.isEmpty ? nil : clips[key(selection, display)]
    if !display.isEmpty, own == nil, told(selection, display).isEmpty { return nil }
    let all = displays.compactMap { clips[key(selection, $0)] }.filter { $0.order >= own?.order ?? 0 }
    guard let first = all.first else { return nil }
    return all.dropFirst().reduce(first) { .stricter($0, $1) }
  }

  /// The records that a report about a selection may speak of, the later one last.
  func told(_ selection: Selection, _ display: String) -> [ModelClip] {
    let selection = selection == .unknown ? .clipboard : selection
    let own = clips[key(selection, display)]
    guard !display.isEmpty, let unnamed = clips[key(selection, "")] else { return [own].compactMap(\.self) }
    guard let own else { return [unnamed] }
    return unnamed.order > own.order ? [own, unnamed] : [own]
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
