/// Puts filters into a ``FilterIndex``.
struct FilterIndexBuilder {
  private struct HostKey: Hashable {
    var kind: FilterIndex.HostReach
    var scheme: UInt32
    var name: [UInt8]
  }

  private struct PathName: Hashable {
    var host: Int
    var path: [UInt8]
  }

  private struct TokenName: Hashable {
    var path: Int
    var text: [UInt8]
    var isPrefix: Bool
  }

  /// The common identity of two filters that always match together and stand equally high.
  private struct FilterKey: Hashable {
    var path: Int
    var port: UInt16
    var rank: UInt64
    var isWildcard: Bool
    var conditions: [UInt32]
  }

  private var index = FilterIndex()
  private var hosts: [HostKey: Int] = [:]
  private var paths: [PathName: Int] = [:]
  private var pathNames: [PathName] = []
  private var conditions: [QueryCondition: UInt32] = [:]
  private var conditionList: [QueryCondition] = []
  private var seen = Set<FilterKey>()
  /// The filters under each path, and how many of them have each token.
  private var entries: [[FilterIndex.Entry]] = []
  private var tokenUses: [TokenName: Int] = [:]

  /// The index of `filters`, numbered by their places in the array. It holds only the first of filters that always
  /// match together and stand equally high.
  static func build(_ filters: [URLFilter]) -> FilterIndex {
    var builder = FilterIndexBuilder()
    for (number, filter) in filters.enumerated() { builder.add(filter, Int32(truncatingIfNeeded: number)) }
    builder.writeConditions()
    builder.writePaths()
    builder.writeHosts()
    builder.index.trim()
    return builder.index
  }

  private mutating func add(_ filter: URLFilter, _ number: Int32) {
    if filter.conditions.contains(where: { $0.isEvery && $0.keyCount == 0 }) { return }
    let path = pathNumber(of: filter.components)
    let numbers = filter.conditions.map { conditionNumber(of: $0) }
    let flags: FilterIndex.Flags = [
      filter.side == .allow ? .allows : [], filter.components.isWildcard ? .isWildcard : [],
    ]
    let identity = FilterKey(
      path: path, port: filter.components.port, rank: filter.rank, isWildcard: filter.components.isWildcard,
      conditions: numbers.sorted())
    guard seen.insert(identity).inserted else { return }
    for condition in filter.conditions { tokenUses[token(condition, path), default: 0] += 1 }
    let list = append(numbers)
    entries[path].append(
      FilterIndex.Entry(
        rank: filter.rank, number: number, port: filter.components.port, flags: flags, conditions: list))
  }

  private mutating func append(_ numbers: [UInt32]) -> FilterIndex.Text {
    defer { index.conditionNumbers += numbers }
    return FilterIndex.Text(start: UInt32(index.conditionNumbers.count), count: UInt32(numbers.count))
  }

  private func token(_ condition: QueryCondition, _ path: Int) -> TokenName {
    TokenName(path: path, text: condition.text, isPrefix: condition.isPrefix)
  }
}

// Numbers for parts that filters share.
extension FilterIndexBuilder {
  private mutating func pathNumber(of components: FilterComponents) -> Int {
    let name = PathName(host: hostNumber(of: components), path: components.path)
    if let number = paths[name] { return number }
    paths[name] = pathNames.count
    pathNames.append(name)
    entries.append([])
    return pathNames.count - 1
  }

  private mutating func hostNumber(of components: FilterComponents) -> Int {
    let name = hostName(of: components)
    if let number = hosts[name] { return number }
    hosts[name] = hosts.count
    return hosts.count - 1
  }

  private mutating func hostName(of components: FilterComponents) -> HostKey {
    let part = ComparedHost(components.host.span)
    let kind: FilterIndex.HostReach =
      if components.takesEveryHost {
        .every
      } else if part.isNothing {
        .nothing
      } else {
        components.matchesSubdomains ? .below : .exactly
      }
    return HostKey(
      kind: kind, scheme: schemeNumber(of: components.scheme), name: Array(components.host[part.range]))
  }

  private mutating func schemeNumber(of scheme: [UInt8]) -> UInt32 {
    if scheme.isEmpty { return 0 }
    if let number = index.schemes.value(for: scheme.span) { return number }
    let number = UInt32(index.schemes.count) + 1
    index.schemes.set(number, for: scheme.span)
    return number
  }

  private mutating func conditionNumber(of condition: QueryCondition) -> UInt32 {
    if let number = conditions[condition] { return number }
    let number = UInt32(conditionList.count)
    conditions[condition] = number
    conditionList.append(condition)
    return number
  }
}

