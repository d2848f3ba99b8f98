internal import CMemory

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
