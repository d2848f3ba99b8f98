internal import URLRules

/// A URL filter, alone or out of an index, on its way to a static term.
struct StaticFilter {
  private var scheme: [UInt8]
  private var host: [UInt8]
  private var kind: FilterIndex.HostReach
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
    let allowing = AllowedFilters(set.isAnyOf ? [] : filters.filter { $0.flags.contains(.allows) })
    var comparisons = 0
    var found: [StaticAlternative] = []
    for filter in filters {
      guard set.isAnyOf || !filter.flags.contains(.allows), let term = filter.term else { continue }
      let near = allowing.near(term)
      comparisons += near.count
      guard comparisons <= maximumComparisons else { return [.tooMany] }
      let exceptions = near.filter { $0.rank > filter.rank && $0.term.intersects(term) }.map(\.term)
      guard !exceptions.contains(where: { $0.contains(term) }) else { continue }
      found.append(StaticAlternative(term: term, exceptions: exceptions))
    }
    return found
  }

  /// Most pairs of filters of both lists that are compared: 1,500 of each, as many as Chromium takes, on one host.
  private static let maximumComparisons = 4_000_000

  /// The filters of an allow list by their hosts, so that a filter is compared only with those that may touch it. Every
  /// pair took minutes for eight thousand hosts in each list.
  private struct AllowedFilters {
    typealias Entry = (term: StaticTerm, rank: UInt64)

    private var entries: [Entry] = []
    private var ofEveryHost: [Int] = []
    private var byHost: [String: [Int]] = [:]
    /// Hosts from their ends, in order: those below one stand together.
    private var fromEnds: [(end: [UInt8], place: Int)] = []

    init(_ filters: [StaticFilter]) {
      for filter in filters {
        guard let term = filter.term else { continue }
        if let name = term.hosts.entries?.first?.name {
          byHost[name, default: []].append(entries.count)
          fromEnds.append((name.utf8.reversed(), entries.count))
        } else {
          ofEveryHost.append(entries.count)
        }
        entries.append((term, filter.rank))
      }
      fromEnds.sort { $0.end.lexicographicallyPrecedes($1.end) }
    }

    /// Those whose hosts a term may share, in the order in which they were given: those of the same host, of the hosts
    /// above it, and where the term takes them, below it.
    func near(_ term: StaticTerm) -> [Entry] {
      guard let host = term.hosts.entries?.first else { return entries }
      var places = ofEveryHost + (byHost[host.name] ?? [])
      var rest = host.name[...]
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        places += byHost[String(rest)] ?? []
      }
      if host.reach == .below { places += below(host.name) }
      return places.sorted().map { entries[$0] }
    }

    private func below(_ name: String) -> [Int] {
      let end = [UInt8](name.utf8.reversed()) + [UInt8(ascii: ".")]
      let first = fromEnds.partitioningIndex { !$0.end.lexicographicallyPrecedes(end) }
      return fromEnds[first...].prefix { $0.end.starts(with: end) }.map(\.place)
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

extension StaticTerm {
  /// The term as filters of Chromium's policies; of one host.
  ///
  ///     hosts contoso.com and below, https, path from /team    ->   https://contoso.com/team
  ///     host contoso.com, port 8443                            ->   .contoso.com:8443
  func filters(_ side: FilterSide) throws(StaticGap) -> [String] {
    // `*` alone would take the pages of the browser as well.
    guard hosts.entries != nil || schemes.single.count == 1 else {
      var found: [String] = []
      for scheme in schemes.single {
        var single = self
        single.schemes = scheme
        found += try single.filters(side)
      }
      return found
    }
    let text = try schemeText + hostText + (port.map { ":\($0)" } ?? "") + pathText + queryText(side)
    guard let filter = try? URLFilter(text, side: side), means(filter) else { throw .spelling }
    return [text]
  }

  private var schemeText: String {
    schemes == .http ? "http://" : schemes == .https ? "https://" : ""
  }

  private var hostText: String {
    get throws(StaticGap) {
      guard texts.isEmpty else { throw .texts }
      guard let entries = hosts.entries else { return "*" }
      guard let entry = entries.first, entries.count == 1 else { throw .spelling }
      switch entry.reach {
      case .network: throw .network
      case .below: return entry.name
      case .exactly: return (HostSet.Entry.isAddress(entry.name) ? "" : ".") + entry.name
      }
    }
  }

  private var pathText: String {
    get throws(StaticGap) {
      switch place {
      case .any: ""
      case .prefix(let path): String(decoding: path, as: UTF8.self)
      case .exactly: throw .exactURL
      }
    }
  }

  private func queryText(_ side: FilterSide) throws(StaticGap) -> String {
    guard !query.isEmpty else { return "" }
    // One key that stands there twice: in an allow list every value must fit, in a block list any.
    guard query.allSatisfy({ $0.isEvery == (side == .allow) || $0.isPrefix && $0.keyCount == $0.text.count }) else {
      throw side == .allow ? .query : .queryEvery
    }
    let elements = query.map { String(decoding: $0.text, as: UTF8.self) + ($0.isPrefix ? "*" : "") }
    return "?" + elements.joined(separator: "&")
  }

  /// Whether a filter that was read back takes the same URLs as the term.
  private func means(_ filter: URLFilter) -> Bool {
    guard let read = StaticFilter(filter).alternative?.term else { return false }
    return read.hosts == hosts && read.schemes == schemes && read.port == port && read.place == place
      && Set(filter.conditions) == Set(query)
  }

  /// Its place among filters that match one URL.
  func filterRank(_ side: FilterSide) -> UInt64 {
    var components = FilterComponents()
    if let entry = hosts.entries?.first {
      components.host = Array(entry.name.utf8)
      components.matchesSubdomains = entry.reach == .below || HostShape.isAddress(components.host)
    }
    if case .prefix(let path) = place { components.path = path }
    if schemes != .web { components.scheme = [UInt8(ascii: "s")] }
    components.port = port ?? 0
    return components.rank(side: side, conditions: query.count)
  }
}

extension StaticTerm {
  /// The term as match patterns of Firefox's policies; of one host.
  ///
  ///     hosts contoso.com and below    ->   *://*.contoso.com/*
  var matchPatterns: [String] {
    get throws(StaticGap) {
      guard texts.isEmpty else { throw .texts }
      guard port == nil else { throw .port }
      guard query.isEmpty else { throw .query }
      let scheme = schemes == .http ? "http" : schemes == .https ? "https" : "*"
      return [scheme + "://" + (try patternHost) + (try patternPath)]
    }
  }

  private var patternHost: String {
    get throws(StaticGap) {
      guard let entries = hosts.entries else { return "*" }
      guard let entry = entries.first, entries.count == 1 else { throw .spelling }
      guard !entry.name.utf8.contains(UInt8(ascii: "*")) else { throw .star }
      guard entry.name.hasPrefix("[") || !entry.name.utf8.contains(UInt8(ascii: ":")) else { throw .spelling }
      switch entry.reach {
      case .network: throw .network
      case .below: return "*." + entry.name
      case .exactly: return entry.name
      }
    }
  }

  private var patternPath: String {
    get throws(StaticGap) {
      switch place {
      case .any: return "/*"
      case .prefix(let path): return try Self.globText(path) + "*"
      case .exactly(let target): return try Self.globText(target)
      }
    }
  }

  /// Firefox compares in lower case, both the policy's text and the visited URL.
  private static func globText(_ text: [UInt8]) throws(StaticGap) -> String {
    guard !text.contains(UInt8(ascii: "*")) else { throw .star }
    guard !text.contains(where: ByteSet.letters.contains) else { throw .letterCase }
    return String(decoding: text, as: UTF8.self)
  }
}
