package import GuardModel

/// A pattern that is a text and nothing else: it is found by comparing bytes, which PCRE2 would do at ten times the cost.
///
///     (?i)/ads/banner[.]js    found in https://x.example/ADS/banner.js
///     /ads/[0-9]              none: a digit is no text
///
/// Filter lists consist of such patterns.
package struct PlainText: Sendable {
  /// The text; of letters in any case the small ones.
  private let bytes: [UInt8]
  /// For each byte what is set in the text's byte before it is compared: 0x20 where the case does not matter.
  private let folds: [UInt8]

  /// Nil when the pattern is anything more than a text, or is not understood in full.
  package init?(_ shape: RegexShape) {
    guard let items = shape.sequence else { return nil }
    var bytes: [UInt8] = []
    var folds: [UInt8] = []
    for item in items where item.node != .option {
      guard let byte = item.literalWithoutCase else { return nil }
      bytes.append(byte)
      folds.append(item.literal == nil ? 0x20 : 0)
    }
    guard !bytes.isEmpty else { return nil }
    self.bytes = bytes
    self.folds = folds
  }

  /// How many bytes may be compared for each byte of the subject.
  private static let effort = 8

  /// Whether the text is somewhere in `subject`; unknown when that takes more comparisons than there are bytes, several
  /// times over, as for `aaaaaaaaab` in a long row of `a`.
  package func isFound(in subject: Span<UInt8>) -> Ternary {
    let bytes = bytes.span
    let folds = folds.span
    guard subject.count >= bytes.count else { return .no }
    var left = Self.effort * subject.count
    for start in 0...(subject.count - bytes.count) where subject[start] | folds[0] == bytes[0] {
      var length = 1
      while length < bytes.count, subject[start + length] | folds[length] == bytes[length] { length += 1 }
      if length == bytes.count { return .yes }
      left -= length
      if left < 0 { return .unknown }
    }
    return .no
  }
}
