/// The cost of a search with a pattern beyond the steps that PCRE2 counts.
///
///     RegexScan(RegexShape("[a-z]+[0-9]"))       // letters from every letter on
///     RegexScan(RegexShape("^https://[^/]+"))    // nil: it begins at one place only
///
/// The attack: PCRE2 counts the places that it may have to go back to, and begins to count anew at every place of the
/// text. `[a-z]+[0-9]` never goes back within its letters, but it runs through all that follow from each of 65,000
/// letters on: 2.5 s for one URL, and nothing was counted.
///
/// It bounds natural patterns. One that is not read in full is taken for one run to the end from every place.
struct RegexScan: Sendable {
  /// The beginning of every match; empty when that is not certain.
  private var lead: [ByteSet] = []
  /// For each run after the first the bytes directly before it; empty when they may be any.
  private var gaps: [[ByteSet]] = []
  /// Every byte that a run may take.
  private var repeated = ByteSet()
  /// Maximum number of runs of one try, where `gaps` does not say it.
  private var runs = 0

  /// Runs of at most so many bytes are taken for single bytes.
  private static let shortRun = 16
  /// A longer lead tells no more.
  private static let longestLead = 8

  /// Nil for a pattern that begins at one place only, or that has no runs.
  init?(_ shape: RegexShape) {
    if shape.isUnusual {
      repeated = .all
      runs = 1
      return
    }
    guard !shape.branches.allSatisfy(Self.beginsOnce) else { return nil }
    if let items = Self.flat(shape.branches) {
      read(items)
    } else {
      lead = Self.firstBytes(shape.branches).map { [$0] } ?? []
      count(shape.branches, isRepeated: false)
    }
    guard runs > 0 else { return nil }
  }

  /// `^`, or `.*`, which PCRE2 tries at the beginning of lines only.
  private static func beginsOnce(_ items: [RegexItem]) -> Bool {
    guard let first = items.first(where: { $0.node != .option }) else { return false }
    return first.node == .start || first.node == .bytes(.all) && first.times == RegexRepeat(least: 0, most: nil)
  }

  private static func isRun(_ times: RegexRepeat) -> Bool { times.most.map { $0 > shortRun } ?? true }

  /// The items of a pattern without alternatives and repeated groups, plain groups opened; nil for every other.
  private static func flat(_ branches: [[RegexItem]]) -> [RegexItem]? {
    guard branches.count == 1 else { return nil }
    var items: [RegexItem] = []
    for item in branches[0] {
      guard case .group(let inner) = item.node else {
        items.append(item)
        continue
      }
      guard item.times == .once, let opened = flat(inner) else { return nil }
      items += opened
    }
    return items
  }

  /// The bytes that any of the branches may begin with; nil when one may begin otherwise.
  private static func firstBytes(_ branches: [[RegexItem]]) -> ByteSet? {
    var bytes = ByteSet()
    for branch in branches {
      guard let first = branch.first(where: { !$0.isCondition && $0.node != .option }), first.times.least > 0 else {
        return nil
      }
      switch first.node {
      case .bytes(let set): bytes = bytes.union(set)
      case .group(let inner):
        guard let inside = firstBytes(inner) else { return nil }
        bytes = bytes.union(inside)
      case .start, .end, .condition, .option: return nil
      }
    }
    return bytes
  }
}

// Reading a pattern.
extension RegexScan {
  private mutating func read(_ items: [RegexItem]) {
    var gap: [ByteSet] = []
    var isLeading = true
    var last: ByteSet?
    for item in items {
      guard case .bytes(let set) = item.node else { continue }
      if isLeading, item.times.least > 0, lead.count < Self.longestLead { lead.append(set) }
      isLeading = isLeading && item.times == .once
      if Self.isRun(item.times) {
        if let last, !gap.isEmpty || !last.isDisjoint(with: set) { gaps.append(gap) }
        repeated = repeated.union(set)
        runs += 1
        last = set
        gap = []
      } else if item.times == .once {
        gap = gap.suffix(Self.longestLead - 1) + [set]
      } else {
        gap = item.times.least > 0 ? [set] : []
      }
    }
  }

  /// Counts runs in groups; a group that is repeated may make them all over the text.
  private mutating func count(_ branches: [[RegexItem]], isRepeated: Bool) {
    for item in branches.joined() {
      switch item.node {
      case .bytes(let set) where Self.isRun(item.times):
        repeated = repeated.union(set)
        runs = isRepeated ? .max / 2 : runs + 1
      case .group(let inner): count(inner, isRepeated: isRepeated || Self.isRun(item.times))
      case .bytes, .start, .end, .condition, .option: break
      }
      runs = min(runs, .max / 2)
    }
  }
}

// Asking for the cost.
extension RegexScan {
  /// Number of bytes that are looked at to work out the cost.
  func effort(textBytes: Int) -> Int { (2 + gaps.count) * textBytes }

  /// Maximum number of bytes that PCRE2 looks at when it goes back at most `limit` times from each place.
  func cost(of text: Span<UInt8>, limit: Int) -> Int {
    let longest = longestRun(in: text)
    let starts = lead.isEmpty ? text.count : occurrences(of: lead, in: text)
    guard !gaps.isEmpty else { return starts * (runs >= text.count ? text.count : min(text.count, runs * longest)) }
    var tries = 1
    var bytes = longest
    for gap in gaps {
      tries = min(limit, tries * (gap.isEmpty ? longest : min(longest, occurrences(of: gap, in: text))))
      bytes += tries * longest
    }
    return starts * bytes
  }

  private func longestRun(in text: Span<UInt8>) -> Int {
    let words = repeated.words
    var longest = 0
    var run = 0
    for index in text.indices {
      let byte = text[index]
      run = (run + 1) * Int(words[Int(byte &>> 6)] &>> UInt64(byte & 63) & 1)
      longest = max(longest, run)
    }
    return longest
  }

  private func occurrences(of sets: [ByteSet], in text: Span<UInt8>) -> Int {
    guard text.count >= sets.count, let first = sets.first?.words else { return 0 }
    var count = 0
    for start in 0...text.count - sets.count {
      let byte = text[start]
      guard first[Int(byte &>> 6)] &>> UInt64(byte & 63) & 1 == 1 else { continue }
      if sets.count == 1 || stand(sets, in: text, at: start) { count += 1 }
    }
    return count
  }

  private func stand(_ sets: [ByteSet], in text: Span<UInt8>, at start: Int) -> Bool {
    for index in sets.indices where !sets[index].contains(text[start + index]) { return false }
    return true
  }
}
