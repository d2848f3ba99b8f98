private import CZlib

/// Why gzip data could not be unpacked.
enum GzipProblem: Error, Hashable {
  case damaged
  /// The data end inside a member.
  case truncated
  /// Data other than gzip follow the last member.
  case trailingBytes
  case noMemory
}

/// Unpacks gzip data piece by piece (RFC 1952), with members behind one another as one text.
///
///     var unpacker = GzipUnpacker()
///     try unpacker?.unpack(piece) { text in … }    // as often as there are pieces
///     try unpacker?.finish()                       // truncated?
///
/// Memory is one piece of text and zlib's window of 32 KiB, however large the unpacked data are. The checksum and the
/// length of a member are checked at its end, so text has been handed out before they were: use none of it after an
/// error.
struct GzipUnpacker: ~Copyable {
  /// Maximum bytes of text that are handed out at once.
  private static let pieceSize = 128 << 10

  // zlib keeps a pointer to the stream inside the stream, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private var text = [UInt8](repeating: 0, count: Self.pieceSize)
  /// Packed bytes that were used, up to the place of the trouble after an error.
  private(set) var position = 0
  private var isBetweenMembers = false

  /// Nil without memory for it.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard czlib_gunzip_init(stream) == Z_OK else {
      stream.deallocate()
      return nil
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Whether data that begin like this are gzip.
  static func isGzip(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B
  }

  /// Unpacks the next piece; `take` returns false to get no more of it.
  mutating func unpack(_ packed: Span<UInt8>, _ take: (Span<UInt8>) -> Bool) throws(GzipProblem) {
    var isDone = packed.isEmpty
    var next = 0
    while !isDone {
      if isBetweenMembers { try beginMember(packed[next]) }
      let (used, made, status) = inflateOnce(packed.extracting(next..<packed.count))
      next += used
      position += used
      guard made == 0 || take(text.span.extracting(0..<made)) else { return }
      switch status {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END: isBetweenMembers = true
      case Z_MEM_ERROR: throw .noMemory
      default: throw .damaged
      }
      // A full piece of text may have more behind it, also when all packed bytes are used.
      isDone = next == packed.count && (made < text.count || isBetweenMembers)
    }
  }

  /// Checks that the data ended at the end of a member.
  func finish() throws(GzipProblem) {
    guard isBetweenMembers else { throw .truncated }
  }

  private mutating func beginMember(_ first: UInt8) throws(GzipProblem) {
    guard first == 0x1F else { throw .trailingBytes }
    guard inflateReset(stream) == Z_OK else { throw .damaged }
    isBetweenMembers = false
  }

  /// One call of zlib: the numbers of bytes it used and made, and its result.
  private mutating func inflateOnce(_ packed: Span<UInt8>) -> (used: Int, made: Int, status: Int32) {
    packed.withUnsafeBufferPointer { packed in
      text.withUnsafeMutableBufferPointer { text in
        // zlib does not write to its input; it only declares that without `const`.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
        stream.pointee.avail_in = UInt32(clamping: packed.count)
        stream.pointee.next_out = text.baseAddress
        stream.pointee.avail_out = UInt32(clamping: text.count)
        let status = inflate(stream, Z_NO_FLUSH)
        let used = packed.count - Int(stream.pointee.avail_in)
        return (used, text.count - Int(stream.pointee.avail_out), status)
      }
    }
  }
}
