internal import Bytes

/// Bytes that grow at their end: the output of a ``JSONWriter``.
///
/// An array checks at each append that its storage is not shared, and copies pieces through generic code. A record of
/// the decision log is a hundred and fifty short pieces, so here a piece costs a comparison and a copy.
///
/// INVARIANT: `base` has room for `capacity` bytes, of which the first `count` are written; it is the writer's alone.
struct JSONBuffer: ~Copyable, @unchecked Sendable {
  private var base: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private(set) var count = 0

  init() {}

  deinit { base?.deallocate() }

  var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { _overrideLifetime(Span(_unsafeElements: UnsafeBufferPointer(start: base, count: count)), borrowing: self) }
  }

  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    guard let end = end(for: 1) else { return }
    end.pointee = byte
    count += 1
  }

  @inline(__always)
  mutating func append(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { append(copying: $0) } }

  @inline(__always)
  mutating func append(copying bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress, let end = end(for: bytes.count) else { return }
    end.update(from: start, count: bytes.count)
    count += bytes.count
  }

  /// Appends bytes, behind a comma where one is due.
  @inline(__always)
  mutating func append(_ bytes: Span<UInt8>, needsComma: Bool) {
    bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress, var end = end(for: bytes.count + 1) else { return }
      if needsComma {
        end.pointee = UInt8(ascii: ",")
        end += 1
      }
      end.update(from: start, count: bytes.count)
      count += bytes.count + (needsComma ? 1 : 0)
    }
  }

  /// Appends a key without anything to escape, in quotes and with its colon, behind a comma where one is due.
  @inline(__always)
  mutating func appendKey(plain bytes: UnsafeBufferPointer<UInt8>, needsComma: Bool) {
    guard let start = bytes.baseAddress, var end = end(for: bytes.count + 4) else { return }
    if needsComma {
      end.pointee = UInt8(ascii: ",")
      end += 1
    }
    end.pointee = UInt8(ascii: "\"")
    (end + 1).update(from: start, count: bytes.count)
    end[bytes.count + 1] = UInt8(ascii: "\"")
    end[bytes.count + 2] = UInt8(ascii: ":")
    count += bytes.count + (needsComma ? 4 : 3)
  }

  /// Appends the decimal digits of a number.
  mutating func append(decimal number: UInt64) {
    var (digits, rest) = (1, number)
    while rest >= 10_000 { (digits, rest) = (digits + 4, rest / 10_000) }
    if rest >= 10 { digits += rest >= 1000 ? 3 : rest >= 100 ? 2 : 1 }
    guard let end = end(for: digits) else { return }
    rest = number
    var place = digits
    while place >= 2 {
      let pair = rest % 100
      rest /= 100
      place -= 2
      // Two digits at once, the first in the lower byte.
      let both = UInt16(truncatingIfNeeded: pair / 10 | (pair % 10) << 8) | 0x3030
      UnsafeMutableRawPointer(end + place).storeBytes(of: both.littleEndian, as: UInt16.self)
    }
    if place == 1 { end.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest) }
    count += digits
  }

  /// The place of the next bytes, with room for `more` of them.
  @inline(__always)
  private mutating func end(for more: Int) -> UnsafeMutablePointer<UInt8>? {
    if more > capacity - count { grow(by: more) }
    return base.map { $0 + count }
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    let size = max(2 * capacity, count + more, 256)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    if let base {
      larger.update(from: base, count: count)
      base.deallocate()
    }
    (base, capacity) = (larger, size)
  }
}

// MARK: Strings

extension JSONBuffer {
  /// Appends the text as a JSON string, quotes included.
  ///
  /// Text that needs no escape is copied eight bytes at a time while it is looked at.
  mutating func appendQuoted(_ text: Span<UInt8>) {
    guard let end = end(for: text.count + 2) else { return }
    end.pointee = UInt8(ascii: "\"")
    let plain = Self.copyPlain(text, from: 0, to: end + 1)
    count += plain + 1
    guard plain == text.count else { return appendEscaped(text, from: plain) }
    end[plain + 1] = UInt8(ascii: "\"")
    count += 1
  }

