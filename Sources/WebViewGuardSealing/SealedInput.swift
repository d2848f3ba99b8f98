internal import Platform

/// Where an envelope is read from: bytes in memory, or a file.
final class SealedInput {
  /// In memory; nil for a file.
  private let memory: [UInt8]?
  private let descriptor: Int32
  /// Keeps the descriptor open; nil for one of the caller.
  private let file: OpenFile?
  /// For messages.
  private let name: String

  init(_ bytes: [UInt8]) {
    (memory, descriptor, name) = (bytes, -1, "the data")
    file = nil
  }

  init(descriptor: Int32) {
    (memory, self.descriptor, name) = (nil, descriptor, "the data")
    file = nil
  }

  init(opening path: String) throws(SealingError) {
    do throws(SystemError) {
      let file = try OpenFile.streaming(path)
      (memory, descriptor, name) = (nil, file.descriptor, path)
      self.file = .some(file)
    } catch {
      throw .system(.decryptFailed, error)
    }
  }

  /// The length of all, for reading at random places.
  ///
  /// - Throws: 101 for a pipe or a directory, which have no places.
  var length: Int {
    get throws(SealingError) {
      if let memory { return memory.count }
      guard let status = FileStatus(descriptor: descriptor), status.kind == .regular else {
        throw SealingError(.invalidArguments, nil, "it is no regular file: read it as a stream")
      }
      return status.size
    }
  }

  /// Fills the buffer with the bytes at a place.
  ///
  /// - Throws: 103 when one is missing, since the length was known before.
  func read(_ start: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SealingError) {
    let count: Int
    if let memory {
      count = max(0, min(buffer.count, memory.count - start))
      buffer.copyBytes(from: memory[min(start, memory.count)..<min(start, memory.count) + count])
    } else {
      count = Stream.fill(buffer, from: descriptor, at: start)
      guard count >= 0 else { throw .system(.decryptFailed, SystemError("read", name)) }
    }
    guard count == buffer.count else { throw .damaged("the file became shorter") }
  }

  /// The next bytes of a stream, fewer only at its end.
  func next(into buffer: UnsafeMutableRawBufferPointer) throws(SealingError) -> Int {
    let count = Stream.fill(buffer, from: descriptor)
    guard count >= 0 else { throw .system(.decryptFailed, SystemError("read", name)) }
    return count
  }

  /// The first bytes of a stream, as many as there are up to a number.
  func start(_ maximum: Int) throws(SealingError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: maximum)
    var span = bytes.mutableSpan
    let count = try span.withUnsafeMutableBytes { (room) throws(SealingError) in try next(into: room) }
    return Array(bytes[..<count])
  }
}

extension SealingError {
  /// A system call that failed.
  static func system(_ code: Code, _ error: SystemError) -> SealingError {
    SealingError(code, .system, error.description, systemError: error.number)
  }
}
