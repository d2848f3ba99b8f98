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
  /// True for `0` to `9`.
  var isASCIIDigit: Bool { self &- ASCII.zero < 10 }

  /// True for `a` to `z` and `A` to `Z`.
  var isASCIIAlpha: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// The letter in lower case; every other byte as it is.
  var asciiLowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

  /// The value of a hexadecimal digit in either case, else nil.
  var hexDigitValue: UInt8? {
    if isASCIIDigit { return self &- ASCII.zero }
    let letter = (self | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : nil
  }

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

// The one place of this module, beside the call to ICU, that turns spans into pointers: copying and comparing.

extension [UInt8] {
  /// Appends a copy of `bytes`; allocates only when the capacity does not suffice.
  @inline(__always)
  mutating func append(copying bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
  }

  /// Appends a copy of `bytes` with ASCII letters in lower case.
  mutating func append(lowercasing bytes: Span<UInt8>) {
    for index in bytes.indices { append(bytes[index].asciiLowercased) }
  }

  /// Appends the bytes of a literal.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }

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
    append(Self.hexDigit(byte >> 4))
    append(Self.hexDigit(byte & 0xF))
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? ASCII.zero &+ value : UInt8(ascii: "A") &+ value &- 10
  }
}

extension Span<UInt8> {
  /// True when the bytes are those of a literal.
  func equals(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { literal in
      guard literal.count == count else { return false }
      for index in indices where self[index] != literal[index] { return false }
      return true
    }
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
      let (end, isWhole) = sequence(in: broken.span, from: index)
      if isWhole {
        bytes.append(copying: broken.span.extracting(index..<end))
      } else {
        bytes.append(replacement)
      }
      index = end
    }
  }

  /// The end of the character that begins at `start`, or of the part of one that is there.
  ///
  /// Source: Encoding Standard, section 8.1.1 (UTF-8 decoder).
  private static func sequence(in bytes: Span<UInt8>, from start: Int) -> (end: Int, isWhole: Bool) {
    let lead = bytes[start]
    let following: Int
    switch lead {
    case 0..<0x80: return (start + 1, true)
    case 0xC2...0xDF: following = 1
    case 0xE0...0xEF: following = 2
    case 0xF0...0xF4: following = 3
    default: return (start + 1, false)
    }
    var allowed = second(behind: lead)
    for index in start + 1...start + following {
      guard index < bytes.count, allowed.contains(bytes[index]) else { return (index, false) }
      allowed = 0x80...0xBF
    }
    return (start + following + 1, true)
  }

  /// Valid second bytes: no longer form than needed, no surrogate, nothing above U+10FFFF.
  private static func second(behind lead: UInt8) -> ClosedRange<UInt8> {
    switch lead {
    case 0xE0: 0xA0...0xBF
    case 0xED: 0x80...0x9F
    case 0xF0: 0x90...0xBF
    case 0xF4: 0x80...0x8F
    default: 0x80...0xBF
    }
  }
}
