internal import Bytes
internal import URLStandard

/// A consumer of the filters that match a URL.
protocol FilterMatches {
  /// Whether a filter of this rank and number is worth looking at.
  func wants(_ rank: UInt64, _ number: Int32) -> Bool
  mutating func take(_ entry: FilterIndex.Entry)
  /// Called for every filter that is looked at.
  mutating func count()
  /// Notes work: bytes that were looked at.
  mutating func spend(_ bytes: Int)
  /// Whether the search shall stop.
  var isSpent: Bool { get }
}

// Finding the filters that match one URL. Nothing here allocates.
extension FilterIndex {
  /// Shows `matches` every filter that matches the record, unless it does not want to see it.
  func search(_ record: borrowing URLRecord, _ matches: inout some FilterMatches) {
    var memo = ConditionMemo()
    let scheme = schemes.value(for: record.schemeBytes) ?? 0
    var hash = FilterHash()
    visit(.every, scheme, hash, record, 0..<0, &memo, &matches)
    let host = record.hostBytes
    let part = ComparedHost(host)
    if part.isNothing { return visit(.nothing, scheme, hash, record, 0..<0, &memo, &matches) }
    let offset = record.hostRange.lowerBound
    var index = part.range.upperBound
    let last = max(part.range.lowerBound, index - longestName)
    while index > last {
      index -= 1
      hash.absorb(host[index])
      let name = offset + index..<offset + part.range.upperBound
      if index == part.range.lowerBound {
        visit(.exactly, scheme, hash, record, name, &memo, &matches)
        visit(.below, scheme, hash, record, name, &memo, &matches)
      } else if host[index - 1] == UInt8(ascii: ".") {
        visit(.below, scheme, hash, record, name, &memo, &matches)
      }
    }
    if part.range.isEmpty { visit(.exactly, scheme, hash, record, 0..<0, &memo, &matches) }
  }

  /// The filters of a host, those for every scheme and those for this one.
  private func visit(
    _ kind: HostReach, _ scheme: UInt32, _ hash: FilterHash, _ record: borrowing URLRecord, _ name: Range<Int>,
    _ memo: inout ConditionMemo, _ matches: inout some FilterMatches
  ) {
    if let host = find(kind, 0, hash, record, name) { searchPaths(host, record, &memo, &matches) }
    guard scheme != 0, let host = find(kind, scheme, hash, record, name) else { return }
    searchPaths(host, record, &memo, &matches)
  }

  private func find(
    _ kind: HostReach, _ scheme: UInt32, _ hash: FilterHash, _ record: borrowing URLRecord, _ name: Range<Int>
  ) -> Int? {
    let theirs = record.bytes.span.extracting(name)
    return hostSlots.number(hash.mixed(with: Self.salt(host: kind, scheme: scheme))) { number in
      let host = hosts[number]
      return host.kind == kind && host.scheme == scheme && bytes.span.extracting(host.name.range).matches(theirs)
    }
  }

  private func searchPaths(
    _ host: Int, _ record: borrowing URLRecord, _ memo: inout ConditionMemo, _ matches: inout some FilterMatches
  ) {
    let path = record.pathBytes
    var hash = FilterHash()
    var position = 0
    for index in hosts[host].pathLengths.range {
      let length = Int(lengths[index])
      guard length <= path.count, !matches.isSpent else { return }
      while position < length {
        hash.absorb(path[position])
        position += 1
      }
      let prefix = path.extracting(0..<length)
      let found = pathSlots.number(hash.mixed(with: Self.salt(path: host, count: length))) { number in
        Int(paths[number].host) == host && bytes.span.extracting(paths[number].path.range).matches(prefix)
      }
      matches.spend(found == nil ? 1 : length)
      if let found { searchFilters(found, record, &memo, &matches) }
    }
  }

  private func searchFilters(
    _ path: Int, _ record: borrowing URLRecord, _ memo: inout ConditionMemo, _ matches: inout some FilterMatches
  ) {
    check(paths[path].entries, record, &memo, &matches)
    guard !paths[path].firstBytes.isEmpty, let range = record.queryRange else { return }
    let query = record.bytes.span.extracting(range)
    let firstBytes = paths[path].firstBytes
    let ampersand = UInt8(ascii: "&")
    var start = 0
    matches.spend(query.count)
    while start <= query.count, !matches.isSpent {
      if firstBytes.mayHold(start < query.count ? query[start] : ampersand) {
        searchElement(path, query, start, record, &memo, &matches)
      }
      while start < query.count, query[start] != ampersand { start += 1 }
      start += 1
    }
  }

