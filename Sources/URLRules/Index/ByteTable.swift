internal import Bytes

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

    func has(_ other: Span<UInt8>) -> Bool { key.span.matches(other) }
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
