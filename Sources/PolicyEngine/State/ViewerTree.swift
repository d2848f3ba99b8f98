internal import GuardModel
internal import URLRules

/// The place of a viewer among those of its instance.
struct ViewerIndex: Sendable, Hashable {
  let place: Int32
  init(_ place: Int) { self.place = Int32(place) }
  init(place: Int32) { self.place = place }
}

/// The viewers of one instance, by name, each with its parent and opener.
package struct ViewerTree: Sendable {
  private var names = ByteTable<Int32>()
  private var slots: [Viewer] = []
  private var free: [ViewerIndex] = []
  /// Approximate bytes that they take, ghosts included.
  private(set) var byteCount = 0

  package init() {}

  /// Number of viewers that the app has registered.
  package var count: Int { names.count }

  /// Occupied slots, ghosts included; the cap counts these.
  var occupied: Int { slots.count - free.count }

  /// The indices of registered viewers, up to a maximum number.
  func indices(atMost count: Int) -> [ViewerIndex] {
    let registered = slots.indices.lazy.filter { !slots[$0].isVacant && !slots[$0].isGhost }
    return registered.prefix(count).map(ViewerIndex.init)
  }

  func index(of name: Span<UInt8>) -> ViewerIndex? {
    names.value(for: name).map(ViewerIndex.init(place:))
  }

  func index(of name: String) -> ViewerIndex? {
    var copy = name
    return copy.withUTF8 { index(of: $0.span) }
  }

  /// A copy is read: behind optional chaining a debug build reads a lent value after its coroutine has ended.
  subscript(index: ViewerIndex) -> Viewer {
    get { slots[Int(index.place)] }
    _modify { yield &slots[Int(index.place)] }
  }

  mutating func insert(_ viewer: Viewer) -> ViewerIndex {
    byteCount += viewer.byteCount
    let index: ViewerIndex
    if let reused = free.popLast() {
      index = reused
      slots[Int(index.place)] = viewer
    } else {
      index = ViewerIndex(slots.count)
      slots.append(viewer)
    }
    names.set(index.place, for: viewer.name.span)
    retain(viewer.parent)
    retain(viewer.opener)
    return index
  }

  /// Replaces a viewer by one with other texts.
  mutating func replace(_ index: ViewerIndex, with viewer: Viewer) {
    byteCount += viewer.byteCount - self[index].byteCount
    self[index] = viewer
  }

  mutating func setParent(_ parent: ViewerIndex?, of index: ViewerIndex) {
    let old = self[index].parent
    retain(parent)
    self[index].parent = parent
    release(old)
  }

  mutating func setOpener(_ opener: ViewerIndex?, of index: ViewerIndex) {
    let old = self[index].opener
    retain(opener)
    self[index].opener = opener
    release(old)
  }

  /// Takes the name away. A viewer that others inherit from stays as a ghost until the last of them is gone, so that
  /// closing an opener never loosens its popup.
  mutating func forget(_ index: ViewerIndex) {
    let name = self[index].name
    names.remove(name.span)
    self[index].isGhost = true
    collect(index)
  }

  /// Every viewer, ghosts included, may be changed in place.
  mutating func updateAll(_ body: (inout Viewer) -> Void) {
    for index in slots.indices where !slots[index].isVacant { body(&slots[index]) }
  }

  /// The slots that hold a viewer the app still has registered.
  var liveIndices: some Sequence<ViewerIndex> {
    slots.indices.lazy.filter { !slots[$0].isVacant && !slots[$0].isGhost }.map(ViewerIndex.init)
  }

  /// The slots that hold a viewer, ghosts included.
  var occupiedIndices: [ViewerIndex] { slots.indices.filter { !slots[$0].isVacant }.map(ViewerIndex.init) }

  private mutating func retain(_ index: ViewerIndex?) {
    if let index { self[index].dependents += 1 }
  }

  private mutating func release(_ index: ViewerIndex?) {
    guard let index else { return }
    self[index].dependents -= 1
    collect(index)
  }

  private mutating func collect(_ start: ViewerIndex) {
    var pending = [start]
    while let index = pending.popLast() {
      let viewer = self[index]
      guard viewer.isGhost, viewer.dependents == 0 else { continue }
      byteCount -= viewer.byteCount
      slots[Int(index.place)] = .vacant
      free.append(index)
      for above in [viewer.parent, viewer.opener] {
        guard let above else { continue }
        self[above].dependents -= 1
        pending.append(above)
      }
    }
  }
}

/// How viewers lie above each other, by parents and openers alike: an opener that a parent hides today still gives its
/// rules, so neither kind of link may lead in a circle.
extension ViewerTree {
  /// Whether `ancestor` is `index` or somewhere above it.
  func reaches(_ ancestor: ViewerIndex, from index: ViewerIndex) -> Bool {
    var seen: Set<ViewerIndex> = []
    var pending = [index]
    while let current = pending.popLast() {
      if current == ancestor { return true }
      if seen.insert(current).inserted { pending += above(current) }
    }
    return false
  }

  /// Number of viewers on the longest way up from `index`, itself included.
  func depth(of index: ViewerIndex) -> Int {
    var known: [ViewerIndex: Int] = [:]
    return depth(of: index, &known)
  }

  /// Number of viewers on the longest way down from `index`, without itself.
  func height(of index: ViewerIndex) -> Int {
    guard self[index].dependents > 0 else { return 0 }
    var known: [ViewerIndex: Int] = [index: 0]
    return occupiedIndices.map { distance(from: $0, &known) }.max() ?? 0
  }

  private func depth(of index: ViewerIndex, _ known: inout [ViewerIndex: Int]) -> Int {
    if let depth = known[index] { return depth }
    var depth = 1
    for next in above(index) { depth = max(depth, 1 + self.depth(of: next, &known)) }
    known[index] = depth
    return depth
  }

  /// The longest way from `index` up to the viewer that `known` starts with; negative when none leads there.
  private func distance(from index: ViewerIndex, _ known: inout [ViewerIndex: Int]) -> Int {
    if let distance = known[index] { return distance }
    var longest = -1
    for next in above(index) {
      let distance = distance(from: next, &known)
      if distance >= 0 { longest = max(longest, distance + 1) }
    }
    known[index] = longest
    return longest
  }

  private func above(_ index: ViewerIndex) -> [ViewerIndex] {
    [self[index].parent, self[index].opener].compactMap(\.self)
  }
}
