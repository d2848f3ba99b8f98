/// A text that a pattern matches, with the places at which a `.` of the pattern took any byte.
///
///     ^https://mail.contoso[.]com/v[0-9]+/   ->   https://mail.contoso.com/va0/ … with place 12
///
/// Only for simple patterns: whoever uses it asks the pattern whether the text really matches.
package struct RegexText: Sendable, Hashable {
  package private(set) var text: [UInt8] = []
  /// Where a lone `.` stands in the text; a dot was put there.
  package private(set) var dots: [Int] = []

  /// The longest text that is made.
  private static let maximumBytes = 512
  private static let maximumBranches = 16

  /// One for each alternative at the top of a pattern; none when the pattern is not understood.
  package static func all(of regex: Regex) -> [RegexText] {
    let shape = RegexShape(regex.pattern)
    guard !shape.isUnusual, shape.refusal == nil else { return [] }
    return shape.branches.prefix(maximumBranches).map { items in
      var sample = RegexText()
      sample.add(items)
      return sample
    }
  }

  private mutating func add(_ items: [RegexItem]) {
    for item in items {
      for _ in 0..<min(item.times.least, Self.maximumBytes) where text.count < Self.maximumBytes {
        switch item.node {
        case .bytes(let set) where item.times == .once && Self.isDot(set):
          dots.append(text.count)
          text.append(UInt8(ascii: "."))
        case .bytes(let set): text.append(Self.likely(set))
        case .group(let branches): add(branches.first ?? [])
        case .start, .end, .condition, .option: break
        }
      }
    }
  }

  /// What `.` takes: all but the end of a line, or simply all.
  private static func isDot(_ set: ByteSet) -> Bool { set.inverted.isSubset(of: ByteSet(0x0A...0x0D)) }

  /// The byte of a set that a URL would most likely hold there.
  private static func likely(_ set: ByteSet) -> UInt8 {
    if let byte = set.onlyByteWithoutCase { return byte }
    let preferred = Array("abcdefghijklmnopqrstuvwxyz0123456789/-._~?&=".utf8)
    return preferred.first(where: set.contains) ?? (0x21...0x7E).first(where: set.contains) ?? UInt8(ascii: "a")
  }
}
