internal import Bytes
internal import CMemory

/// Numbers by names, in flat memory: about 33 bytes for a name of 20.
///
/// The index consists of cache lines, one for 18 names. A line has six buckets and a filter of marks; a bucket is a
/// filter of 32 bits and the place in the pool where its records lie one behind the other. Most searches for an absent
/// name therefore end in one line, and the others need one stretch of the pool besides. A record is the number (4
/// bytes), the length (2), a fingerprint (2) and the name. Names are compared in full: neither filter nor fingerprint
/// ever makes a match.
///
/// Source of the filters: Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters", 2007.
struct FlatTable: Sendable {
  /// Longer names are not in any URL.
  static let maximumName = Int(UInt16.max)
  /// The bytes that all records may take together, so that places fit into 32 bits.
  static let maximumBytes = Int(UInt32.max) - 65_536
  /// Number, length and fingerprint, before each name.
  static let headBytes = 8

  private let index: FlatMemory
  private let pool: FlatMemory
  private let buckets: Buckets
  /// End of the last record.
  private let end: Int
  let count: Int
  /// Memory of the table.
  let residentBytes: Int

  fileprivate init(_ writer: consuming FlatTableWriter) {
    index = writer.index
    pool = writer.pool
    buckets = writer.buckets
    count = writer.count
    end = writer.end
    residentBytes = writer.index.count + writer.end
  }

  /// Whether a hash may have been marked; false is certain.
  @inline(__always)
  func isPerhapsMarked(_ hash: UInt64) -> Bool {
    let mark = Mark(hash, line: IndexLine.place(ofBucket: buckets.number(of: hash)))
    return index.load(at: mark.place, as: UInt64.self) & mark.bits == mark.bits
  }

  /// Begins to fetch the memory that a search for this hash reads first.
  @inline(__always)
  func prefetch(_ hash: UInt64) { index.prefetch(IndexLine.place(ofBucket: buckets.number(of: hash))) }

  /// Calls `body` with every name and its number.
  func forEach(_ body: (_ name: RawSpan, _ value: UInt32) -> Void) {
    var place = 0
    while place < end {
      let head = pool.load(at: place, as: UInt64.self)
      let length = RecordHead.length(head)
      body(pool.bytes(at: place + Self.headBytes, count: length), UInt32(truncatingIfNeeded: head))
      place += Self.headBytes + length
    }
  }

  /// The number of a name; nil when the table does not have it.
  @inline(__always)
  func value(of name: RawSpan, hash: UInt64) -> UInt32? {
    let bucket = index.load(at: IndexLine.word(ofBucket: buckets.number(of: hash)), as: UInt64.self)
    let mask = UInt64(RecordHead.mask(hash))
    guard bucket & mask == mask else { return nil }
    var place = Int(truncatingIfNeeded: bucket &>> 32)
    let wanted = RecordHead.description(hash, length: name.byteCount)
    while true {
      let head = pool.load(at: place, as: UInt64.self)
      let length = RecordHead.length(head)
      if RecordHead.description(head) == wanted,
        pool.bytes(at: place &+ Self.headBytes, count: length).equals(name)
      {
        return UInt32(truncatingIfNeeded: head)
      }
      if RecordHead.isLast(head) { return nil }
      place &+= Self.headBytes &+ length
    }
  }
}

/// Parts of the range of hashes, of the same size and in the same order.
struct Buckets: Sendable {
  let count: Int

  @inline(__always)
  func number(of hash: UInt64) -> Int {
    Int(truncatingIfNeeded: ((hash &>> 32) &* UInt64(truncatingIfNeeded: count)) &>> 32)
  }
}

/// Layout of the index: lines of 64 bytes, two words of marks and six of buckets in each.
private enum IndexLine {
  static let buckets = 6
  static let namesPerBucket = 3
  static let bytes = 64

  @inline(__always)
  static func place(ofBucket bucket: Int) -> Int {
    Int(truncatingIfNeeded: UInt(truncatingIfNeeded: bucket) / UInt(buckets)) &* bytes
  }

  @inline(__always)
  static func word(ofBucket bucket: Int) -> Int {
    let line = Int(truncatingIfNeeded: UInt(truncatingIfNeeded: bucket) / UInt(buckets))
    return (bucket &+ 2 &* line &+ 2) &* 8
  }
}

/// Three bits in one of the two words of marks of a line.
private struct Mark {
  let place: Int
  let bits: UInt64

  @inline(__always)
  init(_ hash: UInt64, line: Int) {
    place = line &+ Int(truncatingIfNeeded: hash &>> 18 & 1) &* 8
    bits = 1 &<< (hash & 63) | 1 &<< (hash &>> 6 & 63) | 1 &<< (hash &>> 12 & 63)
  }
}

/// The head of a name in the pool, lowest bits first: number (32), length (16), whether it is the last of its bucket
/// (1), fingerprint (15).
private enum RecordHead {
  static let last: UInt64 = 1 << 48

  @inline(__always)
  static func length(_ head: UInt64) -> Int { Int(truncatingIfNeeded: head &>> 32 & 0xFFFF) }

  @inline(__always)
  static func isLast(_ head: UInt64) -> Bool { head & last != 0 }

