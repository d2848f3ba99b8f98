/// A set of places in a text. It keeps its memory, so that using it again allocates nothing.
struct PositionSet {
  private var bits: [UInt64] = []
  /// Number of words that the text needs.
  private(set) var used = 0

  init() {}

  /// Empties the set, and makes it one of the places from 0 to `last`.
  mutating func reset(last: Int) {
    used = last >> 6 + 1
    if bits.count < used { bits.append(contentsOf: repeatElement(0, count: used - bits.count)) }
    clear()
  }

  mutating func clear() {
    for word in 0..<used { bits[word] = 0 }
  }

  mutating func insert(_ place: Int) { bits[place >> 6] |= 1 << UInt64(place & 63) }

  func contains(_ place: Int) -> Bool { bits[place >> 6] >> UInt64(place & 63) & 1 == 1 }

  /// The first member from `place` on.
  func next(from place: Int) -> Int? {
    var word = place >> 6
    guard word < used else { return nil }
    var rest = bits[word] & (UInt64.max << UInt64(place & 63))
    while rest == 0 {
      word += 1
      guard word < used else { return nil }
      rest = bits[word]
    }
    return word << 6 + rest.trailingZeroBitCount
  }

  mutating func insert(from first: Int, through last: Int) {
    guard first <= last else { return }
    let lastWord = last >> 6
    for word in first >> 6...lastWord {
      var mask = UInt64.max
      if word == first >> 6 { mask &= UInt64.max << UInt64(first & 63) }
      if word == lastWord { mask &= UInt64.max >> UInt64(63 - last & 63) }
      bits[word] |= mask
    }
  }

  mutating func formUnion(_ other: borrowing PositionSet) {
    for word in 0..<used { bits[word] |= other.bits[word] }
  }
}

/// The sets that one match needs; a thread has them once.
struct PositionSets {
  var places = PositionSet()
  var ends = PositionSet()
  var spare = PositionSet()

  mutating func reset(last: Int) {
    places.reset(last: last)
    ends.reset(last: last)
    spare.reset(last: last)
  }
}
