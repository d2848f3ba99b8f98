import Glibc

/// The lines of a file, in one piece of memory, without empty ones.
struct Corpus {
  private let bytes: [UInt8]
  private let lines: [Range<Int>]

  init(path: String) throws(MeasureError) {
    bytes = try Self.read(path)
    var lines: [Range<Int>] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      if index > start { lines.append(start..<index) }
      start = index + 1
    }
    if start < bytes.count { lines.append(start..<bytes.count) }
    guard !lines.isEmpty else { throw .noLines(path) }
    self.lines = lines
  }

  var count: Int { lines.count }

  /// The line of this number, which is below `count`.
  @inline(__always)
  subscript(line: Int) -> Span<UInt8> {
    @_lifetime(borrow self) get { bytes.span.extracting(lines[line]) }
  }

  func text(_ line: Int) -> String { String(decoding: bytes[lines[line]], as: UTF8.self) }
}

// Files.
extension Corpus {
  private static let piece = 1 << 20

  /// The whole file, also of one that does not know its size.
  private static func read(_ path: String) throws(MeasureError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotRead(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
      let piece = [UInt8](unsafeUninitializedCapacity: piece) { buffer, count in
        count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
      }
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }

  static func write(_ text: [UInt8], to path: String) throws(MeasureError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .cannotWrite(path) }
    defer { close(descriptor) }
    var written = 0
    while written < text.count {
      let count = text.withUnsafeBytes { bytes in
        Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count > 0 else { throw .cannotWrite(path) }
      written += count
    }
  }
}
