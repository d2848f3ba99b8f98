internal import JSONText

/// Finds the value for a name from the name's bytes, without a String or any allocation.
///
///     let frames = NameTable(Frame.allCases, name: \.name)
///     frames["main".utf8.span]    // Frame.main
///     frames["Main".utf8.span]    // nil
///
/// Open addressing with at most a quarter of the slots taken, hashed by length and three bytes. The names are ours, so
/// no attacker can choose them to collide; a stranger's text costs one comparison or two.
struct NameTable<Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    let lower: Int
    let upper: Int
    let value: Value
  }

  private let text: [UInt8]
  private let entries: [Entry]
  /// The number of an entry, or -1, per slot. The number of slots is a power of two.
  private let slots: [Int8]

  // INVARIANT: fewer than 128 names, and every name once.
  init(_ names: [(String, Value)]) {
    var text: [UInt8] = []
    var entries: [Entry] = []
    for (name, value) in names.prefix(Int(Int8.max)) {
      let lower = text.count
      text += Array(name.utf8)
      entries.append(Entry(lower: lower, upper: text.count, value: value))
    }
    var size = 16
    while size < 4 * entries.count { size *= 2 }
    var slots = [Int8](repeating: -1, count: size)
    for (number, entry) in entries.enumerated() {
      var slot = Self.slot(of: text.span.extracting(entry.lower..<entry.upper), size: size)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int8(number)
    }
    self.text = text
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

  subscript(name: Span<UInt8>) -> Value? {
    var slot = Self.slot(of: name, size: slots.count)
    while true {
      let number = Int(slots[slot])
      guard number >= 0 else { return nil }
      let entry = entries[number]
      if isEqual(entry, name) { return entry.value }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  private func isEqual(_ entry: Entry, _ name: Span<UInt8>) -> Bool {
    entry.upper - entry.lower == name.count && text.span.extracting(entry.lower..<entry.upper).matches(name)
  }

  private static func slot(of name: Span<UInt8>, size: Int) -> Int {
    let count = name.count
    guard count > 0 else { return 0 }
    let hash = count &* 31 &+ Int(name[0]) &* 7 &+ Int(name[count - 1]) &* 13 &+ Int(name[count / 2]) &* 3
    return hash & (size - 1)
  }
}
