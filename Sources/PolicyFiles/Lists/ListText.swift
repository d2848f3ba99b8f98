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