  /// Length and fingerprint.
  @inline(__always)
  static func description(_ head: UInt64) -> UInt64 { head & 0xFFFE_FFFF_0000_0000 }

  @inline(__always)
  static func description(_ hash: UInt64, length: Int) -> UInt64 {
    (hash & 0x7FFF) &<< 49 | UInt64(truncatingIfNeeded: length) &<< 32
  }

  /// Three of 32 bits, by parts of the hash that choose neither bucket nor fingerprint.
  @inline(__always)
  static func mask(_ hash: UInt64) -> UInt32 {
    let bits = UInt32(truncatingIfNeeded: hash &>> 15)
    return 1 &<< (bits & 31) | 1 &<< (bits &>> 5 & 31) | 1 &<< (bits &>> 10 & 31)
  }
}

/// Writes a table whose names come in the order of their hashes.
struct FlatTableWriter {
  let index: FlatMemory
  fileprivate let pool: FlatMemory
  fileprivate let buckets: Buckets
  fileprivate var count = 0
  fileprivate var end = 0
  /// Bucket and place of the record that was written last.
  private var last = (bucket: -1, place: 0)

  /// For at most `names` names of `nameBytes` bytes in all.
  init(names: Int, nameBytes: Int) {
    let lines = max(1, names / (IndexLine.buckets * IndexLine.namesPerBucket))
    buckets = Buckets(count: lines * IndexLine.buckets)
    index = FlatMemory(zeroes: lines * IndexLine.bytes)
    pool = FlatMemory(room: names * FlatTable.headBytes + nameBytes)
  }

  /// Appends a name that was not written before, with a hash that is not less than the last one's.
  mutating func append(_ name: RawSpan, hash: UInt64, value: UInt32) {
    precondition(end + FlatTable.headBytes + name.byteCount <= pool.count && name.byteCount <= FlatTable.maximumName)
    let bucket = buckets.number(of: hash)
    let word = IndexLine.word(ofBucket: bucket)
    if bucket == last.bucket {
      pool.store(pool.load(at: last.place, as: UInt64.self) & ~RecordHead.last, at: last.place)
    } else {
      index.store(UInt32(end), at: word + 4)
    }
    index.store(index.load(at: word, as: UInt32.self) | RecordHead.mask(hash), at: word)
    let head = RecordHead.description(hash, length: name.byteCount) | RecordHead.last | UInt64(value)
    pool.store(head, at: end)
    pool.store(copying: name, at: end + FlatTable.headBytes)
    last = (bucket, end)
    end += FlatTable.headBytes + name.byteCount
    count += 1
  }

  /// Makes `isPerhapsMarked` true of a hash, whether or not there is a name with it.
  func mark(_ hash: UInt64) {
    let mark = Mark(hash, line: IndexLine.place(ofBucket: buckets.number(of: hash)))
    index.store(index.load(at: mark.place, as: UInt64.self) | mark.bits, at: mark.place)
  }

  consuming func finish() -> FlatTable { FlatTable(self) }
}

/// A block of memory for a table that is filled once and then only read; it begins where a cache line does.
///
/// A table of a million names is two of these: no object for an entry, and nothing to count references of.
// INVARIANT: only the table that made a block writes to it, before anyone else can see that table. Places are worked
// out by the table, never taken from outside, and lie within the block.
final class FlatMemory: Sendable {
  let count: Int
  nonisolated(unsafe) private let base: UnsafeMutableRawPointer

  /// A block that is zero throughout.
  init(zeroes count: Int) {
    self.count = count
    base = Self.allocate(count)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: max(64, count))
  }

  /// A block whose bytes mean nothing until they are written. Unwritten pages take no memory: such a block may be
  /// larger than will be needed.
  init(room count: Int) {
    self.count = count
    base = Self.allocate(count)
  }

  private static let largePage = 1 << 21

  private static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    guard count >= 2 * largePage else { return .allocate(byteCount: max(64, count), alignment: 64) }
    let block = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: largePage)
    cmemory_prefer_large_pages(block, count)
    return block
  }

  deinit { base.deallocate() }

  @inline(__always)
  func load<Value: BitwiseCopyable>(at place: Int, as _: Value.Type) -> Value {
    base.loadUnaligned(fromByteOffset: place, as: Value.self)
  }

  /// Begins to fetch the bytes at `place`.
  @inline(__always)
  func prefetch(_ place: Int) { cmemory_prefetch(base + place) }

  @inline(__always)
  func store<Value: BitwiseCopyable>(_ value: Value, at place: Int) {
    base.storeBytes(of: value, toByteOffset: place, as: Value.self)
  }

  /// Copies the bytes of a span to `place`.
  func store(copying bytes: RawSpan, at place: Int) {
    bytes.withUnsafeBytes { source in
      UnsafeMutableRawBufferPointer(start: base + place, count: source.count).copyMemory(from: source)
    }
  }

  @inline(__always)
  @_lifetime(borrow self)
  func bytes(at place: Int, count: Int) -> RawSpan {
    _overrideLifetime(RawSpan(_unsafeStart: UnsafeRawPointer(base + place), byteCount: count), borrowing: self)
  }
}