// Writing the flat arrays, from the inside out.
extension FilterIndexBuilder {
  private mutating func write(_ text: [UInt8]) -> FilterIndex.Text {
    defer { index.bytes += text }
    return FilterIndex.Text(start: UInt32(index.bytes.count), count: UInt32(text.count))
  }

  private mutating func writeConditions() {
    for condition in conditionList {
      let text = write(condition.text)
      index.conditions.append(
        FilterIndex.SharedCondition(
          text: text, keyCount: UInt32(condition.keyCount), isPrefix: condition.isPrefix, isEvery: condition.isEvery))
    }
  }

  private mutating func write(_ list: [FilterIndex.Entry]) -> FilterIndex.Text {
    defer { index.entries += list.sorted { ($1.rank, $0.number) < ($0.rank, $1.number) } }
    return FilterIndex.Text(start: UInt32(index.entries.count), count: UInt32(list.count))
  }

  private mutating func write(_ lengths: Set<Int>) -> FilterIndex.Text {
    defer { index.lengths += lengths.sorted().map { UInt32($0) } }
    return FilterIndex.Text(start: UInt32(index.lengths.count), count: UInt32(lengths.count))
  }

  private mutating func writePaths() {
    var pathHashes: [UInt64] = []
    var tokenHashes: [UInt64] = []
    for (number, name) in pathNames.enumerated() {
      var plain: [FilterIndex.Entry] = []
      var byToken: [TokenName: [FilterIndex.Entry]] = [:]
      for entry in entries[number] {
        if let token = rarestToken(of: entry, number) {
          byToken[token, default: []].append(entry)
        } else {
          plain.append(entry)
        }
      }
      var firstBytes = FilterIndex.FirstBytes()
      for token in byToken.keys {
        if token.isPrefix, token.text.isEmpty { firstBytes.insertAll() } else { firstBytes.insert(token.text) }
      }
      let path = FilterIndex.Path(
        host: UInt32(name.host), path: write(name.path), entries: write(plain),
        prefixLengths: write(Set(byToken.keys.filter(\.isPrefix).map(\.text.count))),
        longestToken: UInt32(byToken.keys.map(\.text.count).max() ?? 0), firstBytes: firstBytes,
        hasWholeTokens: byToken.keys.contains { !$0.isPrefix })
      index.paths.append(path)
      pathHashes.append(Self.hash(name.path, FilterIndex.salt(path: name.host, count: name.path.count)))
      for (token, list) in byToken {
        index.tokens.append(
          FilterIndex.Token(
            path: UInt32(number), text: write(token.text), isPrefix: token.isPrefix, entries: write(list)))
        let salt = FilterIndex.salt(token: number, isPrefix: token.isPrefix, count: token.text.count)
        tokenHashes.append(Self.hash(token.text, salt))
      }
    }
    index.pathSlots = FilterSlots(pathHashes)
    index.tokenSlots = FilterSlots(tokenHashes)
  }

  /// The token of a filter that the fewest filters of the same path have; nil when it has no query. A token that
  /// elements must be equal to is better than one that they begin with.
  private func rarestToken(of entry: FilterIndex.Entry, _ path: Int) -> TokenName? {
    let tokens = index.conditionNumbers[entry.conditions.range].map { token(conditionList[Int($0)], path) }
    return tokens.min { cost($0) < cost($1) }
  }

  private func cost(_ token: TokenName) -> (Int, Int) { (token.isPrefix ? 1 : 0, tokenUses[token] ?? 0) }

  private mutating func writeHosts() {
    var lengths: [Set<Int>] = Array(repeating: [], count: hosts.count)
    for name in pathNames { lengths[name.host].insert(name.path.count) }
    var hashes: [UInt64] = []
    for (name, number) in hosts.sorted(by: { $0.value < $1.value }) {
      index.hosts.append(
        FilterIndex.Host(
          kind: name.kind, scheme: name.scheme, name: write(name.name), pathLengths: write(lengths[number])))
      hashes.append(Self.hash(name.name.reversed(), FilterIndex.salt(host: name.kind, scheme: name.scheme)))
    }
    index.hostSlots = FilterSlots(hashes)
    index.longestName = hosts.keys.map(\.name.count).max() ?? 0
  }

  private static func hash(_ text: some Sequence<UInt8>, _ salt: UInt64) -> UInt64 {
    var hash = FilterHash()
    for byte in text { hash.absorb(byte) }
    return hash.mixed(with: salt)
  }
}
