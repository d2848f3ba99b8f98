internal import Bytes

/// Finds thousands of literals in one pass: some bytes at every place, or at every second one, are looked up in a bit
/// field, and the places that pass it are compared.
///
/// Each literal is filed under bytes of it that the fewest others hold, its windows (``LiteralWindow``); shorter
/// literals lie in tables of their own, with narrower windows. Most places of a text end at the bit field, so that the
/// time goes by the length of the text. When too many literals share a window they are not compared, and their patterns
/// are reported where the window is: no text makes a search slow.
final class LiteralTable: Sendable {
  /// A literal and the patterns that wait for it.
  package struct Entry {
    var literal: [UInt8]
    var patterns: [Int32]
  }

  /// A literal under one of its windows.
  struct Literal: Sendable {
    var window: UInt64
    /// In `bytes`; empty when nothing is compared.
    var start: Int32
    var count: Int32
    /// Number of bytes of the literal before its window.
    var before: Int32
    /// In `patterns`.
    var firstWaiting: Int32
    var waiting: Int32
  }

  private let window: LiteralWindow
  /// Number of literals in the tables before it; `TextFound` numbers them all.
  private let firstNumber: Int
  private let literals: [Literal]
  private let bytes: [UInt8]
  private let patterns: [Int32]
  /// The first literal of the window that is filed here, or -1; open addressing.
  private let slots: [Int32]
  private let filter: LiteralFilter

  /// The literals of all entries have room for the windows.
  init(_ window: LiteralWindow, firstNumber: Int, _ entries: [Entry]) {
    self.window = window
    self.firstNumber = firstNumber
    let draft = LiteralTableDraft(window, entries)
    (literals, bytes, patterns) = (draft.literals, draft.bytes, draft.patterns)
    (slots, filter) = draft.windows()
  }

  var count: Int { literals.count }

  /// Bytes that the table takes.
  var size: Int {
    literals.count * MemoryLayout<Literal>.stride + bytes.count + 4 * (patterns.count + slots.count) + filter.size
  }

  /// Adds the patterns whose literals are in `text` to `found`.
  func scan(_ text: Span<UInt8>, _ found: inout TextFound) {
    let last = text.count - window.width
    var place = filter.nextPlace(from: 0, to: last, in: text.bytes, window)
    while place <= last {
      compare(text, at: place, &found)
      place = filter.nextPlace(from: place + window.step, to: last, in: text.bytes, window)
    }
  }

  @inline(never)
  private func compare(_ text: Span<UInt8>, at place: Int, _ found: inout TextFound) {
    let window = (text.bytes.word(at: place) | LiteralWindow.fold) & self.window.mask
    var slot = filter.slot(of: LiteralWindow.hash(window))
    while slots[slot] >= 0 {
      var index = Int(slots[slot])
      if literals[index].window == window {
        while index < literals.count, literals[index].window == window {
          compare(index, text, at: place, &found)
          index += 1
        }
        return
      }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  private func compare(_ index: Int, _ text: Span<UInt8>, at place: Int, _ found: inout TextFound) {
    let literal = literals[index]
    let start = place - Int(literal.before)
    let count = Int(literal.count)
    guard start >= 0, start + count <= text.count, !found.has(literal: firstNumber + index) else { return }
    for offset in 0..<count where text[start + offset].asciiLowercased != bytes[Int(literal.start) + offset] { return }
    found.add(literal: firstNumber + index)
    for waiting in 0..<Int(literal.waiting) { found.add(pattern: patterns[Int(literal.firstWaiting) + waiting]) }
  }
}

/// Says of most windows that no literal has them: a bit for each hash, looked up in four instructions.
struct LiteralFilter: Sendable {
  fileprivate(set) var words: [UInt64]
  /// Shift that leaves the bits of a hash that choose a slot.
  private let shift: UInt64

  /// `slots` is a power of two, and at least 2.
  init(slots: Int) {
    words = [UInt64](repeating: 0, count: slots / 2)
    shift = UInt64(64 - slots.trailingZeroBitCount)
  }

  var size: Int { 8 * words.count }

  @inline(__always)
  func slot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> shift) }

