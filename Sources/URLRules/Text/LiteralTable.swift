/// Finds thousands of literals in one pass: at each place the last four bytes are looked up in a bit field, and what
/// passes it is compared.
///
/// Each literal is filed under the four bytes of it that the fewest others hold, its window; shorter literals lie in
/// tables of their own, with windows of their own length. Most places of a text end at the bit field, so that the time
/// goes by the length of the text. When too many literals share a window they are not compared, and their patterns are
/// reported where the window is: no text makes a search slow.
final class LiteralTable: Sendable {
  /// A literal and the patterns that wait for it.
  struct Entry {
    var literal: [UInt8]
    var patterns: [Int32]
  }

  fileprivate struct Literal: Sendable {
    var window: UInt32
    /// In `bytes`.
    var range: Range<Int>
    /// How many bytes of the literal stand before the end of its window.
    var before: Int
    /// In `patterns`.
    var waiting: Range<Int>
  }

  /// How many bytes a window has: 1 to 4.
  let width: Int
  /// How many literals the tables before it have; `TextFound` numbers them all.
  private let firstNumber: Int
  private let literals: [Literal]
  private let bytes: [UInt8]
  private let patterns: [Int32]
  /// The first literal of the window that is filed here, or -1; open addressing.
  private let slots: [Int32]
  private let filter: [UInt32]
  /// What leaves the bits of a hash that choose a slot.
  private let shift: UInt32
  private let mask: UInt32

  static let widest = 4

  init(width: Int, firstNumber: Int, _ entries: [Entry]) {
    self.width = width
    self.firstNumber = firstNumber
    mask = UInt32.max >> UInt32(32 - 8 * width)
    let draft = LiteralTableDraft(width: width, entries)
    (literals, bytes, patterns) = (draft.literals, draft.bytes, draft.patterns)
    (slots, filter, shift) = draft.windows()
  }

  var count: Int { literals.count }

  /// Bytes that the table takes.
  var size: Int {
    literals.count * MemoryLayout<Literal>.stride + bytes.count + 4 * (patterns.count + slots.count + filter.count)
  }

  /// Adds the patterns whose literals are in `text` to `found`.
  func scan(_ text: Span<UInt8>, _ found: inout TextFound) {
    let (words, shift, mask) = (filter, shift, mask)
    let filter = words.span
    var window: UInt32 = 0
    for index in text.indices {
      // INVARIANT: `index` is one of the text's; of a hash as many bits are left as number the words of the filter.
      window = (window &<< 8 | UInt32(text[unchecked: index] | 0x20)) & mask
      let hash = Self.hash(window)
      if filter[unchecked: Int(hash &>> shift)] &>> (hash & 31) & 1 == 0 { continue }
      compare(window, hash, text, end: index + 1, &found)
    }
  }

  @inline(never)
  private func compare(_ window: UInt32, _ hash: UInt32, _ text: Span<UInt8>, end: Int, _ found: inout TextFound) {
    var slot = Int(hash >> shift)
    while slots[slot] >= 0 {
      var index = Int(slots[slot])
      if literals[index].window == window {
        while index < literals.count, literals[index].window == window {
          compare(index, text, end: end, &found)
          index += 1
        }
        return
      }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  private func compare(_ index: Int, _ text: Span<UInt8>, end: Int, _ found: inout TextFound) {
    let literal = literals[index]
    let start = end - literal.before
    guard start >= 0, start + literal.range.count <= text.count, !found.has(literal: firstNumber + index) else {
      return
    }
    for offset in 0..<literal.range.count
    where text[start + offset].lowercased != bytes[literal.range.lowerBound + offset] {
      return
    }
    found.add(literal: firstNumber + index)
    for place in literal.waiting { found.add(pattern: patterns[place]) }
  }

  /// Its high bits choose a slot and a word of the filter, its low ones a bit of the word.
  @inline(__always)
  fileprivate static func hash(_ window: UInt32) -> UInt32 {
    let mixed = window &* 0x9E37_79B1
    return mixed ^ mixed >> 15
  }
}

/// A table while it is made.
private struct LiteralTableDraft {
  private(set) var literals: [LiteralTable.Literal] = []
  private(set) var bytes: [UInt8] = []
  private(set) var patterns: [Int32] = []

  /// More literals with the same window are not told apart.
  private static let mostAlike = 16

  init(width: Int, _ entries: [LiteralTable.Entry]) {
    let windows = LiteralWindows(width: width, entries.map(\.literal))
    let filed = Dictionary(grouping: entries) { entry in windows.rarest(entry.literal).window }
    for (window, entries) in filed.sorted(by: { $0.key < $1.key }) {
      if entries.count > Self.mostAlike {
        // Nothing to compare: the window is all that is asked for.
        add(window, [], before: width, Set(entries.flatMap(\.patterns)).sorted())
      } else {
        for entry in entries { add(window, entry.literal, before: windows.rarest(entry.literal).end, entry.patterns) }
      }
    }
  }

  private mutating func add(_ window: UInt32, _ literal: [UInt8], before: Int, _ waiting: [Int32]) {
    let range = bytes.count..<(bytes.count + literal.count)
    let places = patterns.count..<(patterns.count + waiting.count)
    bytes += literal
    patterns += waiting
    literals.append(LiteralTable.Literal(window: window, range: range, before: before, waiting: places))
  }

  /// The slots of all windows, the bits by which most places of a text end, and the shift that leaves a slot of a hash.
  func windows() -> (slots: [Int32], filter: [UInt32], shift: UInt32) {
    let firsts = literals.indices.filter { $0 == 0 || literals[$0 - 1].window != literals[$0].window }
    var size = 64
    while size < firsts.count * 2 { size *= 2 }
    var slots = [Int32](repeating: -1, count: size)
    // Sixteen bits a window or more: one place in sixteen passes that should not.
    var filter = [UInt32](repeating: 0, count: size)
    let shift = UInt32(32 - size.trailingZeroBitCount)
    for index in firsts {
      let hash = LiteralTable.hash(literals[index].window)
      filter[Int(hash >> shift)] |= 1 << (hash & 31)
      var slot = Int(hash >> shift)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int32(index)
    }
    return (slots, filter, shift)
  }
}

/// The windows of many literals, counted.
struct LiteralWindows {
  private let width: Int
  private var counts: [UInt32: Int] = [:]

  init(width: Int, _ literals: [[UInt8]]) {
    self.width = width
    for literal in literals { forEach(literal) { window, _ in counts[window, default: 0] += 1 } }
  }

  /// The window of the literal that the fewest literals hold, and where it ends.
  func rarest(_ literal: [UInt8]) -> (window: UInt32, end: Int) {
    var best: (window: UInt32, end: Int, count: Int) = (0, 0, .max)
    forEach(literal) { window, end in
      let isCommon = LiteralWeight.isCommon(Array(literal[(end - width)..<end]))
      let count = (counts[window] ?? 0) + (isCommon ? 1_000_000 : 0)
      if count < best.count { best = (window, end, count) }
    }
    return (best.window, best.end)
  }

  private func forEach(_ literal: [UInt8], _ body: (_ window: UInt32, _ end: Int) -> Void) {
    guard literal.count >= width else { return }
    for end in width...literal.count {
      body(literal[(end - width)..<end].reduce(0) { $0 << 8 | UInt32($1 | 0x20) }, end)
    }
  }
}