  /// The filters under the token that is the element of the query that begins at `start`. An element is read only to
  /// the length of the longest token.
  private func searchElement(
    _ path: Int, _ query: Span<UInt8>, _ start: Int, _ record: borrowing URLRecord, _ memo: inout ConditionMemo,
    _ matches: inout some FilterMatches
  ) {
    let limit = min(query.count, start + Int(paths[path].longestToken))
    var hash = FilterHash()
    var next = paths[path].prefixLengths.range.lowerBound
    let lastLength = paths[path].prefixLengths.range.upperBound
    var end = start
    while true {
      if next < lastLength, Int(lengths[next]) == end - start {
        next += 1
        check(path, query.extracting(start..<end), hash, isPrefix: true, record, &memo, &matches)
      }
      guard end < limit, query[end] != UInt8(ascii: "&") else { break }
      hash.absorb(query[end])
      end += 1
    }
    guard paths[path].hasWholeTokens, end == query.count || query[end] == UInt8(ascii: "&") else { return }
    check(path, query.extracting(start..<end), hash, isPrefix: false, record, &memo, &matches)
  }

  private func check(
    _ path: Int, _ text: Span<UInt8>, _ hash: FilterHash, isPrefix: Bool, _ record: borrowing URLRecord,
    _ memo: inout ConditionMemo, _ matches: inout some FilterMatches
  ) {
    matches.spend(Self.bytesOfLook)
    let salt = Self.salt(token: path, isPrefix: isPrefix, count: text.count)
    let found = tokenSlots.number(hash.mixed(with: salt)) { number in
      Int(tokens[number].path) == path && tokens[number].isPrefix == isPrefix
        && bytes.span.extracting(tokens[number].text.range).matches(text)
    }
    if let found { check(tokens[found].entries, record, &memo, &matches) }
  }

  /// Looks at filters whose host, scheme and path are right, from the highest in rank on.
  private func check(
    _ list: Text, _ record: borrowing URLRecord, _ memo: inout ConditionMemo, _ matches: inout some FilterMatches
  ) {
    let port = record.effectivePort ?? 0
    for index in list.range {
      guard matches.wants(entries[index].rank, entries[index].number) else { return }
      matches.count()
      matches.spend(Self.bytesOfLook)
      if matches.isSpent { return }
      guard entries[index].port == 0 || entries[index].port == port else { continue }
      if holds(entries[index].conditions, record, &memo, &matches) { matches.take(entries[index]) }
    }
  }

  /// The cost of a look into a table, in bytes that could be compared meanwhile.
  private static let bytesOfLook = 8
}

// Query conditions, each looked at once a URL as long as the memo has room.
extension FilterIndex {
  private func holds(
    _ list: Text, _ record: borrowing URLRecord, _ memo: inout ConditionMemo, _ matches: inout some FilterMatches
  ) -> Bool {
    for index in list.range {
      guard let range = record.queryRange else { return false }
      let number = conditionNumbers[index]
      if let known = memo[number] {
        if known { continue } else { return false }
      }
      matches.spend(range.count)
      let truth = demand(number).holds(in: record.bytes.span.extracting(range))
      memo[number] = truth
      if !truth { return false }
    }
    return true
  }

  @_lifetime(borrow self)
  private func demand(_ number: UInt32) -> QueryDemand {
    let condition = conditions[Int(number)]
    return QueryDemand(
      text: bytes.span.extracting(condition.text.range), keyCount: Int(condition.keyCount),
      isPrefix: condition.isPrefix, isEvery: condition.isEvery)
  }
}

/// Results of conditions on one query. A query of ten thousand equal elements asks for one condition ten thousand
/// times; it is looked at once.
private struct ConditionMemo {
  /// The condition's number and one, doubled, and 1 when it holds.
  private var known = InlineArray<64, UInt64>(repeating: 0)

  subscript(number: UInt32) -> Bool? {
    get {
      let entry = known[Int(number & 63)]
      return entry >> 1 == UInt64(number) + 1 ? entry & 1 == 1 : nil
    }
    set {
      guard let newValue else { return }
      known[Int(number & 63)] = (UInt64(number) + 1) << 1 | (newValue ? 1 : 0)
    }
  }
}
