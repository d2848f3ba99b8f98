package import GuardModel

/// A pattern of texts with anything between them: it is found by comparing bytes, which PCRE2 does at ten times the cost.
///
///     (?i)/ads/banner[.]js       found in https://x.example/ADS/banner.js
///     ^http.*://.*[?]            found in https://x.example/?a=1
///     /ads/[0-9]                 none: a digit is no text
///
/// Filter lists consist of such patterns. `.` is any byte at all: a judged URL has no line ends.
package struct GlobPattern: Sendable {
  private struct Piece: Sendable {
    /// Where its text is among the bytes of all.
    var range: Range<Int>
    /// How many bytes stand before it, at least, after the piece before.
    var gap: Int
    /// It may stand further on.
    var floats: Bool
  }

  /// The texts one behind the other; of letters in any case the small ones.
  private var bytes: [UInt8] = []
  /// For each byte what is set in the text's byte before it is compared: 0x20 where the case does not matter.
  private var folds: [UInt8] = []
  private var pieces: [Piece] = []
  /// How many bytes follow the last piece, at least.
  private var tail = 0
  /// The text ends there.
  private var isAtEnd = false

  /// Nil when the pattern is anything more, or is not understood in full.
  package init?(_ shape: RegexShape) {
    guard var items = shape.sequence?.filter({ $0.node != .option })[...], !shape.givesNothingBack else { return nil }
    var next = Piece(range: 0..<0, gap: 0, floats: items.first?.node != .start)
    if !next.floats { items.removeFirst() }
    if items.last?.node == .end {
      isAtEnd = true
      items.removeLast()
    }
    for item in items {
      if let byte = item.literalWithoutCase {
        bytes.append(byte)
        folds.append(item.literal == nil ? 0x20 : 0)
      } else if item.node == .bytes(.all), item.times.most == nil {
        end(&next)
        next.gap += item.times.least
        next.floats = true
      } else {
        return nil
      }
    }
    end(&next)
    guard !pieces.isEmpty else { return nil }
    tail = next.gap
    isAtEnd = isAtEnd && !next.floats
  }

  /// Ends the piece that is being read, if there is anything in it.
  private mutating func end(_ piece: inout Piece) {
    guard piece.range.lowerBound < bytes.count else { return }
    piece.range = piece.range.lowerBound..<bytes.count
    pieces.append(piece)
    piece = Piece(range: bytes.count..<bytes.count, gap: 0, floats: false)
  }

  /// It is one text, wherever that stands.
  var isOneText: Bool { pieces.count == 1 }

  /// How many bytes may be compared for each byte of the subject.
  private static let effort = 8

  /// Whether it is somewhere in `subject`; unknown when that takes more comparisons than there are bytes, several times
  /// over, as for `aaaaaaaaab` in a long row of `a`.
  package func isFound(in subject: Span<UInt8>) -> Ternary {
    let pieces = pieces.span
    var left = Self.effort * subject.count
    var place = 0
    for index in pieces.indices {
      let piece = pieces[index]
      place += piece.gap
      let last = subject.count - piece.range.count
      guard place <= last else { return .no }
      let atEnd = isAtEnd && index == pieces.count - 1
      if atEnd, !piece.floats, place < last { return .no }
      let found = find(piece.range, in: subject, from: atEnd ? last : place, to: piece.floats ? last : place, &left)
      guard left >= 0 else { return .unknown }
      guard let found else { return .no }
      place = found + piece.range.count
    }
    return Ternary(place + tail <= subject.count)
  }

  /// The first place in a range where a text stands.
  private func find(
    _ text: Range<Int>, in subject: Span<UInt8>, from first: Int, to last: Int, _ left: inout Int
  ) -> Int? {
    let bytes = bytes.span.extracting(text)
    let folds = folds.span.extracting(text)
    var start = first
    while start <= last {
      if subject[start] | folds[0] == bytes[0] {
        var length = 1
        while length < bytes.count, subject[start + length] | folds[length] == bytes[length] { length += 1 }
        if length == bytes.count { return start }
        left -= length
        if left < 0 { return nil }
      }
      start += 1
    }
    return nil
  }
}
