/// Something about a filter in a list that Chromium does not tell its administrator.
package struct HiddenFilter: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Behind the 1,500th of its list: Chromium ignores it without a word. Here it counts.
    case beyondLimit
    /// The same filter stands in the same list before.
    case duplicate
    /// What it matches, another filter of its list matches too, and nothing would be decided otherwise without it; the
    /// pages of the browser itself apart, which a `*` leaves alone.
    case shadowed
    /// The same filter stands in the allow list, and wins.
    case contradiction
    /// A star that stands for itself: in a host, in a path, or within a token of the query.
    case literalStar
    /// No web URL has this host; an address is written in another way than browsers write it, say.
    case noWebHost
    /// URLs of this scheme are never judged as such: `wss:` is judged as `https:`, `blob:` as the URL inside.
    case neverJudged
  }

  /// The filter.
  package var filter: URLFilterSet.Place
  package var kind: Kind
  /// The other filter, where there is one.
  package var by: URLFilterSet.Place?
  /// A URL that shows it: one that the filter matches, and for `literalStar` and `noWebHost` one that it looks to match
  /// and does not.
  package var witness: String?

  package init(
    _ filter: URLFilterSet.Place, _ kind: Kind, by: URLFilterSet.Place? = nil, witness: String? = nil
  ) {
    self.filter = filter
    self.kind = kind
    self.by = by
    self.witness = witness
  }
}
