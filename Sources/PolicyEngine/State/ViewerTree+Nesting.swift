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

  /// How many viewers lie on the longest way up from `index`, itself included.
  func depth(of index: Int32) -> Int {
    var known: [Int32: Int] = [:]
    return depth(of: index, &known)
  }

  /// How many viewers lie on the longest way down from `index`, without itself.
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
