internal import Glibc

extension SystemFiles {
  /// Bytes of a piece; all but the last have as many.
  private static let pieceSize = 128 << 10

  package func stream(
    _ path: String, below root: String, limit: Int, _ take: (Span<UInt8>) -> Bool
  ) throws(FileProblem) -> FileFacts {
    // The place behind all links is opened, and not the path: a link that is changed now leads nowhere new.
    let place = try Self.resolved(path)
    let directory = try Self.resolved(root.isEmpty ? "." : root)
    guard place.hasPrefix(directory == "/" ? "/" : directory + "/") else { throw .outside }
    let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    let before = try Self.facts(descriptor)
    guard before.size <= limit else { throw .tooLarge }
    guard let size = try Self.readPieces(descriptor, limit: limit, take) else { return Self.published(before) }
    let after = try Self.facts(descriptor)
    guard before == after, after.size == size else { throw .changed }
    return Self.published(after)
  }

  /// Size, and when it was last written, to the nanosecond.
  private struct Facts: Equatable {
    var size: Int
    var seconds: Int
    var nanoseconds: Int
  }

  private static func published(_ facts: Facts) -> FileFacts {
    FileFacts(size: facts.size, modified: Int64(facts.seconds))
  }

  private static func facts(_ descriptor: Int32) throws(FileProblem) -> Facts {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last }
    guard kind(status) == .regular else { throw .notARegularFile }
    return Facts(size: Int(status.st_size), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  /// Returns how many bytes there were; nil when `take` had enough.
  private static func readPieces(
    _ descriptor: Int32, limit: Int, _ take: (Span<UInt8>) -> Bool
  ) throws(FileProblem) -> Int? {
    var piece = [UInt8](repeating: 0, count: pieceSize)
    var total = 0
    while true {
      let count = try fill(&piece, from: descriptor)
      if count == 0 { return total }
      total += count
      guard total <= limit else { throw .tooLarge }
      guard take(piece.span.extracting(0..<count)) else { return nil }
    }
  }

  /// Reads until the piece is full or the file ends.
  private static func fill(_ piece: inout [UInt8], from descriptor: Int32) throws(FileProblem) -> Int {
    var filled = 0
    while filled < piece.count {
      let count = piece.withUnsafeMutableBytes { bytes in
        Glibc.read(descriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled)
      }
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw .last
      }
    }
    return filled
  }

  private static func resolved(_ path: String) throws(FileProblem) -> String {
    guard let place = realpath(path, nil) else { throw .last }
    defer { free(place) }
    return String(cString: place)
  }
}
