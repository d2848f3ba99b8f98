internal import URLRules

/// A URL filter, alone or out of an index, on its way to a static term.
struct StaticFilter {
  private var scheme: [UInt8]
  private var host: [UInt8]
  private var kind: FilterIndex.HostKind
  private var port: UInt16
  private var path: [UInt8]
  private var conditions: [QueryCondition]
  private var rank: UInt64
  private var number: Int32
  private var flags: FilterIndex.Flags

  init(_ filter: URLFilter) {
    let components = filter.components
    scheme = components.scheme
    host = components.host
    kind =
      components.host.isEmpty
      ? (components.matchesSubdomains ? .every : .nothing)
      : components.matchesSubdomains ? .below : .exactly
    port = components.port
    path = components.path
    conditions = filter.conditions
    rank = filter.rank
    number = 0
    flags = filter.side == .allow ? .allows : []
  }

  /// Nil when no web URL matches it.
  var alternative: StaticAlternative? { term.map { StaticAlternative(term: $0) } }

  private var term: StaticTerm? {
    // This demand is never fulfilled.
    if conditions.contains(where: { $0.isEvery && $0.keyCount == 0 }) { return nil }
    var term = StaticTerm()
    if !scheme.isEmpty { term.schemes = StaticReading.schemes(scheme) }
    let name = String(decoding: host[ComparedHost(host.span).range], as: UTF8.self)
    switch kind {
    case .every: break
    case .nothing: return nil
    case .exactly: term.hosts = HostSet([.exactly(name)])
    case .below: term.hosts = HostSet([.below(name)])
    }
    term.port = port == 0 ? nil : port
    // Every web URL has a path, and each begins so.
    term.place = path.isEmpty || path == [UInt8(ascii: "/")] ? .any : .prefix(path)
    term.query = conditions
    return term.isEmpty ? nil : term
  }
}

extension StaticFilter {
  /// Alternatives of the filters of a set, except URLs that a higher filter of the allow list takes.
  static func alternatives(of set: URLFilterSet) -> [StaticAlternative] {
    let filters = all(in: set.index)
    let allowing = set.isAnyOf ? [] : filters.filter { $0.flags.contains(.allows) }
    return filters.compactMap { filter in
      guard set.isAnyOf || !filter.flags.contains(.allows), let term = filter.term else { return nil }
      var alternative = StaticAlternative(term: term)
      for other in allowing where other.rank > filter.rank {
        guard let exception = other.term, exception.intersects(term) else { continue }
        if exception.contains(term) { return nil }
        alternative.exceptions.append(exception)
      }
      return alternative
    }
  }

  /// The filters of an index, in the order in which they were given.
  private static func all(in index: FilterIndex) -> [StaticFilter] {
    var names: [UInt32: [UInt8]] = [:]
    for scheme in ["http", "https"].map({ Array($0.utf8) }) {
      if let number = index.schemes.value(for: scheme.span) { names[number] = scheme }
    }
    var filters: [Int32: StaticFilter] = [:]
    for path in index.paths {
      for entry in index.entries[path.entries.range] { filters[entry.number] = StaticFilter(entry, path, index, names) }
    }
    for token in index.tokens {
      let path = index.paths[Int(token.path)]
      for entry in index.entries[token.entries.range] {
        filters[entry.number] = StaticFilter(entry, path, index, names)
      }
    }
    return filters.values.sorted { $0.number < $1.number }
  }

  private init(
    _ entry: FilterIndex.Entry, _ path: FilterIndex.Path, _ index: FilterIndex, _ names: [UInt32: [UInt8]]
  ) {
    let host = index.hosts[Int(path.host)]
    // Another scheme than that of web pages is none.
    scheme = host.scheme == 0 ? [] : names[host.scheme] ?? [UInt8(ascii: ":")]
    self.host = Array(index.bytes[host.name.range])
    kind = host.kind
    port = entry.port
    self.path = Array(index.bytes[path.path.range])
    conditions = index.conditionNumbers[entry.conditions.range].map { number in
      let condition = index.conditions[Int(number)]
      return QueryCondition(
        text: Array(index.bytes[condition.text.range]), keyCount: Int(condition.keyCount),
        isPrefix: condition.isPrefix, isEvery: condition.isEvery)
    }
    rank = entry.rank
    number = entry.number
    flags = entry.flags
  }
}