  /// The first place from `place` on, a whole number of steps away, with a window that may have been put in; a place
  /// behind `last` when there is none.
  @inline(never)
  fileprivate func nextPlace(from place: Int, to last: Int, in text: RawSpan, _ window: LiteralWindow) -> Int {
    let (step, mask) = (window.step, window.mask)
    let words = words.span
    // From here on eight bytes reach over the end.
    let end = min(last &+ 1, text.byteCount &- 7)
    var place = place
    while place < end {
      let word = text.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
      if holds((word | LiteralWindow.fold) & mask, words) { return place }
      place &+= step
    }
    while place <= last, !holds((text.word(at: place) | LiteralWindow.fold) & mask, words) { place &+= step }
    return place
  }

  @inline(__always)
  private func holds(_ window: UInt64, _ words: Span<UInt64>) -> Bool {
    // INVARIANT: of a hash as many bits are left as number the bits of the filter.
    let bit = LiteralWindow.hash(window) &>> (shift &- 5)
    return words[unchecked: Int(truncatingIfNeeded: bit &>> 6)] &>> (bit & 63) & 1 != 0
  }

  mutating func insert(_ hash: UInt64) {
    let bit = hash >> (shift - 5)
    words[Int(bit >> 6)] |= 1 << (bit & 63)
  }
}

/// A table of literals while it is made.
struct LiteralTableDraft {
  private(set) var literals: [LiteralTable.Literal] = []
  private(set) var bytes: [UInt8] = []
  private(set) var patterns: [Int32] = []
  private let window: LiteralWindow

  /// Further literals with the same window are not told apart.
  private static let mostAlike = 16

  /// An entry under one of its windows.
  private struct Filed {
    var entry: Int
    /// Number of bytes before the window.
    var before: Int
  }

  init(_ window: LiteralWindow, _ entries: [LiteralTable.Entry]) {
    self.window = window
    let counts = LiteralWindows(window, entries.map(\.literal))
    var filed: [UInt64: [Filed]] = [:]
    for (entry, literal) in entries.lazy.map(\.literal).enumerated() {
      let start = counts.rarest(literal)
      for before in start..<start + window.step {
        filed[window.value(of: literal, at: before), default: []].append(Filed(entry: entry, before: before))
      }
    }
    let drafts = entries.map { add($0) }
    for (value, crowd) in filed.sorted(by: { $0.key < $1.key }) {
      if crowd.count > Self.mostAlike {
        // Nothing to compare: the window is all that is asked for.
        let patterns = Set(crowd.flatMap { entries[$0.entry].patterns }).sorted()
        append(add(LiteralTable.Entry(literal: [], patterns: patterns)), value, before: 0)
      } else {
        for one in crowd { append(drafts[one.entry], value, before: one.before) }
      }
    }
  }

  /// Adds the bytes of a literal and the patterns that wait for it.
  private mutating func add(_ entry: LiteralTable.Entry) -> LiteralTable.Literal {
    defer {
      bytes += entry.literal
      patterns += entry.patterns
    }
    return LiteralTable.Literal(
      window: 0, start: Int32(bytes.count), count: Int32(entry.literal.count), before: 0,
      firstWaiting: Int32(patterns.count), waiting: Int32(entry.patterns.count))
  }

  private mutating func append(_ literal: LiteralTable.Literal, _ value: UInt64, before: Int) {
    var literal = literal
    literal.window = value
    literal.before = Int32(before)
    literals.append(literal)
  }

