internal import URLStandard

extension URLPattern {
  /// Drafts of URLs that the pattern may take; what it leaves open they leave open.
  ///
  ///     https://*.example.com/docs/:id    ->   https://a.example.com/docs/a
  var samples: [WitnessDraft] {
    var seen: Set<WitnessDraft> = []
    return (0..<4).map(sample).filter { seen.insert($0).inserted }
  }

  /// - Parameter variant: an odd one takes what may be left out.
  private func sample(_ variant: Int) -> WitnessDraft {
    func text(_ component: URLComponent, wild: String = "a") -> String? { syntax[component].sample(variant, wild) }
    var draft = WitnessDraft()
    draft.scheme = text(.protocol)
    draft.host = text(.hostname)
    draft.port = text(.port).flatMap { UInt16($0) }
    draft.path = text(.pathname, wild: variant % 2 == 0 ? "" : "a").map { $0.hasPrefix("/") ? $0 : "/" + $0 }
    draft.query = text(.search).map { $0.isEmpty ? "" : "?" + $0 }
    return draft
  }
}

extension PatternComponent {
  /// A text that the component may take, with `wild` for each `*`; nil when it takes anything.
  fileprivate func sample(_ variant: Int, _ wild: String) -> String? {
    if parts.count == 1, parts[0].takesAnything { return nil }
    return String(decoding: parts.flatMap { $0.sample(variant, wild) }, as: UTF8.self)
  }
}

extension PatternPart {
  fileprivate var takesAnything: Bool {
    kind == .fullWildcard && prefix.isEmpty && suffix.isEmpty && !modifier.repeats
  }

  fileprivate func sample(_ variant: Int, _ wild: String) -> [UInt8] {
    if modifier.isOptional, variant % 2 == 0 { return [] }
    switch kind {
    case .fixedText: return value
    case .segmentWildcard: return prefix + Array("a".utf8) + suffix
    case .fullWildcard: return prefix + Array(wild.utf8) + suffix
    case .regexp:
      let samples = RegexSample.all(of: String(decoding: value, as: UTF8.self))
      guard !samples.isEmpty else { return prefix + suffix }
      return prefix + Array(samples[variant / 2 % samples.count].text.utf8) + suffix
    }
  }
}
