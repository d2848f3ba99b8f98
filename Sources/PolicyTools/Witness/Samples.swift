internal import URLRules
internal import URLStandard

extension URLFilter {
  /// A draft of a URL that the filter may take.
  ///
  ///     https://.mail.contoso.com/owa?v=1    ->   https://mail.contoso.com/owa?v=1
  var sample: WitnessDraft {
    var draft = WitnessDraft(scheme: components.scheme, host: components.host, path: components.path)
    draft.port = components.port == 0 ? nil : components.port
    draft.take(conditions.map(\.text))
    return draft
  }
}

extension URLFilterSet {
  /// Maximum filters of a set that are tried.
  private static let maximumSamples = 24

  /// Drafts of URLs that filters of the block list may take, or any of the list.
  var samples: [WitnessDraft] {
    let plain = index.paths.lazy.filter { $0.entries.count > 0 }.prefix(Self.maximumSamples)
    let queries = index.tokens.prefix(Self.maximumSamples)
    let all = plain.map { sample($0, $0.entries) } + queries.map { sample(index.paths[Int($0.path)], $0.entries) }
    return all.compactMap(\.self)
  }

  private func sample(_ path: FilterIndex.Path, _ entries: FilterIndex.Text) -> WitnessDraft? {
    guard let entry = index.entries[entries.range].first(where: { isAnyOf || !$0.flags.contains(.allows) }) else {
      return nil
    }
    let host = index.hosts[Int(path.host)]
    var draft = WitnessDraft(
      scheme: [], host: Array(index.bytes[host.name.range]), path: Array(index.bytes[path.path.range]))
    draft.port = entry.port == 0 ? nil : entry.port
    let conditions = index.conditionNumbers[entry.conditions.range].map { index.conditions[Int($0)] }
    draft.take(conditions.map { Array(index.bytes[$0.text.range]) })
    return draft
  }
}

extension WitnessDraft {
  /// An empty part is not demanded.
  fileprivate init(scheme: [UInt8], host: [UInt8], path: [UInt8]) {
    func text(_ bytes: some Sequence<UInt8>) -> String? {
      let text = String(decoding: Array(bytes), as: UTF8.self)
      return text.isEmpty ? nil : text
    }
    self.scheme = text(scheme)
    self.host = text(host.drop { $0 == UInt8(ascii: ".") })
    self.path = text(path)
  }

  /// Takes elements of a query; an empty one is any query.
  fileprivate mutating func take(_ elements: [[UInt8]]) {
    guard !elements.isEmpty else { return }
    let texts = elements.map { $0.isEmpty ? "x" : String(decoding: $0, as: UTF8.self) }
    query = "?" + texts.joined(separator: "&")
  }
}

extension URLPattern {
  /// Number of ways to try parts that are optional, or one of several.
  private static let variants = 4

  /// Drafts of URLs that the pattern may take; they leave open the same parts as the pattern.
  ///
  ///     https://*.example.com/docs/:id    ->   https://a.example.com/docs/a
  var samples: [WitnessDraft] {
    var seen: Set<WitnessDraft> = []
    return (0..<Self.variants).map(sample).filter { seen.insert($0).inserted }
  }

  /// - Parameter variant: an odd one takes optional parts.
  private func sample(_ variant: Int) -> WitnessDraft {
    func text(_ component: URLComponent, wild: String = "a") -> String? {
      syntax[component].sample(variant, wild: wild, segment: "a")
    }
    var draft = WitnessDraft()
    draft.scheme = text(.protocol, wild: "s")
    draft.host = text(.hostname)
    draft.port = text(.port).flatMap { UInt16($0) }
    draft.path = text(.pathname, wild: variant % 2 == 0 ? "" : "a").map { $0.hasPrefix("/") ? $0 : "/" + $0 }
    draft.query = text(.search).map { $0.isEmpty ? "" : "?" + $0 }
    return draft
  }

  /// Hosts that the pattern may take, with a text of the asker's for each wildcard in them.
  ///
  ///     https://*contoso.com/*    with `evil`   ->   evilcontoso.com
  ///     https://:team.contoso.com               ->   evil.contoso.com
  ///
  /// None when the pattern takes any host.
  package func hosts(with wild: String) -> [String] {
    var seen: Set<String> = []
    return (0..<Self.variants).compactMap { syntax[.hostname].sample($0, wild: wild, segment: wild) }
      .filter { seen.insert($0).inserted }
  }
}

extension PatternComponent {
  /// A text that the component may take, with `wild` for each `*` and `segment` for each `:name`; nil when it takes
  /// anything.
  fileprivate func sample(_ variant: Int, wild: String, segment: String) -> String? {
    if parts.count == 1, parts[0].takesAnything { return nil }
    return String(decoding: parts.flatMap { $0.sample(variant, wild, segment) }, as: UTF8.self)
  }
}

extension PatternPart {
  fileprivate var takesAnything: Bool {
    kind == .fullWildcard && prefix.isEmpty && suffix.isEmpty && !modifier.repeats
  }

  fileprivate func sample(_ variant: Int, _ wild: String, _ segment: String) -> [UInt8] {
    if modifier.isOptional, variant % 2 == 0 { return [] }
    switch kind {
    case .fixedText: return value
    case .segmentWildcard: return prefix + Array(segment.utf8) + suffix
    case .fullWildcard: return prefix + Array(wild.utf8) + suffix
    case .regexp:
      let samples = RegexSample.all(of: String(decoding: value, as: UTF8.self))
      guard !samples.isEmpty else { return prefix + suffix }
      return prefix + Array(samples[variant / 2 % samples.count].text.utf8) + suffix
    }
  }
}

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
