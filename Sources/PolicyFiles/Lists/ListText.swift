/// What keeps the text of a list file from being read at all.
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
/// Memory is one piece of text and one line, whatever the file holds.
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
  /// What text that begins like this is instead of a list; nil when it may be one.
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
