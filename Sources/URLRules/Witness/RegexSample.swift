internal import URLStandard

/// A text that a regular expression may take: written from its pieces, and no more than a good guess.
///
///     ^https://[a-z]+[.]cdn[.]example/v[0-9]+/    ->   https://a.cdn.example/v1/
struct RegexSample: Hashable {
  private(set) var text = ""
  /// The text must stand at the beginning of the URL.
  private(set) var isAnchored = false

  /// Texts of that length and no longer are written.
  private static let maximumBytes = 2_048
  /// A piece that is repeated is written so often at most.
  private static let maximumTimes = 64
  /// Which way to go: at each fork another alternative, with what may be left out and without.
  private static let variants = 0..<8

  static func all(of pattern: String) -> [RegexSample] {
    let shape = RegexShape(pattern)
    var seen: Set<RegexSample> = []
    return variants.compactMap { variant in
      let writer = Writer(alternative: variant / 2, takesOptional: variant % 2 == 0)
      guard let branch = shape.branches[safely: writer.alternative % max(1, shape.branches.count)] else { return nil }
      var sample = RegexSample()
      sample.isAnchored = branch.first { $0.node != .option }?.node == .start
      var bytes: [UInt8] = []
      writer.write(branch, into: &bytes)
      sample.text = String(decoding: bytes, as: UTF8.self)
      return seen.insert(sample).inserted ? sample : nil
    }
  }

  private struct Writer {
    let alternative: Int
    let takesOptional: Bool

    func write(_ items: [RegexItem], into text: inout [UInt8]) {
      for item in items {
        let least = max(item.times.least, takesOptional && item.times.most != 0 ? 1 : 0)
        for _ in 0..<min(least, RegexSample.maximumTimes) where text.count < RegexSample.maximumBytes {
          write(item.node, into: &text)
        }
      }
    }

    private func write(_ node: RegexItem.Node, into text: inout [UInt8]) {
      switch node {
      case .bytes(let set): if let byte = Self.preferred.first(where: set.contains) { text.append(byte) }
      case .group(let branches):
        if let branch = branches[safely: alternative % max(1, branches.count)] { write(branch, into: &text) }
      case .start, .end, .condition, .option: break
      }
    }

    /// The bytes of URLs, those first that mean least.
    private static let preferred = Array(
      "abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~/?=&:%@!$'()*+,;#[]".utf8)
  }
}

extension Regex {
  var samples: [RegexSample] { RegexSample.all(of: pattern) }
}

extension Array {
  fileprivate subscript(safely index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
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
