/// A table from byte strings to values, looked up by a span without making an array of it.
///
///     var table = ByteTable<Int>()
///     table["viewer-1".utf8.span] = 7
///
/// Keys come from peers, so the hash is seeded: no peer can choose keys that collide. Other modules look up
/// on every decision, and generic code costs them hundreds of instructions; so there is code for numbers alone.
package struct ByteTable<Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    var hash: Int
    var key: [UInt8]
    var value: Value

    func has(_ other: Span<UInt8>) -> Bool { key.span.bytes.equals(other.bytes) }
  }

  /// Open addressing; a slot holds the number of its entry, or -1.
  private var slots: [Int32] = []
  private var entries: [Entry] = []
  /// Kept beside the entries: to ask those takes code for any value.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The value under `key`; nil when there is none.
  package func value(for key: Span<UInt8>) -> Value? { found(key) }

  @inline(__always)
  private func found(_ key: Span<UInt8>) -> Value? {
    guard count > 0, let index = entryIndex(of: key, hash: Self.hash(key)) else { return nil }
    return entries[index].value
  }

  /// Sets the value under `key`, with a new entry when it is new.
  package mutating func set(_ value: Value, for key: Span<UInt8>) {
    let hash = Self.hash(key)
    if let index = entryIndex(of: key, hash: hash) {
      entries[index].value = value
      return
    }
    entries.append(Entry(hash: hash, key: Array(copying: key), value: value))
    count += 1
    if entries.count * 4 > slots.count * 3 { rebuild() } else { place(entries.count - 1) }
  }

  /// Removes the entry under `key`; returns its value.
  @discardableResult
  package mutating func remove(_ key: Span<UInt8>) -> Value? {
    guard let index = entryIndex(of: key, hash: Self.hash(key)) else { return nil }
    let value = entries[index].value
    entries.swapAt(index, entries.count - 1)
    entries.removeLast()
    count -= 1
    rebuild()
    return value
  }

  /// Every key with its value, in no particular order.
  package func forEach(_ body: (_ key: [UInt8], _ value: Value) -> Void) {
    for entry in entries { body(entry.key, entry.value) }
  }

  /// Changes every value in place.
  package mutating func updateAll(_ body: (_ key: [UInt8], _ value: inout Value) -> Void) {
    for index in entries.indices { body(entries[index].key, &entries[index].value) }
  }

  @inline(__always)
  private func entryIndex(of key: Span<UInt8>, hash: Int) -> Int? {
    guard !slots.isEmpty else { return nil }
    var slot = hash & (slots.count - 1)
    while slots[slot] >= 0 {
      let index = Int(slots[slot])
      if entries[index].hash == hash, entries[index].has(key) { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private mutating func place(_ index: Int) {
    var slot = entries[index].hash & (slots.count - 1)
    while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(index)
  }

  private mutating func rebuild() {
    var size = 8
    while size * 3 < entries.count * 4 + 4 { size *= 2 }
    slots = Array(repeating: -1, count: size)
    for index in entries.indices { place(index) }
  }

  private static func hash(_ key: Span<UInt8>) -> Int {
    Int(truncatingIfNeeded: ByteHash.ofThisProcess.hash(key.bytes)) & Int.max
  }
}

extension ByteTable where Value == Int32 {
  /// As for other values, without generic code.
  package func value(for key: Span<UInt8>) -> Int32? { found(key) }
}

extension Array where Element == UInt8 {
  /// A copy of the bytes of a span.
  package init(copying span: Span<UInt8>) {
    self = span.withUnsafeBufferPointer { Array($0) }
  }
}

/// Whether two spans hold the same bytes.
@inlinable
package func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  for index in left.indices where left[index] != right[index] { return false }
  return true
}

/// A seeded hash of byte strings, eight bytes at a step.
///
/// Names come from foreign lists, and hosts and URLs from pages: the two numbers are chosen at random once a process,
/// so that no author of them can choose colliding texts. No answer depends on them, since tables compare names in full.
///
/// Source: the folded multiplication of wyhash (Wang Yi, 2019), with a secret factor.
struct ByteHash: Sendable {
  let start: UInt64
  let factor: UInt64

  static let ofThisProcess = ByteHash(
    start: UInt64.random(in: 1 ... .max), factor: UInt64.random(in: 1 ... .max) | 0x8000_0000_0000_0001)

  /// The hash with eight more bytes.
  @inline(__always)
  func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }

  /// The hash with the last bytes of a text or of a label, fewer than eight, which stand in the lower part of `word`.
  @inline(__always)
  func finish(_ hash: UInt64, _ word: UInt64, count: Int) -> UInt64 {
    mix(hash, word | UInt64(truncatingIfNeeded: count &+ 1) &<< 56)
  }

  /// The hash of a whole text.
  func hash(_ text: RawSpan) -> UInt64 {
    var hash = start
    var place = 0
    while place &+ 8 <= text.byteCount {
      hash = mix(hash, text.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self))
      place &+= 8
    }
    var rest: UInt64 = 0
    for index in stride(from: text.byteCount &- 1, through: place, by: -1) {
      rest = rest &<< 8 | UInt64(text.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self))
    }
    return finish(hash, rest, count: text.byteCount &- place)
  }
}

extension RawSpan {
  /// Whether two spans hold the same bytes, eight at a step.
  @inline(__always)
  func equals(_ other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    var place = 0
    while place &+ 8 <= byteCount {
      let word = unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
      guard word == other.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self) else { return false }
      place &+= 8
    }
    while place < byteCount {
      let byte = unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self)
      guard byte == other.unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self) else { return false }
      place &+= 1
    }
    return true
  }
}
