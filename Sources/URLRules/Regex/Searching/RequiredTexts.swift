internal import Bytes

/// Texts that every match of a pattern holds: looked for before PCRE2 is asked, which takes thirty times as long.
///
///     (?i)^https?://[^/:]+/tr[?]            ->  /tr?
///     /pixel[.].*/track/                    ->  /track/ and /pixel.
///     [0-9]+                                ->  none
///
/// Many rules lie under one host, and for most URLs there this tells without PCRE2 that a pattern is not in them. It
/// only ever says no, and may rule out the same patterns as a text search.
package struct RequiredTexts: Sendable {
  /// All texts one behind the other, small letters only.
  private(set) var bytes: [UInt8] = []
  /// The texts, those first that tell most.
  private(set) var texts: [RequiredText] = []

  /// Further texts tell little more.
  private static let most = 3

  /// None at all.
  init() {}

  package init(_ shape: RegexShape) {
    let literals = shape.literalChoices.filter { $0.count == 1 }.joined()
    // The last of equal ones is taken: the beginning of a pattern names the host, which the rule was found by.
    let known = literals.filter { !LiteralWeight.isCommon($0) && $0.count > 1 }.reversed()
    let best = known.enumerated().sorted { one, other in
      let bits = (LiteralWeight.bits(one.element), LiteralWeight.bits(other.element))
      return bits.0 == bits.1 ? one.offset < other.offset : bits.0 > bits.1
    }
    for literal in best.lazy.map(\.element).prefix(Self.most) {
      texts.append(RequiredText(literal, at: bytes.count))
      bytes += literal
    }
  }

  var count: Int { texts.count }
  var size: Int { bytes.count + texts.count * MemoryLayout<RequiredText>.stride }

  /// Adds the texts of another pattern.
  mutating func append(_ other: RequiredTexts) {
    texts += other.texts.map { $0.moved(by: bytes.count) }
    bytes += other.bytes
  }

  /// Whether `subject` certainly lacks one of the texts.
  package func areMissing(in subject: Span<UInt8>) -> Bool { areMissing(0..<texts.count, in: subject) }

  /// Whether `subject` certainly lacks one of some of the texts.
  func areMissing(_ range: Range<Int>, in subject: Span<UInt8>) -> Bool {
    let (texts, bytes) = (texts.span, bytes.span)
    for index in range where texts[index].isMissing(in: subject, bytes) { return true }
    return false
  }
}

/// A text that is looked for by two bytes of it that stand side by side, at eight places at once.
struct RequiredText: BitwiseCopyable, Sendable {
  /// Its start among the bytes of all texts.
  private var start: Int32
  private let count: Int32
  /// Number of bytes before the pair.
  private let before: Int32
  private let first: UInt8
  private let second: UInt8

  /// `text` is in small letters, and two bytes long at least.
  fileprivate init(_ text: [UInt8], at start: Int) {
    let frequencies = zip(text, text.dropFirst()).map { Self.frequency($0) * Self.frequency($1) }
    let rarest = frequencies.indices.min { frequencies[$0] < frequencies[$1] } ?? 0
    self.start = Int32(start)
    count = Int32(text.count)
    before = Int32(rarest)
    first = text[rarest] | 0x20
    second = text[rarest + 1] | 0x20
  }

  fileprivate func moved(by distance: Int) -> RequiredText {
    var moved = self
    moved.start += Int32(distance)
    return moved
  }

  /// Higher for bytes that are in more URLs.
  private static func frequency(_ byte: UInt8) -> Int {
    if "/.eaitsornc".utf8.contains(byte) { return 4 }
    return ByteSet.letters.contains(byte) ? 2 : 1
  }

  /// Whether the text is certainly not in `subject`. A text that takes too long to look for may be there.
  fileprivate func isMissing(in subject: Span<UInt8>, _ bytes: Span<UInt8>) -> Bool {
    let text = bytes.extracting(Int(start)..<Int(start) + Int(count))
    let (before, last) = (Int(before), subject.count - text.count)
    let (first, second) = (UInt64(first) &* Self.ones, UInt64(second) &* Self.ones)
    var left = subject.count + 64
    var place = before
    while place <= last + before {
      let one = subject.bytes.word(at: place) | LiteralWindow.fold
      let other = subject.bytes.word(at: place &+ 1) | LiteralWindow.fold
      var found = Self.zeroes((one ^ first) | (other ^ second))
      while found != 0 {
        let start = place + found.trailingZeroBitCount / 8 - before
        found &= found &- 1
        let length = start <= last ? Self.commonLength(text, subject, at: start) : 0
        left -= length + 1
        if length == text.count || left < 0 { return false }
      }
      place += 8
    }
    return true
  }

