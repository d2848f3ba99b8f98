/// A rolling hash of bytes, one byte at a time, so that every prefix of a path is hashed in one pass over it.
///
/// A polynomial over the Mersenne prime 2^61 - 1 at a point that no one outside this process knows. Filters may come
/// from foreign lists and URLs from hostile pages; any two texts that they choose collide with a chance of length /
/// 2^61. A collision costs a comparison, never a wrong answer.
struct FilterHash {
  /// Below 2^61 + 8, of which the prime has not yet been taken away.
  private var value: UInt64 = 1
  private let point = Self.secretPoint

  /// Takes in one more byte.
  @inline(__always)
  mutating func absorb(_ byte: UInt8) {
    let product = value.multipliedFullWidth(by: point)
    let sum = (product.low & Self.prime) &+ (product.high << 3 | product.low >> 61) &+ UInt64(byte) &+ 1
    value = (sum & Self.prime) &+ (sum >> 61)
  }

  /// The hash of the bytes so far under a number for the kind of name.
  @inline(__always)
  func mixed(with salt: UInt64) -> UInt64 {
    let canonical = value >= Self.prime ? value &- Self.prime : value
    var hash = canonical ^ (salt &* 0x9E37_79B9_7F4A_7C15) ^ point
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ (hash >> 33)
  }

  private static let prime: UInt64 = (1 << 61) - 1

  /// Drawn once a process: it comes from the seed of Swift's own hashing.
  private static let secretPoint: UInt64 = {
    var hasher = Hasher()
    hasher.combine("URLFilterSet")
    return UInt64(bitPattern: Int64(hasher.finalize())) % (prime - 1_000) + 500
  }()
}

/// A table from hashes to numbers of records that know their own names: open addressing, at most half full.
struct FilterSlots: Sendable {
  /// The upper half of the hash, then the record's number and one; 0 is free.
  private var slots: [UInt64] = []

  init() {}

  /// A table for the records whose hashes are given, in order.
  init(_ hashes: [UInt64]) {
    guard !hashes.isEmpty else { return }
    var size = 2
    while size < hashes.count * 2 { size *= 2 }
    slots = Array(repeating: 0, count: size)
    for (number, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & (size - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(number + 1)
    }
  }

  var stateBytes: Int { slots.count * MemoryLayout<UInt64>.stride }

  /// The number of the record with this hash that `isIt` knows for its own; nil when there is none.
  @inline(__always)
  func number(_ hash: UInt64, where isIt: (Int) -> Bool) -> Int? {
    guard !slots.isEmpty else { return nil }
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      if (slots[slot] ^ hash) >> 32 == 0 {
        let number = Int(truncatingIfNeeded: slots[slot] & 0xFFFF_FFFF) - 1
        if isIt(number) { return number }
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }
}
