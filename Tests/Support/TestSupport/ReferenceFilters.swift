package import URLRules
package import URLStandard

/// URL filters as a plain loop over all of them, each evaluated in the way Chromium does it: the URL becomes one text
/// with marks between its parts, and a filter is a text to be found in it.
///
/// Slow and obvious. Shares nothing with the compiled filters but their components.
package struct ReferenceFilters {
  private struct Filter {
    var components: FilterComponents
    var isAllow: Bool
    var place: URLFilterSet.Place
    var needle: [UInt8]
    var conditions: [Condition]
  }

  /// One condition of a query: what is searched for, and what must follow every place where it is found.
  private struct Condition {
    var needle: [UInt8]
    var value: [UInt8]
    var isEvery: Bool
  }

  // Bytes that are in no URL.
  private static let beginning: UInt8 = 0xFF
  private static let endOfHost: UInt8 = 0xFE
  private static let endOfPath: UInt8 = 0xFD
  private static let delimiter: UInt8 = 0xFC
  private static let end: UInt8 = 0xFB
  private static let dot = UInt8(ascii: ".")

  private let filters: [Filter]
  private let isList: Bool

  package init(block: [URLFilter], allow: [URLFilter]) {
    filters =
      block.enumerated().map { Self.filter($1, .init(.block, $0)) }
      + allow.enumerated().map { Self.filter($1, .init(.allow, $0)) }
    isList = false
  }

  package init(anyOf list: [URLFilter]) {
    filters = list.enumerated().map { Self.filter($1, .init(.block, $0)) }
    isList = true
  }

  /// What the filters say of the URL, and which decided; `examined` is how many matched.
  package func answer(for record: URLRecord) -> URLFilterSet.Answer {
    let matching = filters.filter { Self.matches($0, record) }
    guard var best = matching.first else { return URLFilterSet.Answer() }
    for filter in matching where Self.takesPrecedence(filter, over: best) { best = filter }
    return URLFilterSet.Answer(state: state(best, record), filter: best.place, examined: matching.count)
  }

  /// Which filters match, by their place in the lists.
  package func matching(_ record: URLRecord) -> [URLFilterSet.Place] {
    filters.filter { Self.matches($0, record) }.map(\.place)
  }

  private func state(_ filter: Filter, _ record: URLRecord) -> URLFilterSet.State {
    if isList { return .blocked }
    let isWildcard = filter.components.isWildcard
    if filter.isAllow { return isWildcard ? .neutral : .allowed }
    let scheme = record.text(record.schemeRange)
    if isWildcard, ["chrome", "chrome-extension", "chrome-native", "chrome-search"].contains(scheme) {
      return .allowed
    }
    return scheme == "blob" ? .neutral : .blocked
  }

  private static func takesPrecedence(_ left: Filter, over right: Filter) -> Bool {
    let (ours, theirs) = (left.components, right.components)
    let isLowest = ours.isWildcard && !left.isAllow
    if theirs.isWildcard && !right.isAllow { return !isLowest }
    if isLowest { return false }
    if ours.matchesSubdomains != theirs.matchesSubdomains { return !ours.matchesSubdomains }
    if ours.host.count != theirs.host.count { return ours.host.count > theirs.host.count }
    if ours.path.count != theirs.path.count { return ours.path.count > theirs.path.count }
    if left.conditions.count != right.conditions.count { return left.conditions.count > right.conditions.count }
    return left.isAllow && !right.isAllow
  }
}

// One filter.
extension ReferenceFilters {
  private static func filter(_ filter: URLFilter, _ place: URLFilterSet.Place) -> Filter {
    let components = filter.components
    let isBelow = components.matchesSubdomains && !components.host.isEmpty
    var host = isBelow ? [dot] + components.host : components.host
    if host.last != dot { host.append(dot) }
    if !components.matchesSubdomains { host = [beginning] + (host.first == dot ? [] : [dot]) + host }
    return Filter(
      components: components, isAllow: filter.side == .allow, place: place,
      needle: host + [endOfHost] + components.path, conditions: conditions(components.query, filter.side == .allow))
  }

  private static func conditions(_ query: [UInt8], _ isAllow: Bool) -> [Condition] {
    var list: [Condition] = []
    var tokens = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    if tokens.last?.isEmpty == true { tokens.removeLast() }
    for token in tokens {
      var key = [delimiter] + token.prefix { $0 != UInt8(ascii: "=") }
      var value = Array(token.drop { $0 != UInt8(ascii: "=") }.dropFirst())
      if value.last == UInt8(ascii: "*") {
        value.removeLast()
        key.append(UInt8(ascii: "="))
      } else if !value.isEmpty {
        key.append(UInt8(ascii: "="))
        value.append(delimiter)
      } else if key.last == UInt8(ascii: "*") {
        key.removeLast()
      } else {
        value = [delimiter]
      }
      let isEvery = isAllow && !value.isEmpty
      let condition = Condition(needle: isEvery ? key : key + value, value: value, isEvery: isEvery)
      let isKnown = list.contains { $0.needle == condition.needle && $0.isEvery == isEvery }
      if !isKnown { list.append(condition) }
    }
    return list
  }

  private static func matches(_ filter: Filter, _ record: URLRecord) -> Bool {
    let components = filter.components
    if !components.scheme.isEmpty, components.scheme != Array(record.bytes[record.schemeRange]) { return false }
    if components.port != 0, components.port != record.effectivePort { return false }
    let text = text(of: record)
    if places(of: filter.needle, in: text).isEmpty { return false }
    return filter.conditions.allSatisfy { condition in
      let found = places(of: condition.needle, in: text)
      if !condition.isEvery { return !found.isEmpty }
      let follow = found.map { text[($0 + condition.needle.count)...].starts(with: condition.value) }
      return !found.isEmpty && follow.allSatisfy(\.self)
    }
  }

  /// The URL as one text in which filters are searched for.
  private static func text(of record: URLRecord) -> [UInt8] {
    var host = Array(record.bytes[record.hostRange])
    if host.last != dot { host.append(dot) }
    if host.first != dot { host.insert(dot, at: 0) }
    var text = [beginning] + host + [endOfHost] + record.bytes[record.pathRange] + [endOfPath]
    if let range = record.queryRange {
      text += [delimiter] + record.bytes[range].map { $0 == UInt8(ascii: "&") ? delimiter : $0 } + [delimiter]
    }
    return text + [end]
  }

  private static func places(of needle: [UInt8], in text: [UInt8]) -> [Int] {
    guard text.count >= needle.count else { return [] }
    return (0...text.count - needle.count).filter { text[$0...].starts(with: needle) }
  }
}
