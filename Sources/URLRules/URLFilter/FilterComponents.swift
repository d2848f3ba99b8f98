/// The list that a filter stands in. It changes the reading of its query, and the winner of a tie.
package enum FilterSide: UInt8, Sendable, Hashable {
  /// One matching occurrence of a query key suffices.
  case block
  /// Every occurrence of a query key must match: a second `v=` does not smuggle another video in.
  case allow
}

/// A URL filter taken apart as Chromium takes it apart: pieces of text that are compared byte by byte.
///
///     http://Example.COM:8080/Path?v=1   ->   http, example.com and below, 8080, /Path, v=1
///     .example.com                       ->   exactly example.com
///     *                                  ->   every host
///
/// Trap: nothing here is brought into a canonical form but ASCII letters of scheme and host. A filter that writes a
/// host or a path in another way than URLs are serialised never matches; `URLFilter` refuses it.
///
/// Source: Chromium, components/url_matcher/url_util.cc, `FilterToComponents`.
package struct FilterComponents: Sendable, Hashable {
  /// In lower case, without colon; empty for every scheme.
  package var scheme: [UInt8] = []
  /// In lower case, without the dot that says "exactly"; empty for every host, or with `matchesSubdomains` false for
  /// none at all.
  package var host: [UInt8] = []
  /// The host, and hosts below it.
  package var matchesSubdomains = true
  /// 0 for every port.
  package var port: UInt16 = 0
  /// The beginning of the path; empty for every path.
  package var path: [UInt8] = []
  /// The query as it is written, without `?`.
  package var query: [UInt8] = []

  package init() {}

  /// The filter names no host and takes all.
  package var takesEveryHost: Bool { host.isEmpty && matchesSubdomains }

  /// The filter `*`, which is the lowest in a block list.
  package var isWildcard: Bool {
    takesEveryHost && scheme.isEmpty && path.isEmpty && query.isEmpty && port == 0
  }

  /// The place of the filter among those that match one URL; the greatest decides, and of equal ones any.
  ///
  /// The `*` of a block list is the lowest of all. Then these count, one after the other: a host without hosts below
  /// it, a longer host, a longer path, more query conditions, and allowing. Scheme and port never count.
  package func rank(side: FilterSide, conditions: Int) -> UInt64 {
    if isWildcard, side == .block { return 0 }
    var rank: UInt64 = matchesSubdomains ? 2 : 3
    rank = rank << 17 | UInt64(host.count)
    rank = rank << 17 | UInt64(path.count)
    rank = rank << 17 | UInt64(conditions)
    return rank << 1 | (side == .allow ? 1 : 0)
  }
}

/// The part of a host that filters compare: without one dot before it and one behind.
///
///     example.com, example.com., .example.com   ->   example.com
///
/// Chromium writes every host with a dot at both ends before it searches. A URL without host becomes a single dot, and
/// is `isNothing` here.
package struct ComparedHost {
  /// The part's range in the host.
  package let range: Range<Int>
  let isNothing: Bool

  package init(_ host: Span<UInt8>) {
    let dot = UInt8(ascii: ".")
    isNothing = host.isEmpty || (host.count == 1 && host[0] == dot)
    guard !isNothing else {
      range = 0..<0
      return
    }
    let start = host[0] == dot ? 1 : 0
    range = start..<(host.count > start && host[host.count - 1] == dot ? host.count - 1 : host.count)
  }
}

extension FilterComponents {
  /// Whether the host is this filter's.
  func takes(host: Span<UInt8>) -> Bool {
    if takesEveryHost { return true }
    let theirs = ComparedHost(host)
    let ours = ComparedHost(self.host.span)
    if theirs.isNothing || ours.isNothing { return theirs.isNothing == ours.isNothing }
    let name = self.host.span.extracting(ours.range)
    let other = host.extracting(theirs.range)
    guard matchesSubdomains, other.count > name.count else { return equal(other, name) }
    let start = other.count - name.count
    return other[start - 1] == UInt8(ascii: ".") && equal(other.extracting(start...), name)
  }
}

/// Whether `bytes` begins with `prefix`.
func begins(_ bytes: Span<UInt8>, with prefix: Span<UInt8>) -> Bool {
  bytes.count >= prefix.count && equal(bytes.extracting(0..<prefix.count), prefix)
}
