/// Many filters as flat arrays: hosts, under each its paths, under each its filters, those with a query by one token.
///
/// A search for the filters of a URL takes one probe a label of its host, one a length that paths under such a host
/// have, and one an element of its query. A list of a million filters costs only cache misses beyond that.
package struct FilterIndex: Sendable {
  /// The kind of hosts that a ``Host`` stands for.
  package enum HostReach: UInt8, Sendable, Hashable {
    case every
    /// No host at all, as in `mailto:someone@example.com`.
    case nothing
    case exactly
    case below
  }

  /// Filters of one scheme (or of every) that name one host.
  package struct Host: Sendable {
    package var kind: HostReach
    /// 0 for every scheme, else one more than the number in `schemes`.
    package var scheme: UInt32
    package var name: Text
    /// The lengths of the paths under this host, in `lengths`, ascending.
    var pathLengths: Text
  }

  /// Filters of one host and one path.
  package struct Path: Sendable {
    package var host: UInt32
    package var path: Text
    /// Filters without a query, in `entries`, the highest in rank first.
    package var entries: Text
    /// The lengths of the tokens that elements of the query may begin with, in `lengths`, ascending.
    var prefixLengths: Text
    /// The length of the longest token.
    var longestToken: UInt32
    /// The first bytes of the tokens.
    var firstBytes: FirstBytes
    /// There are tokens that elements must be equal to.
    var hasWholeTokens: Bool
  }

  /// The bytes that some texts begin with, folded to 64. A `&` stands for the empty text.
  struct FirstBytes: Sendable {
    private var bits: UInt64 = 0

    mutating func insert(_ text: [UInt8]) { bits |= Self.bit(text.first ?? UInt8(ascii: "&")) }

    /// Notes that the empty text is a prefix of everything.
    mutating func insertAll() { bits = .max }

    var isEmpty: Bool { bits == 0 }

    @inline(__always)
    func mayHold(_ byte: UInt8) -> Bool { bits & Self.bit(byte) != 0 }

    @inline(__always)
    private static func bit(_ byte: UInt8) -> UInt64 { 1 << UInt64(byte & 63) }
  }

  /// Filters of one host and one path that demand one token of the query, among others.
  package struct Token: Sendable {
    package var path: UInt32
    var text: Text
    var isPrefix: Bool
    package var entries: Text
  }

  /// One filter; host, scheme and path are known where it lies.
  package struct Entry: Sendable {
    package var rank: UInt64
    package var number: Int32
    /// 0 for every port.
    package var port: UInt16
    package var flags: Flags
    /// In `conditionNumbers`.
    package var conditions: Text
  }

  package struct Flags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let allows = Flags(rawValue: 1)
    static let isWildcard = Flags(rawValue: 2)
  }

  /// A condition, shared by all filters that have it.
  package struct SharedCondition: Sendable {
    package var text: Text
    package var keyCount: UInt32
    package var isPrefix: Bool
    package var isEvery: Bool
  }

  /// A range of one of the arrays.
  package struct Text: Sendable, Hashable {
    var start: UInt32 = 0
    package var count: UInt32 = 0
    package var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  package var bytes: [UInt8] = []
  var lengths: [UInt32] = []
  package var schemes = ByteTable<UInt32>()
  package var hosts: [Host] = []
  package var paths: [Path] = []
  package var tokens: [Token] = []
  package var entries: [Entry] = []
  package var conditionNumbers: [UInt32] = []
  package var conditions: [SharedCondition] = []
  var hostSlots = FilterSlots()
  var pathSlots = FilterSlots()
  var tokenSlots = FilterSlots()
  /// The length of the longest host name.
  var longestName = 0

  /// Memory of the index, apart from the few scheme names.
  var stateBytes: Int {
    bytes.capacity + (lengths.capacity + conditionNumbers.capacity) * MemoryLayout<UInt32>.stride
      + hosts.capacity * MemoryLayout<Host>.stride + paths.capacity * MemoryLayout<Path>.stride
      + tokens.capacity * MemoryLayout<Token>.stride + entries.capacity * MemoryLayout<Entry>.stride
      + conditions.capacity * MemoryLayout<SharedCondition>.stride
      + hostSlots.stateBytes + pathSlots.stateBytes + tokenSlots.stateBytes
  }

  /// Gives back the memory that the arrays hold beyond their contents.
  mutating func trim() {
    bytes = bytes.map(\.self)
    lengths = lengths.map(\.self)
    hosts = hosts.map(\.self)
    paths = paths.map(\.self)
    tokens = tokens.map(\.self)
    entries = entries.map(\.self)
    conditionNumbers = conditionNumbers.map(\.self)
    conditions = conditions.map(\.self)
  }

  // The prefix of hashed record names: the number of the record above, and the kind of name.

  static func salt(host kind: HostReach, scheme: UInt32) -> UInt64 { UInt64(kind.rawValue) << 32 | UInt64(scheme) }

  static func salt(path host: Int, count: Int) -> UInt64 { UInt64(host) << 32 | UInt64(count) }

  static func salt(token path: Int, isPrefix: Bool, count: Int) -> UInt64 {
    UInt64(path) << 32 | UInt64(count) << 1 | (isPrefix ? 1 : 0)
  }
}

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
