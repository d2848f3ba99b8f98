internal import GuardModel
internal import URLRules

/// The viewers of one instance, by name, each with its parent and opener.
package struct ViewerTree: Sendable {
  private var names = ByteTable<Int32>()
  private var slots: [Viewer] = []
  private var free: [Int32] = []
  /// Approximate bytes that they take, ghosts included.
  private(set) var byteCount = 0

  package init() {}

  /// Number of viewers that the app has registered.
  package var count: Int { names.count }

  /// Occupied slots, ghosts included; the cap counts these.
  var occupied: Int { slots.count - free.count }

  /// The indices of registered viewers, up to a maximum number.
  func indices(atMost count: Int) -> [Int32] {
    let registered = slots.indices.lazy.filter { !slots[$0].isVacant && !slots[$0].isGhost }
    return registered.prefix(count).map { Int32($0) }
  }

  func index(of name: Span<UInt8>) -> Int32? { names.value(for: name) }

  func index(of name: String) -> Int32? {
    var copy = name
    return copy.withUTF8 { names.value(for: $0.span) }
  }

  /// A copy is read: behind optional chaining a debug build reads a lent value after its coroutine has ended.
  subscript(index: Int32) -> Viewer {
    get { slots[Int(index)] }
    _modify { yield &slots[Int(index)] }
  }

  mutating func insert(_ viewer: Viewer) -> Int32 {
    byteCount += viewer.byteCount
    let index: Int32
    if let reused = free.popLast() {
      index = reused
      slots[Int(index)] = viewer
    } else {
      index = Int32(slots.count)
      slots.append(viewer)
    }
    names.set(index, for: viewer.name.span)
    retain(viewer.parent)
    retain(viewer.opener)
    return index
  }

  /// Replaces a viewer by one with other texts.
  mutating func replace(_ index: Int32, with viewer: Viewer) {
    byteCount += viewer.byteCount - self[index].byteCount
    self[index] = viewer
  }

  mutating func setParent(_ parent: Int32?, of index: Int32) {
    let old = self[index].parent
    retain(parent)
    self[index].parent = parent
    release(old)
  }

  mutating func setOpener(_ opener: Int32?, of index: Int32) {
    let old = self[index].opener
    retain(opener)
    self[index].opener = opener
    release(old)
  }

  /// Takes the name away. A viewer that others inherit from stays as a ghost until the last of them is gone, so that
  /// closing an opener never loosens its popup.
  mutating func forget(_ index: Int32) {
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
  var liveIndices: some Sequence<Int32> {
    slots.indices.lazy.filter { !slots[$0].isVacant && !slots[$0].isGhost }.map { Int32($0) }
  }

  /// The slots that hold a viewer, ghosts included.
  var occupiedIndices: [Int32] { slots.indices.filter { !slots[$0].isVacant }.map(Int32.init) }

  private mutating func retain(_ index: Int32?) {
    if let index { self[index].dependents += 1 }
  }

  private mutating func release(_ index: Int32?) {
    guard let index else { return }
    self[index].dependents -= 1
    collect(index)
  }

  private mutating func collect(_ start: Int32) {
    var pending = [start]
    while let index = pending.popLast() {
      let viewer = self[index]
      guard viewer.isGhost, viewer.dependents == 0 else { continue }
      byteCount -= viewer.byteCount
      slots[Int(index)] = .vacant
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
  func reaches(_ ancestor: Int32, from index: Int32) -> Bool {
    var seen: Set<Int32> = []
    var pending = [index]
    while let current = pending.popLast() {
      if current == ancestor { return true }
      if seen.insert(current).inserted { pending += above(current) }
    }
    return false
  }

  /// Number of viewers on the longest way up from `index`, itself included.
  func depth(of index: Int32) -> Int {
    var known: [Int32: Int] = [:]
    return depth(of: index, &known)
  }

  /// Number of viewers on the longest way down from `index`, without itself.
  func height(of index: Int32) -> Int {
    guard self[index].dependents > 0 else { return 0 }
    var known: [Int32: Int] = [index: 0]
    return occupiedIndices.map { distance(from: $0, &known) }.max() ?? 0
  }

  private func depth(of index: Int32, _ known: inout [Int32: Int]) -> Int {
    if let depth = known[index] { return depth }
    var depth = 1
    for next in above(index) { depth = max(depth, 1 + self.depth(of: next, &known)) }
    known[index] = depth
    return depth
  }

  /// The longest way from `index` up to the viewer that `known` starts with; negative when none leads there.
  private func distance(from index: Int32, _ known: inout [Int32: Int]) -> Int {
    if let distance = known[index] { return distance }
    var longest = -1
    for next in above(index) {
      let distance = distance(from: next, &known)
      if distance >= 0 { longest = max(longest, distance + 1) }
    }
    known[index] = longest
    return longest
  }

  private func above(_ index: Int32) -> [Int32] { [self[index].parent, self[index].opener].compactMap(\.self) }
}
