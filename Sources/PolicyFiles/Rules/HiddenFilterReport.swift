internal import URLRules

/// Warns of filters that Chromium takes without a word and that do not do what they seem to.
///
///     block: [contoso.com], allow: [contoso.com]     ->  `contoso.com` does nothing: the same filter allows it
///     filter: "wss://contoso.com"                    ->  has a scheme that no URL which is judged has
struct HiddenFilterReport {
  private let block: [Located<URLFilter>]
  private let allow: [Located<URLFilter>]
  private let found: [HiddenFilter]

  init(block: [Located<URLFilter>], allow: [Located<URLFilter>]) {
    self.block = block
    self.allow = allow
    found = URLFilterSet.hidden(block: block.map(\.value), allow: allow.map(\.value))
  }

  /// Of filters any of which may match, whatever side they were read for.
  init(anyOf filters: [Located<URLFilter>]) {
    block = filters
    allow = []
    found = URLFilterSet.hidden(anyOf: filters.map(\.value))
  }

  func warn(_ diagnostics: inout Diagnostics) {
    for hidden in found {
      guard let filter = filter(hidden.filter) else { continue }
      let other = hidden.by.flatMap(self.filter)?.value.text.quoted ?? ""
      diagnostics.warning(
        .hiddenFilter, at: filter.location, "\(filter.value.text.quoted) \(Self.words(hidden.kind, other))",
        hint: hidden.witness.map { "\($0.quoted) shows it" })
    }
  }

  private func filter(_ place: URLFilterSet.Place) -> Located<URLFilter>? {
    let list = place.side == .block ? block : allow
    return list.indices.contains(place.index) ? list[place.index] : nil
  }

  private static func words(_ kind: HiddenFilter.Kind, _ other: String) -> String {
    switch kind {
    case .beyondLimit:
      "is behind the \(URLFilterSet.chromiumLimit)th of its list: it counts here, and Chromium ignores it"
    case .duplicate: "stands in this list before"
    case .shadowed: "does nothing: \(other) in its list takes all that it takes"
    case .contradiction: "does nothing: the same filter allows it, and wins"
    case .literalStar: "has a `*` that stands for itself"
    case .noWebHost: "has a host that no web page has: write it as a browser shows it"
    case .neverJudged: "has a scheme that no URL which is judged has"
    }
  }
}
