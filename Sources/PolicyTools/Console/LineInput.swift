internal import Glibc
package import Platform
package import PolicyFiles

/// Lines from a descriptor, as they come.
///
///     var input = LineInput()
///     while let line = try input.next(beforeWaiting: output.flush) { use(input.bytes(line)) }
///
/// A line holds no newline; a last line without one counts as well. Memory grows to the longest line and no further.
package struct LineInput: ~Copyable {
  private let descriptor: Int32
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0
  private var isAtEnd = false
  /// Number of the line that was given last, from 1.
  package private(set) var number = 0

  /// The longest line, in bytes: some times the longest URL, log record or message there can be.
  static let maximumLine = 4 << 20
  private static let chunk = 1 << 17

  /// Position of the line that was given last.
  package struct Line {
    fileprivate let range: Range<Int>
  }

  package init(descriptor: Int32 = STDIN_FILENO) {
    self.descriptor = descriptor
    buffer = [UInt8](repeating: 0, count: 2 * Self.chunk)
  }

  /// The bytes of the line that was given last.
  @_lifetime(borrow self)
  package func bytes(_ line: Line) -> Span<UInt8> { buffer.span.extracting(line.range) }

  /// The next line; nil at the end. `beforeWaiting` runs when nothing more is there yet.
  package mutating func next(beforeWaiting: () throws(CommandFailure) -> Void) throws(CommandFailure) -> Line? {
    var searched = start
    while true {
      if let newline = newline(from: searched) {
        defer { start = newline + 1 }
        number += 1
        return Line(range: start..<newline)
      }
      searched = end
      if isAtEnd { return lastLine() }
      let moved = try makeRoom()
      searched -= moved
      if !hasMore { try beforeWaiting() }
      try read()
    }
  }

  private mutating func lastLine() -> Line? {
    guard start < end else { return nil }
    defer { start = end }
    number += 1
    return Line(range: start..<end)
  }

  private func newline(from: Int) -> Int? {
    buffer[from..<end].withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base, 0x0A, bytes.count) else { return nil }
      return from + (UnsafeRawPointer(found) - base)
    }
  }

  /// Moves unused bytes to the front, or grows; returns the distance moved.
  private mutating func makeRoom() throws(CommandFailure) -> Int {
    let moved = start
    if start > 0 {
      buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        memmove(base, base + start, end - start)
      }
      end -= start
      start = 0
    }
    guard end + Self.chunk > buffer.count else { return moved }
    guard end <= Self.maximumLine else {
      throw CommandFailure("line \(number + 1) of the input is longer than \(Self.maximumLine) bytes")
    }
    buffer.append(contentsOf: repeatElement(0, count: buffer.count))
    return moved
  }

  private var hasMore: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) == 1
  }

  private mutating func read() throws(CommandFailure) {
    let count = Stream.read(descriptor, into: &buffer, from: end)
    guard count >= 0 else { throw CommandFailure("cannot read the input: \(SystemWords.last)") }
    if count == 0 { isAtEnd = true }
    end += count
  }
}

extension Span<UInt8> {
  /// Nothing but white space.
  package var isBlank: Bool {
    for index in indices where self[index] != 0x20 && self[index] != 0x09 && self[index] != 0x0D { return false }
    return true
  }
}

/// Reading and writing files for the command line.
package enum FileBytes {
  /// A whole file.
  package static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    do throws(FileProblem) {
      return try SystemFiles().read(path, limit: limit)
    } catch {
      throw CommandFailure("read", path, error.words)
    }
  }

  /// A file opened for reading in pieces.
  package static func open(_ path: String) throws(CommandFailure) -> OpenFile {
    do throws(SystemError) { return try OpenFile.streaming(path) } catch {
      throw CommandFailure("read", path, error.words)
    }
  }

  /// Writes a whole file, in place of its old content.
  package static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    do throws(SystemError) {
      try OpenFile.overwriting(path, mode: 0o644).write(bytes.span)
    } catch {
      throw CommandFailure(error.call == "open" ? "make" : error.call, path, error.words)
    }
  }
}

extension FileProblem {
  /// In words, to stand behind a colon.
  package var words: String {
    switch self {
    case .missing: "it does not exist"
    case .tooLarge: "it is too large"
    case .notARegularFile: "it is no regular file"
    case .outside: "it lies elsewhere"
    case .changed: "it changed meanwhile"
    case .system(let words): words
    }
  }
}
