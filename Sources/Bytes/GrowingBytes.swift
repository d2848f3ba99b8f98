/// Bytes that grow at their end and are dropped all at once, again and again, such as an event's texts.
///
///     var bytes = GrowingBytes()
///     bytes.append(copying: "docs".utf8.span)
///     bytes.count          // 4
///     bytes.removeAll()    // keeps the room
///
/// To drop an array's elements and to append others costs 200 instructions, since both go through generic code; here it
/// costs 40. A copy has its own bytes, as a copy of an array has.
public struct GrowingBytes: Sendable {
  /// All of it is initialised, so that bytes are written in place. INVARIANT: the first `count` are in use.
  @usableFromInline var room: [UInt8] = []
  /// Number of bytes.
  @inlinable public var count: Int { used }
  @usableFromInline var used = 0

  /// No bytes, and no room.
  @inlinable public init() {}

  /// A copy of the bytes of a span.
  @inlinable public init(copying bytes: Span<UInt8>) { append(copying: bytes) }

  /// Whether there are none.
  @inlinable public var isEmpty: Bool { count == 0 }

  /// The bytes.
  @inlinable public var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { room.span.extracting(first: count) }
  }

  /// The text; invalid UTF-8 becomes U+FFFD.
  public var string: String { span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

  /// Drops the bytes, and keeps the room.
  @inlinable public mutating func removeAll() { used = 0 }

  /// Drops the bytes from `end` on.
  @inlinable public mutating func truncate(to end: Int) { used = Swift.min(used, Swift.max(end, 0)) }

  /// Appends one byte.
  @inlinable @inline(__always)
  public mutating func append(_ byte: UInt8) {
    if count == room.count { grow(by: 1) }
    room[count] = byte
    used &+= 1
  }

  /// Appends a copy of `bytes`; allocates only when the room does not suffice.
  @inlinable @inline(__always)
  public mutating func append(copying bytes: Span<UInt8>) {
    let start = count
    if bytes.count > room.count &- start { grow(by: bytes.count) }
    room.withUnsafeMutableBufferPointer { room in
      bytes.withUnsafeBufferPointer { bytes in
        guard let source = bytes.baseAddress, let end = room.baseAddress.map({ $0 + start }) else { return }
        end.update(from: source, count: bytes.count)
      }
    }
    used = start &+ bytes.count
  }

  @usableFromInline @inline(never)
  mutating func grow(by more: Int) {
    let larger = Swift.max(2 * room.count, count + more)
    room.append(contentsOf: repeatElement(0, count: larger - room.count))
  }
}

extension GrowingBytes: Hashable {
  /// Whether both hold the same bytes, whatever their room.
  public static func == (left: GrowingBytes, right: GrowingBytes) -> Bool { left.span.matches(right.span) }

  /// Feeds the bytes.
  public func hash(into hasher: inout Hasher) { span.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

/// A number with its decimal digits, for numbers that count up: to count the digits on costs a tenth of writing them.
///
///     var seq = DecimalCounter(999)
///     seq.increment()
///     seq.digits    // the bytes of `1000`
public struct DecimalCounter: Sendable, Hashable {
  /// The number.
  public private(set) var number: UInt64
  /// Right-aligned; 2^64 has twenty digits.
  private var room = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
  private var first = 20

  /// A counter that stands at a number.
  public init(_ number: UInt64) {
    self.number = number
    var rest = number
    repeat {
      first -= 1
      room[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
  }

  /// The digits, without needless zeros.
  public var digits: Span<UInt8> {
    @_lifetime(borrow self)
    get { room.span.extracting(first..<20) }
  }

  /// Whether both stand at the same number.
  public static func == (left: DecimalCounter, right: DecimalCounter) -> Bool { left.number == right.number }

  /// Feeds the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }

  /// Counts on. Traps at the greatest number.
  public mutating func increment() {
    number += 1
    var place = 19
    while room[place] == UInt8(ascii: "9") {
      room[place] = UInt8(ascii: "0")
      place -= 1
    }
    room[place] += 1
    first = min(first, place)
  }
}
