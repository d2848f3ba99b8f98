internal import URLRules

/// One way in which a condition can hold.
struct StaticAlternative: Sendable, Hashable {
  var term = StaticTerm()
  /// Exceptions from the term.
  var exceptions: [StaticTerm] = []
  /// Other demands that cannot be said: the term then takes more than the condition.
  var gaps: Set<StaticGap> = []

  /// Maximum alternatives of one rule that are followed.
  static let maximum = 4_096
  /// Maximum exceptions, and hosts in them, of all alternatives that a combination may make.
  private static let maximumWeight = 2_000_000

  /// It stands for a condition that has too many combinations.
  static let tooMany = StaticAlternative(gaps: [.tooMany])

  /// The URLs of which both hold; nil when there are none.
  func intersection(_ other: StaticAlternative) -> StaticAlternative? { Self.intersection(of: [self, other]) }

  /// The URLs of it that a term takes; nil when there are none.
  func intersection(_ region: StaticTerm) -> StaticAlternative? {
    guard let both = term.intersection(region) else { return nil }
    let touching = exceptions.filter { $0.intersects(both) }
    if touching.contains(where: { $0.contains(both) }) { return nil }
    return StaticAlternative(term: both, exceptions: touching, gaps: gaps)
  }

  /// The URLs of which all hold; nil when there are none. Each exception is compared once, and those that differ in their
  /// hosts only become one: nine thousand hosts behind `not` are one exception.
  private static func intersection(of all: [StaticAlternative]) -> StaticAlternative? {
    var result = StaticAlternative()
    for one in all {
      guard let both = result.term.intersection(one.term) else { return nil }
      result.term = both
      result.gaps.formUnion(one.gaps)
    }
    for exception in all.flatMap(\.exceptions).unitingHosts(\.self) where exception.intersects(result.term) {
      if exception.contains(result.term) { return nil }
      result.exceptions.append(exception)
    }
    return result
  }

  /// The alternatives of a condition of which all parts must hold, from those of each part.
  ///
  /// Parts with one alternative, such as `not` with a host, are intersected at once. Only the others multiply.
  static func product(of parts: [[StaticAlternative]]) -> [StaticAlternative] {
    guard !parts.contains(where: \.isEmpty) else { return [] }
    guard let alone = intersection(of: parts.filter { $0.count == 1 }.map { $0[0] }) else { return [] }
    var result = [alone]
    for part in parts where part.count > 1 {
      guard result.count * part.count <= maximum,
        result.weight * part.count + part.weight * result.count <= maximumWeight
      else { return [tooMany] }
      result = result.flatMap { one in part.compactMap(one.intersection) }
    }
    return result
  }
}

extension [StaticAlternative] {
  /// Number of exceptions, and of hosts in them.
  fileprivate var weight: Int {
    reduce(0) { $0 + $1.exceptions.reduce(0) { $0 + 1 + ($1.hosts.entries?.count ?? 0) } }
  }
}

extension Array where Element: Hashable {
  /// The same, but those that differ in the hosts of a term only become one, at the place of the first.
  ///
  ///     [host a.example], [host b.example], [port 8443]   ->   [hosts a.example and b.example], [port 8443]
  ///
  /// Texts have their hosts in them, so terms with texts stay as they are, each once.
  func unitingHosts(_ path: WritableKeyPath<Element, StaticTerm>) -> [Element] {
    guard count > 1 else { return self }
    var result: [Element] = []
    /// The hosts of each; nil: every host, or those of its texts.
    var hosts: [[HostSet.Entry]?] = []
    var places: [Element: Int] = [:]
    for element in self {
      let own = element[keyPath: path].texts.isEmpty ? element[keyPath: path].hosts.entries : nil
      var rest = element
      if own != nil { rest[keyPath: path].hosts = .every }
      guard let place = places[rest] else {
        places[rest] = result.count
        result.append(rest)
        hosts.append(own)
        continue
      }
      if let own { hosts[place]?.append(contentsOf: own) } else { hosts[place] = nil }
    }
    for (place, own) in hosts.enumerated() {
      if let own { result[place][keyPath: path].hosts = HostSet(own) }
    }
    return result
  }
}
