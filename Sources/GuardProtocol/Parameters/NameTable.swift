internal import Bytes

/// Finds the value for a name from the name's bytes, without a String or any allocation.
///
///     let frames = NameTable(Frame.allCases, name: \.name)
///     frames["main".utf8.span]    // Frame.main
///     frames["Main".utf8.span]    // nil
///
/// Open addressing with at most a quarter of the slots taken. The names are ours, so no attacker can choose them to
/// collide; a stranger's text costs one comparison or two.
struct NameTable<Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    let key: NameKey
    let text: [UInt8]
    let value: Value

    func has(_ name: Span<UInt8>) -> Bool { text.span.matches(name) }
  }

  private let entries: [Entry]
  /// The number of an entry, or -1, per slot. The number of slots is a power of two.
  private let slots: [Int8]

  // INVARIANT: fewer than 128 names, and every name once.
  init(_ names: [(String, Value)]) {
    let entries = names.prefix(Int(Int8.max)).map { name, value in
      let text = Array(name.utf8)
      return Entry(key: NameKey(text.span), text: text, value: value)
    }
    var size = 16
    while size < 4 * entries.count { size *= 2 }
    var slots = [Int8](repeating: -1, count: size)
    for (number, entry) in entries.enumerated() {
      var slot = entry.key.hash & (size - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int8(number)
    }
    self.entries = entries
    self.slots = slots
  }

  init(_ values: some Sequence<Value>, name: (Value) -> String) {
    self.init(values.map { (name($0), $0) })
  }

  /// A table of the raw values of an enum.
  init(words type: Value.Type) where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    self.init(type.allCases, name: \.rawValue)
  }

  @inline(__always)
  subscript(name: Span<UInt8>) -> Value? {
    let key = NameKey(name)
    var slot = key.hash & (slots.count &- 1)
    while true {
      let number = Int(slots[slot])
      guard number >= 0 else { return nil }
      if entries[number].key == key, key.isWhole || entries[number].has(name) { return entries[number].value }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
  }
}

/// The length of a name with its first and last eight bytes: all of a name of up to sixteen.
private struct NameKey: Equatable {
  let count: Int
  let first: UInt64
  let last: UInt64

  @inline(__always)
  init(_ name: Span<UInt8>) {
    count = name.count
    let bytes = name.bytes
    if count >= 8 {
      first = bytes.unsafeLoadUnaligned(as: UInt64.self)
      last = bytes.unsafeLoadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    } else if count >= 4 {
      first = UInt64(bytes.unsafeLoadUnaligned(as: UInt32.self))
      last = UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
    } else if count > 0 {
      first = UInt64(name[0]) | UInt64(name[count / 2]) << 8
      last = UInt64(name[count &- 1])
    } else {
      (first, last) = (0, 0)
    }
  }

  var isWhole: Bool { count <= 16 }

  /// The upper bits of a product depend on all bytes.
  var hash: Int {
    let mixed = (first ^ last &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: count)) &* 0xD6E8_FEB8_6659_FD93
    return Int(truncatingIfNeeded: mixed >> 40)
  }
}
