import PolicyFiles
import URLRules

/// Keeps the hosts of lists as text.
struct CollectedHosts: ListedHosts {
  var lists: [[String]] = []
  /// How many hosts there is room for.
  var room = Int.max

  mutating func beginList() -> HostListNumber {
    lists.append([])
    return HostListNumber(lists.count - 1)
  }

  mutating func add(_ host: Span<UInt8>) -> Bool {
    guard room > 0 else { return false }
    room -= 1
    lists[lists.count - 1].append(host.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
    return true
  }
}

/// One file in memory that comes in pieces of some bytes.
struct PieceFiles: FileSource {
  let bytes: [UInt8]
  let pieceSize: Int

  func entries(of directory: String) throws(FileProblem) -> [FileEntry] { [] }
  func kind(of path: String) -> FileEntry.Kind? { .regular }
  func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] { bytes }
  var workingDirectory: String { "/" }

  func stream(
    _ path: String, below root: String, limit: Int, _ take: (Span<UInt8>) -> Bool
  ) throws(FileProblem) -> FileFacts {
    guard bytes.count <= limit else { throw .tooLarge }
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, max(start + pieceSize, 2))
      guard take(bytes.span.extracting(start..<end)) else { break }
      start = end
    }
    return FileFacts(size: bytes.count, modified: 1_795_219_200)
  }
}

/// What reading one list gave.
struct ReadList {
  /// Nil when the list must not be used.
  let file: ListFile?
  let hosts: [String]
  let problems: String

  /// Reads a list of hosts called `l`.
  init(
    _ bytes: [UInt8], _ format: ListFormat = .domains, pieces: Int = 1 << 17, checks: ListChecks = ListChecks(),
    room: Int = .max
  ) {
    var hosts = CollectedHosts()
    hosts.room = room
    var diagnostics = Diagnostics()
    let reader = ListReader(files: PieceFiles(bytes: bytes, pieceSize: pieces), checks: checks)
    file = reader.readHosts(ListPlace(below: "", name: "l"), format, into: &hosts, &diagnostics)
    self.hosts = hosts.lists[0]
    problems = diagnostics.description
  }

  init(_ text: String, _ format: ListFormat = .domains, checks: ListChecks = ListChecks()) {
    self.init(Array(text.utf8), format, checks: checks)
  }

  /// The list of `line` and as many good lines as one bad line may have beside it to be but a warning.
  init(badLine line: [UInt8], _ format: ListFormat) {
    let good = (0..<99).map { format == .hosts ? "0.0.0.0 n\($0).example\n" : "n\($0).example\n" }
    self.init(line + [0x0A] + Array(good.joined().utf8), format)
  }
}

/// Writes gzip files: stored blocks, and runs of one byte that unpack to two hundred times their size.
enum Gzip {
  static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

  /// One member that holds `text` as it is.
  static func stored(_ text: [UInt8]) -> [UInt8] {
    var bytes = header
    var rest = text[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      bytes.append(rest.isEmpty ? 1 : 0)
      bytes += littleEndian(UInt32(block.count), bytes: 2) + littleEndian(~UInt32(block.count), bytes: 2) + block
    } while !rest.isEmpty
    return bytes + littleEndian(crc(text), bytes: 4) + littleEndian(UInt32(text.count), bytes: 4)
  }

  /// The beginning of a member that goes on for `length` zero bytes and more, and breaks off.
  ///
  /// A literal zero, then the longest match at distance one again and again: 13 bits for 258 bytes (RFC 1951, 3.2.6).
  static func zeros(_ length: Int) -> [UInt8] {
    let match = "1100010100000"
    let bits = Array(("110" + "00110000" + String(repeating: match, count: 16)).utf8)
    let bytes = stride(from: 0, to: 26 * 8, by: 8).map { start in
      (0..<8).reduce(UInt8(0)) { $0 | (bits[start + $1] == UInt8(ascii: "1") ? 1 << UInt8($1) : 0) }
    }
    // From the third byte on the pattern of eight matches repeats every 13 bytes.
    let pattern = bytes[2..<15]
    return header + bytes[..<2] + Array(repeatElement(pattern, count: length / (8 * 258) + 2).joined())
  }

  private static func littleEndian(_ value: UInt32, bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }

  /// CRC-32 (RFC 1952, section 8).
  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
