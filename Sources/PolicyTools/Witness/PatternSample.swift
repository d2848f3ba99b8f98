internal import URLRules
internal import URLStandard

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
