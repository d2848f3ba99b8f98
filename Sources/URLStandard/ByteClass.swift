internal import Bytes

/// The ASCII bytes of the parser, by name.
enum ASCII {
  static let space = UInt8(ascii: " ")
  static let numberSign = UInt8(ascii: "#")
  static let percent = UInt8(ascii: "%")
  static let dot = UInt8(ascii: ".")
  static let slash = UInt8(ascii: "/")
  static let zero = UInt8(ascii: "0")
  static let colon = UInt8(ascii: ":")
  static let questionMark = UInt8(ascii: "?")
  static let at = UInt8(ascii: "@")
  static let openBracket = UInt8(ascii: "[")
  static let backslash = UInt8(ascii: "\\")
  static let closeBracket = UInt8(ascii: "]")
  static let bar = UInt8(ascii: "|")
  static let e = UInt8(ascii: "e")
  static let f = UInt8(ascii: "f")
  static let h = UInt8(ascii: "h")
  static let w = UInt8(ascii: "w")
  static let x = UInt8(ascii: "x")
}

extension UInt8 {
  /// True for tab, line feed and carriage return, which the URL parser removes wherever they stand.
  var isTabOrNewline: Bool { self == 0x09 || self == 0x0A || self == 0x0D }
}

/// The byte sets of the URL Standard, one bit each, looked up in one table of 256 entries.
///
/// Bytes from 0x80 on are in every percent-encode set, so encoding byte by byte equals encoding code points.
/// Source: URL Standard, sections 1.3 (percent-encode sets) and 3.2 (forbidden code points).
package struct ByteClass: OptionSet, Sendable {
  /// One bit for each class, in the order of those below.
  package let rawValue: UInt16

  static let controlEncode = ByteClass(rawValue: 1 << 0)
  static let fragmentEncode = ByteClass(rawValue: 1 << 1)
  static let queryEncode = ByteClass(rawValue: 1 << 2)
  static let specialQueryEncode = ByteClass(rawValue: 1 << 3)
  static let pathEncode = ByteClass(rawValue: 1 << 4)
  static let userinfoEncode = ByteClass(rawValue: 1 << 5)
  static let forbiddenHost = ByteClass(rawValue: 1 << 6)
  static let forbiddenDomain = ByteClass(rawValue: 1 << 7)
  static let percent = ByteClass(rawValue: 1 << 8)
  static let nonASCII = ByteClass(rawValue: 1 << 9)
  static let uppercase = ByteClass(rawValue: 1 << 10)

  /// Bytes that may follow the first letter of a scheme.
  static let schemeTail = ByteClass(rawValue: 1 << 11)

  /// Bytes at which ``CommonURL`` looks closer inside a path: encoded ones, `\`, and those that may make a dot segment.
  static let pathEvent = ByteClass(rawValue: 1 << 12)

  /// Bytes that cannot be copied as they are into a domain.
  static let domainEvent: ByteClass = [.forbiddenDomain, .uppercase, .nonASCII]

  /// The classes of `byte`, from the table.
  @inline(__always)
  package init(of byte: UInt8) {
    self.init(rawValue: Self.table[unchecked: Int(byte)])
  }

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  // INVARIANT: 256 entries, so that every UInt8 is an index. Written out, because every use of a lazily computed table
  // asks whether it was computed; `ByteClassTests` computes it.
  private static let table: InlineArray<256, UInt16> = [
    0x10FF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10FF, 0x10FF, 0x10BF,
    0x10BF, 0x10FF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF,
    0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10BF, 0x10FE, 0x0000, 0x103E, 0x10FC,
    0x0000, 0x1180, 0x0000, 0x0008, 0x0000, 0x0000, 0x0000, 0x0800, 0x0000, 0x0800, 0x1800, 0x00E0,
    0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x00E0, 0x0020,
    0x10FE, 0x0020, 0x10FE, 0x10F0, 0x00E0, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00,
    0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00,
    0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x0C00, 0x00E0, 0x10E0, 0x00E0, 0x10F0, 0x0000,
    0x1032, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800,
    0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800, 0x0800,
    0x0800, 0x0800, 0x0800, 0x1030, 0x00E0, 0x1030, 0x0000, 0x10BF, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F, 0x123F,
    0x123F, 0x123F, 0x123F, 0x123F,
  ]
}

extension Span<UInt8> {
  /// The index of the first byte from `start` on that is in one of `classes`; the count when there is none.
  ///
  /// Tests eight bytes with one branch, because branches take the time.
  @inline(__always)
  func firstIndex(of classes: ByteClass, from start: Int) -> Int {
    var index = start
    while index + 8 <= count, !eightBytes(at: index).holdsByte(of: classes) { index += 8 }
    while index < count, ByteClass(of: self[index]).isDisjoint(with: classes) { index += 1 }
    return index
  }

  // INVARIANT: called with index + 8 <= count only; UInt64 has no invalid bit patterns.
  @inline(__always)
  private func eightBytes(at index: Int) -> UInt64 {
    bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
  }
}

extension UInt64 {
  @inline(__always)
  fileprivate func holdsByte(of classes: ByteClass) -> Bool {
    var found: ByteClass = []
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      found.formUnion(ByteClass(of: UInt8(truncatingIfNeeded: self >> shift)))
    }
    return !found.isDisjoint(with: classes)
  }
}

extension [UInt8] {
  /// Removes everything from `count` on, keeping the capacity.
  mutating func truncate(to count: Int) {
    if count < self.count { removeSubrange(Swift.max(0, count)...) }
  }

  /// Appends `value` in decimal digits.
  mutating func append(decimal value: UInt16) {
    if value >= 10 { append(decimal: value / 10) }
    append(ASCII.zero &+ UInt8(truncatingIfNeeded: value % 10))
  }

  /// Appends `byte` percent-encoded, with upper-case digits: `%2F`.
  mutating func append(percentEncoding byte: UInt8) {
    append(ASCII.percent)
    append(UInt8.upperCaseHexDigit(byte >> 4))
    append(UInt8.upperCaseHexDigit(byte & 0xF))
  }
}

/// UTF-8 decode of the Encoding Standard, as far as the parser needs it: U+FFFD for every maximal broken part.
enum UTF8Repair {
  private static let replacement: StaticString = "\u{FFFD}"

  static func isValid(_ bytes: Span<UInt8>) -> Bool {
    (try? UTF8Span(validating: bytes)) != nil
  }

  /// Replaces invalid UTF-8; a byte order mark is a character like any other.
  ///
  /// By hand, because `String(decoding:)` takes 8 us for every broken part: half a second for the longest URL.
  static func repair(_ bytes: inout [UInt8]) {
    if isValid(bytes.span) { return }
    let broken = bytes
    bytes.removeAll(keepingCapacity: true)
    var index = 0
    while index < broken.count {
      let sequence = UTF8Sequence(in: broken.span, at: index)
      if sequence.scalar == nil {
        bytes.append(replacement)
      } else {
        bytes.append(copying: broken.span.extracting(index..<index + sequence.length))
      }
      index += sequence.length
    }
  }
}