  /// Number of bytes of the text that stand at a place, up to the first that does not.
  private static func commonLength(_ text: Span<UInt8>, _ subject: Span<UInt8>, at start: Int) -> Int {
    for offset in text.indices where subject[start + offset].asciiLowercased != text[offset] { return offset }
    return text.count
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// The highest bit of each byte that is zero, and no other.
  @inline(__always)
  private static func zeroes(_ word: UInt64) -> UInt64 {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    return ~((word & low) &+ low | word | low)
  }
}

extension RegexShape {
  /// Ways to look for a match without the pattern: each is a list of literals, small letters only, of which every text
  /// that the pattern is found in holds at least one, letters in any case. None when no literal is certain.
  ///
  ///     ^https?://[^/]+/ads/[0-9]+[.]gif   ->  [http], [://], [/ads/], [.gif]
  ///     (?i)/(?:click|track)/x             ->  [/], [click, track], [/x]
  ///     a|b+c                              ->  [a, bc]
  ///     [a-z]+|x                           ->  none
  package var literalChoices: [[[UInt8]]] {
    isUnusual || refusal != nil ? [] : LiteralRuns.choices(branches)
  }
}

/// Collects pieces in a row.
private struct LiteralRuns {
  private var run: [UInt8] = []
  private var choices: [[[UInt8]]] = []

  /// Longer literals tell no more; their ends differ more often than their beginnings.
  private static let longest = 32
  /// Further alternatives are not followed.
  private static let mostAlternatives = 64

  static func choices(_ branches: [[RegexItem]]) -> [[[UInt8]]] {
    let each = branches.map { items in
      var runs = LiteralRuns()
      runs.collect(items)
      runs.close()
      return runs.choices
    }
    guard each.count > 1 else { return each.first ?? [] }
    var together: [[UInt8]] = []
    for choices in each {
      guard let best = choices.max(by: { LiteralWeight.bits($0) < LiteralWeight.bits($1) }) else { return [] }
      together += best
    }
    return together.count <= mostAlternatives ? [together] : []
  }

  private mutating func collect(_ items: [RegexItem]) {
    for item in items {
      switch item.node {
      case .bytes(let set): collect(set, item.times)
      case .group(let branches) where item.times == .once && branches.count == 1: collect(branches[0])
      case .group(let branches):
        close()
        if item.times.least > 0 { choices += Self.choices(branches) }
      // They take nothing: the pieces on both sides of them touch.
      case .start, .end, .condition, .option: break
      }
    }
  }

  private mutating func collect(_ set: ByteSet, _ times: RegexRepeat) {
    guard let byte = set.onlyByteWithoutCase, times.least > 0 else { return close() }
    run.append(byte.asciiLowercased)
    guard times != .once else { return }
    // The first of several touches the piece before them, the last the piece behind.
    close()
    run = [byte.asciiLowercased]
  }

  private mutating func close() {
    if !run.isEmpty { choices.append([Array(run.suffix(Self.longest))]) }
    run = []
  }
}

/// The weight of a literal: how much a text tells by holding it.
enum LiteralWeight {
  /// A text in most URLs tells nothing.
  private static let common = ["http://www.", "https://www.", ".com/", ".org/", ".net/", ".html", ".php"].map {
    Array($0.utf8)
  }

  /// Three bits a byte, for eight bytes at most.
  static func bits(_ literal: [UInt8]) -> Int { isCommon(literal) ? 1 : 3 * min(literal.count, 8) }

  /// The least weight in a list.
  static func bits(_ literals: [[UInt8]]) -> Int { literals.map { bits($0) }.min() ?? 0 }

  static func isCommon(_ literal: [UInt8]) -> Bool {
    common.contains { text in
      text.indices.contains { text[$0...].starts(with: literal) }
    }
  }
}
