internal import URLRules
internal import URLStandard

/// A text that a regular expression may take: written from its pieces, and no more than a good guess.
///
///     ^https://mail.contoso[.]com/v[0-9]*    ->   https://mail.contoso.com/v, then https://mail.contoso.com/v1
package struct RegexSample: Sendable, Hashable {
  package private(set) var text = ""
  /// Byte offsets in the text of the characters for a lone `.` of the pattern, which takes anything.
  package private(set) var dots: [Int] = []
  /// The text must stand at the beginning of the URL.
  package private(set) var isAnchored = false

  /// Maximum alternatives that are followed at each fork, each first without and then with its optional parts.
  private static let maximumAlternatives = 4

  static func all(of pattern: String) -> [RegexSample] {
    let shape = RegexShape(pattern)
    var seen: Set<RegexSample> = []
    return (0..<2 * maximumAlternatives).compactMap { variant in
      var writer = RegexWriter(alternative: variant / 2, takesOptional: variant % 2 == 1)
      guard let branch = writer.chosen(of: shape.branches) else { return nil }
      writer.write(branch)
      var sample = RegexSample()
      sample.isAnchored = branch.first { $0.node != .option }?.node == .start
      sample.text = String(decoding: writer.bytes, as: UTF8.self)
      sample.dots = writer.dots
      return seen.insert(sample).inserted ? sample : nil
    }
  }
}

extension Regex {
  /// Texts that it may take, the shortest of each alternative first. Ask it whether it does.
  package var samples: [RegexSample] { RegexSample.all(of: pattern) }
}

/// Writes a text, piece by piece.
private struct RegexWriter {
  let alternative: Int
  let takesOptional: Bool
  private(set) var bytes: [UInt8] = []
  private(set) var dots: [Int] = []

  /// Texts of that length and no longer are written.
  private static let maximumBytes = 2_048
  /// A piece that is repeated is written so often at most.
  private static let maximumTimes = 64
  /// The bytes of URLs, those first that mean least.
  private static let preferred = Array(
    "abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~/?=&:%@!$'()*+,;#[]".utf8)

  init(alternative: Int, takesOptional: Bool) {
    self.alternative = alternative
    self.takesOptional = takesOptional
  }

  func chosen(of branches: [[RegexItem]]) -> [RegexItem]? {
    branches.isEmpty ? nil : branches[alternative % branches.count]
  }

  mutating func write(_ items: [RegexItem]) {
    for item in items {
      let least = max(item.times.least, takesOptional && item.times.most != 0 ? 1 : 0)
      for _ in 0..<min(least, Self.maximumTimes) where bytes.count < Self.maximumBytes {
        switch item.node {
        case .bytes(let set): write(oneOf: set, isAlone: item.times == .once)
        case .group(let branches): chosen(of: branches).map { write($0) }
        case .start, .end, .condition, .option: break
        }
      }
    }
  }

  /// A lone `.` behind a letter or digit is most likely meant as a dot.
  private mutating func write(oneOf set: ByteSet, isAlone: Bool) {
    guard let byte = Self.preferred.first(where: set.contains) else { return }
    let isDot = isAlone && set.inverted.isSubset(of: ByteSet(0x0A...0x0D))
    if isDot { dots.append(bytes.count) }
    bytes.append(isDot && bytes.last.map(ByteSet.word.contains) ?? false ? UInt8(ascii: ".") : byte)
  }
}

extension WitnessDraft {
  /// This draft with the text in its URL: as its beginning, in its path, or in its query.
  func holding(_ sample: RegexSample) -> [WitnessDraft] {
    sample.isAnchored ? beginning(with: sample.text) : containing(sample.text)
  }

  /// The host of the draft stays where one is demanded, unless the text has one below it.
  private func beginning(with text: String) -> [WitnessDraft] {
    let site = host ?? Self.site
    let completions = [text, text + site + "/", text + "//" + site + "/", text + "://" + site + "/"]
    guard let record = completions.lazy.compactMap({ URLRecord($0) }).first(where: { !$0.hostname.isEmpty }) else {
      return [self]
    }
    var own = self
    own.takePath(of: record)
    own.scheme = scheme ?? record.schemeName
    own.port = port ?? record.portNumber
    var other = self
    other.takeParts(of: record)
    guard let host else { return [other] }
    return record.hostname.hasSuffix("." + host) ? [other, own] : [own, other]
  }

  private func containing(_ text: String) -> [WitnessDraft] {
    var inPath = self
    inPath.path = text.hasPrefix("/") ? text : "/" + text
    var inQuery = self
    inQuery.query = text.hasPrefix("?") ? text : "?" + text
    let drafts = text.hasPrefix("?") ? [inQuery, inPath] : [self, inPath, inQuery]
    guard let record = URLRecord(text), !record.hostname.isEmpty else { return drafts }
    var all = self
    all.takeParts(of: record)
    return [all] + drafts
  }
}
