private import CZlib
internal import Glibc

/// A problem that keeps the text of a list file from being read at all.
enum ListTextProblem: Error, Hashable {
  /// At a byte of the file.
  case gzip(GzipProblem, byte: Int)
  /// The text would have more bytes than allowed.
  case tooLarge
  case utf16
  /// Packed with another program, or once more; its name.
  case packed(String)
  /// The reader of the lines does not go on, and says why.
  case refused(String)
}

/// The text of a list file, which comes in pieces as it is stored: unpacked if need be, and cut into lines.
///
/// Memory is one piece of text and one line, for any file.
struct ListText: ~Copyable {
  /// Bytes of text so far.
  private(set) var length = 0
  /// The first thing that went wrong. Pieces after it are not looked at.
  private(set) var problem: ListTextProblem?
  private var lines = ListLines()
  private var unpacker: GzipUnpacker?
  private var isBegun = false

  /// The number of lines that were handed out.
  var lineCount: Int { lines.count }

  /// Takes the next piece of the file; the first has at least two bytes, if the file has. Returns whether to go on.
  ///
  /// `refusal` is asked after each piece of text for a reason not to go on.
  mutating func take(
    _ stored: Span<UInt8>, _ line: (Span<UInt8>, Int) -> Void, refusal: () -> String?
  ) -> Bool {
    if !isBegun {
      isBegun = true
      if GzipUnpacker.isGzip(stored) {
        unpacker = GzipUnpacker()
        if unpacker == nil { problem = .gzip(.noMemory, byte: 0) }
      }
    }
    guard problem == nil else { return false }
    if unpacker == nil {
      takeText(stored, line, refusal: refusal)
    } else {
      unpack(stored, line, refusal: refusal)
    }
    return problem == nil
  }

  /// Hands out the last line, and checks that packed data came to an end.
  mutating func finish(_ line: (Span<UInt8>, Int) -> Void, refusal: () -> String?) {
    guard problem == nil else { return }
    do throws(GzipProblem) {
      try unpacker?.finish()
    } catch {
      problem = .gzip(error, byte: unpacker?.position ?? 0)
      return
    }
    lines.finish { bytes, number in line(number == 1 ? bytes.withoutByteOrderMark : bytes, number) }
    if let reason = refusal() { problem = .refused(reason) }
  }

  private mutating func unpack(
    _ stored: Span<UInt8>, _ line: (Span<UInt8>, Int) -> Void, refusal: () -> String?
  ) {
    // Taken out while it runs, since the text it hands over changes the rest of this value.
    guard var unpacker = unpacker.take() else { return }
    do throws(GzipProblem) {
      try unpacker.unpack(stored) { text in
        takeText(text, line, refusal: refusal)
        return problem == nil
      }
    } catch {
      problem = problem ?? .gzip(error, byte: unpacker.position)
    }
    self.unpacker = consume unpacker
  }

  @inline(__always)
  private mutating func takeText(
    _ text: Span<UInt8>, _ line: (Span<UInt8>, Int) -> Void, refusal: () -> String?
  ) {
    if length == 0 { problem = ListTextProblem(beginning: text) }
    length += text.count
    if length > ListLimits.maximumBytes { problem = .tooLarge }
    guard problem == nil else { return }
    lines.take(text) { bytes, number in
      line(number == 1 ? bytes.withoutByteOrderMark : bytes, number)
    }
    if let reason = refusal() { problem = .refused(reason) }
  }
}

extension ListTextProblem {
  /// The problem of a text that begins like this; nil when it may be a list.
  init?(beginning text: Span<UInt8>) {
    if text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE]) {
      self = .utf16
      return
    }
    guard let program = Self.packers.first(where: { text.starts(with: $0.magic) }) else { return nil }
    self = .packed(program.name)
  }

  private static let packers: [(name: String, magic: [UInt8])] = [
    ("gzip, a second time", [0x1F, 0x8B]), ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
    ("zstd", [0x28, 0xB5, 0x2F, 0xFD]), ("zip", [0x50, 0x4B, 0x03, 0x04]), ("bzip2", Array("BZh91AY&SY".utf8)),
    ("7-Zip", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), ("compress", [0x1F, 0x9D]),
  ]
}

extension Span<UInt8> {
  fileprivate func starts(with beginning: [UInt8]) -> Bool {
    guard count >= beginning.count else { return false }
    for index in beginning.indices where self[index] != beginning[index] { return false }
    return true
  }

  fileprivate var withoutByteOrderMark: Span<UInt8> {
    @_lifetime(copy self) get { starts(with: [0xEF, 0xBB, 0xBF]) ? extracting(3..<count) : self }
  }
}

/// Cuts a text that comes in pieces into its lines, without copying those that lie within a piece.
///
///     var lines = ListLines()
///     lines.take(piece) { line, number in … }      // "a\nb\nc": the lines 1 and 2
///     lines.finish { line, number in … }           // line 3, which has no line feed
///
/// A line ends at a line feed, which is not part of it; a carriage return before that is. Only the beginning of a too
/// long line is handed out; it is longer than `ListLimits.maximumLineLength`.
struct ListLines {
  /// Lines that were handed out.
  private(set) var count = 0
  /// The beginning of a line whose end has not come yet.
  private var begun: [UInt8] = []

  private static let keptLength = ListLimits.maximumLineLength + 1

  @inline(__always)
  mutating func take(_ piece: Span<UInt8>, _ body: (Span<UInt8>, Int) -> Void) {
    var start = 0
    while start < piece.count {
      let end = piece.firstLineFeed(from: start)
      let isWhole = end < piece.count
      if !begun.isEmpty || !isWhole {
        keep(piece.extracting(start..<end))
        if isWhole { handOutBegun(body) }
      } else {
        count += 1
        body(piece.extracting(start..<min(end, start + Self.keptLength)), count)
      }
      start = end + 1
    }
  }

  /// Hands out the rest, when the text did not end in a line feed.
  mutating func finish(_ body: (Span<UInt8>, Int) -> Void) {
    if !begun.isEmpty { handOutBegun(body) }
  }

  private mutating func handOutBegun(_ body: (Span<UInt8>, Int) -> Void) {
    count += 1
    body(begun.span, count)
    begun.removeAll(keepingCapacity: true)
  }

  private mutating func keep(_ part: Span<UInt8>) {
    let room = min(part.count, Self.keptLength - begun.count)
    part.extracting(0..<room).withUnsafeBufferPointer { begun.append(contentsOf: $0) }
  }
}

extension Span<UInt8> {
  /// The index of the first line feed from `start` on; the count when there is none.
  @inline(__always)
  fileprivate func firstLineFeed(from start: Int) -> Int {
    withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress,
        let found = memchr(base + start, Int32(UInt8.lineFeed), buffer.count - start)
      else { return buffer.count }
      return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }
  }
}

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