  /// Appends the rest of a text from a byte on that is not plain, and the last quote.
  @inline(never)
  private mutating func appendEscaped(_ text: Span<UInt8>, from start: Int) {
    var index = start
    while index < text.count {
      let sequence = UTF8Sequence(in: text, at: index)
      if let scalar = sequence.scalar, !mustEscape(scalar) {
        append(text.extracting(index..<(index + sequence.length)))
      } else {
        appendEscape(sequence.scalar)
      }
      index += sequence.length
      guard let end = end(for: text.count - index) else { return }
      let plain = Self.copyPlain(text, from: index, to: end)
      count += plain - index
      index = plain
    }
    append(UInt8(ascii: "\""))
  }

  /// Copies plain ASCII to `end`; returns the index of the next byte that is not plain, or the count of the text.
  @inline(__always)
  private static func copyPlain(_ text: Span<UInt8>, from start: Int, to end: UnsafeMutablePointer<UInt8>) -> Int {
    var index = start
    let words = text.bytes
    while index + 8 <= text.count {
      let word = words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard marksOfSpecialBytes(in: UInt64(littleEndian: word)) == 0 else { break }
      UnsafeMutableRawPointer(end + (index - start)).storeBytes(of: word, as: UInt64.self)
      index += 8
    }
    // The last bytes once more with some before them, since eight are looked at as fast as one.
    let last = text.count - 8
    if index > max(start, last), last >= start {
      let word = words.unsafeLoadUnaligned(fromByteOffset: last, as: UInt64.self)
      if marksOfSpecialBytes(in: UInt64(littleEndian: word)) == 0 {
        UnsafeMutableRawPointer(end + (last - start)).storeBytes(of: word, as: UInt64.self)
        return text.count
      }
    }
    while index < text.count {
      let byte = words.unsafeLoad(fromByteOffset: index, as: UInt8.self)
      guard isPlain(byte) else { break }
      end[index - start] = byte
      index += 1
    }
    return index
  }

  /// No scalar stands for bytes that are not UTF-8. All scalars that are escaped lie in the Basic Multilingual Plane.
  private mutating func appendEscape(_ scalar: UInt32?) {
    guard let scalar else { return "\u{FFFD}".utf8.forEach { append($0) } }
    append(UInt8(ascii: "\\"))
    switch scalar {
    case 0x22, 0x5C: append(UInt8(truncatingIfNeeded: scalar))
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    default:
      append(UInt8(ascii: "u"))
      for digit: UInt32 in 1...4 {
        append(.lowerCaseHexDigit(UInt8(truncatingIfNeeded: scalar >> (16 - 4 * digit) & 0xF)))
      }
    }
  }
}

private func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// The high bit of each byte that is not plain ASCII. A byte above the lowest such byte may be marked wrongly, because
/// the subtractions borrow: only the lowest mark counts. After "Bit Twiddling Hacks", "Determine if a word has a byte
/// less than n".
private func marksOfSpecialBytes(in word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quotes = word ^ (ones &* 0x22)
  let backslashes = word ^ (ones &* 0x5C)
  let deletes = word ^ (ones &* 0x7F)
  let controls = (word &- ones &* 0x20) & ~word
  let equals = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (deletes &- ones) & ~deletes
  return (word | controls | equals) & (ones &* 0x80)
}

/// Whether a character is written as an escape: those that RFC 8259, section 7 demands, and those that could deceive a
/// person who reads the text in a terminal or an editor.
///
/// The latter are DEL and the C1 controls (they can steer a terminal), the line separators U+2028 and U+2029 (they split
/// a log line), and the bidirectional controls U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 (they make
/// text read in another order than it stands: Unicode Technical Report 36, section 2.10).
private func mustEscape(_ scalar: UInt32) -> Bool {
  switch scalar {
  case ..<0x20, 0x22, 0x5C, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
  default: false
  }
}