  /// The slots of all windows, and the bits by which most places of a text end.
  func windows() -> (slots: [Int32], filter: LiteralFilter) {
    let firsts = literals.indices.filter { $0 == 0 || literals[$0 - 1].window != literals[$0].window }
    var size = 64
    while size < firsts.count * 2 { size *= 2 }
    var slots = [Int32](repeating: -1, count: size)
    // Sixty-four bits a window or more: one place in sixty-four passes that should not.
    var filter = LiteralFilter(slots: size)
    for index in firsts {
      let hash = LiteralWindow.hash(literals[index].window)
      filter.insert(hash)
      var slot = filter.slot(of: hash)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int32(index)
    }
    return (slots, filter)
  }
}

/// The windows of many literals, counted.
private struct LiteralWindows {
  private let window: LiteralWindow
  private var counts: [UInt64: Int] = [:]

  init(_ window: LiteralWindow, _ literals: [[UInt8]]) {
    self.window = window
    for literal in literals {
      for start in 0...literal.count - window.width { counts[window.value(of: literal, at: start), default: 0] += 1 }
    }
  }

  /// Start of the windows in a row in the literal that the fewest literals hold.
  func rarest(_ literal: [UInt8]) -> Int {
    let costs = (0...literal.count - window.width).map { start in
      let isCommon = LiteralWeight.isCommon(Array(literal[start..<start + window.width]))
      return (counts[window.value(of: literal, at: start)] ?? 0) + (isCommon ? 1_000_000 : 0)
    }
    var best = (start: 0, cost: Int.max)
    for start in 0...costs.count - window.step {
      let cost = costs[start..<start + window.step].reduce(0, +)
      if cost < best.cost { best = (start, cost) }
    }
    return best.start
  }
}

/// The bytes of a text that are looked at to find literals of a length: windows of some width, one at every few places.
///
///     LiteralWindow(literalLength: 9)     // 6 bytes, at every second place
///     LiteralWindow(literalLength: 4)     // 4 bytes, at every place
///
/// A search looks only at every few places, a step apart. With steps of n bytes, one of any n windows in a row begins
/// at such a place, wherever the literal stands. A literal is filed under n windows, and must be long enough for them.
struct LiteralWindow: Sendable, Hashable {
  /// Number of bytes of a window: 1 to 6.
  let width: Int
  /// Windows are looked at where a multiple of this many bytes lies before them.
  let step: Int
  /// The bits of a word that belong to the window.
  let mask: UInt64

  /// The widest window and the longest step that such literals have room for; wide ones are in few texts.
  init(literalLength: Int) {
    switch literalLength {
    case 7...: (width, step) = (6, 2)
    case 5...6: (width, step) = (4, 2)
    default: (width, step) = (max(1, literalLength), 1)
    }
    mask = UInt64.max >> UInt64(64 - 8 * width)
  }

  /// All that there are, the narrow ones first.
  static let all = [1, 2, 3, 4, 5, 7].map { LiteralWindow(literalLength: $0) }

  /// Sets in every byte the bit that tells small letters from capital ones.
  static let fold: UInt64 = 0x2020_2020_2020_2020

  /// The window that a literal holds at a place, the first byte lowest.
  func value(of literal: [UInt8], at start: Int) -> UInt64 {
    literal[start..<start + width].reversed().reduce(0) { $0 << 8 | UInt64($1) } | Self.fold & mask
  }

  /// Its high bits choose a slot, those below them a word of the filter and the bits there.
  @inline(__always)
  static func hash(_ window: UInt64) -> UInt64 { window &* 0x9E37_79B9_7F4A_7C15 }
}

extension RawSpan {
  /// The eight bytes from a place on, the first one lowest; zeroes stand for places behind the text.
  @inline(__always)
  func word(at place: Int) -> UInt64 {
    if place &+ 8 <= byteCount { return unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self) }
    var word: UInt64 = 0
    for index in stride(from: byteCount &- 1, through: place, by: -1) {
      word = word &<< 8 | UInt64(unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self))
    }
    return word
  }
}
