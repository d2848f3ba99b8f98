internal import URLStandard

/// What two filters have in common that are the same but for their spelling.
///
///     Example.com?a&b  =  example.com?b&a
struct FilterMeaning: Hashable {
  private let components: FilterComponents
  private let query: [[UInt8]]

  init(_ filter: URLFilter) {
    var components = filter.components
    let tokens = components.query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    query = tokens.map { Array($0) }.sorted { $0.lexicographicallyPrecedes($1) }
    components.query = []
    self.components = components
  }
}

extension URLFilter {
  /// Whether this filter makes another of its list superfluous, as far as this list goes: it matches whatever the other
  /// does. Of two that match the same the lower in rank is superfluous, of equal ones the later.
  func hides(_ other: URLFilter, isBefore: Bool) -> Bool {
    guard covers(other) else { return false }
    if !other.covers(self) { return true }
    return rank == other.rank ? isBefore : rank > other.rank
  }

  /// Whether this filter certainly matches every URL that `other` matches.
  func covers(_ other: URLFilter) -> Bool {
    guard components.scheme.isEmpty || components.scheme == other.components.scheme else { return false }
    guard components.port == 0 || components.port == other.components.port else { return false }
    guard other.components.path.starts(with: components.path), coversHost(of: other) else { return false }
    return conditions.allSatisfy { condition in other.conditions.contains { $0.implies(condition) } }
  }

  private func coversHost(of other: URLFilter) -> Bool {
    if components.takesEveryHost { return true }
    if other.components.takesEveryHost { return false }
    if other.components.matchesSubdomains, !components.matchesSubdomains { return false }
    return components.takes(host: other.components.host.span)
  }

  /// Whether some URL may be matched by both. True when in doubt.
  func mayMeet(_ other: URLFilter) -> Bool {
    let (ours, theirs) = (components, other.components)
    guard ours.scheme.isEmpty || theirs.scheme.isEmpty || ours.scheme == theirs.scheme else { return false }
    guard ours.port == 0 || theirs.port == 0 || ours.port == theirs.port else { return false }
    return ours.path.starts(with: theirs.path) || theirs.path.starts(with: ours.path)
  }
}

extension QueryCondition {
  /// Whether a query that fulfils this condition certainly fulfils `other`.
  fileprivate func implies(_ other: QueryCondition) -> Bool {
    if self == other { return true }
    guard !other.isEvery, other.isPrefix else { return false }
    return text.starts(with: other.text)
  }
}

/// Filters by the host they name.
struct FiltersByHost {
  private var lists: [Host: [URLFilter]] = [:]

  private struct Host: Hashable {
    var name: ArraySlice<UInt8>
    /// Two bits: every host, and what is below it.
    var takesEvery: Bool
    var below: Bool
  }

  /// How many filters are looked at for one question; where there are more the answer is "maybe".
  private static let patience = 1_000

  init(_ filters: [URLFilter]) {
    for filter in filters {
      let components = filter.components
      let name = components.host[ComparedHost(components.host.span).range]
      let host = Host(name: name, takesEvery: components.takesEveryHost, below: components.matchesSubdomains)
      lists[host, default: []].append(filter)
    }
  }

  /// Whether a filter of this list might decide some URL that `upper` decides now and `lower` would have to without it.
  ///
  /// Such a filter stands between the two in rank, and then names a host that the host of `upper` is, or is below.
  func mayDecide(between lower: URLFilter, and upper: URLFilter) -> Bool {
    guard lower.rank < upper.rank, !lists.isEmpty else { return false }
    var patience = Self.patience
    for host in hosts(over: upper.components) {
      guard let list = lists[host] else { continue }
      patience -= list.count
      if patience < 0 { return true }
      if list.contains(where: { lower.rank < $0.rank && $0.rank < upper.rank && $0.mayMeet(upper) }) { return true }
    }
    return false
  }

  private func hosts(over components: FilterComponents) -> [Host] {
    let name = components.host[ComparedHost(components.host.span).range]
    var hosts = [Host(name: [], takesEvery: true, below: true)]
    if !components.matchesSubdomains { hosts.append(Host(name: name, takesEvery: false, below: false)) }
    if components.takesEveryHost { return hosts }
    hosts.append(Host(name: name, takesEvery: false, below: true))
    for index in name.indices where name[index] == UInt8(ascii: ".") {
      hosts.append(Host(name: name[(index + 1)...], takesEvery: false, below: true))
    }
    return hosts
  }
}
