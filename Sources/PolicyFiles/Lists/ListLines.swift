internal import Glibc

/// Cuts a text that comes in pieces into its lines, without copying those that lie within a piece.
///
///     var lines = ListLines()
///     lines.take(piece) { line, number in … }      // "a\nb\nc": the lines 1 and 2
///     lines.finish { line, number in … }           // line 3, which has no line feed
///
/// A line ends at a line feed, which is not part of it; a carriage return before that is. Of a line that is too long
/// only the beginning is handed out, which is then longer than `ListLimits.maximumLineLength`.
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

  /// Hands out what is left, when the text did not end in a line feed.
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
