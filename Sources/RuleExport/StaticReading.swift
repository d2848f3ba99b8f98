internal import URLRules
internal import URLStandard

/// One way in which a condition can hold.
struct StaticAlternative: Sendable, Hashable {
  var term = StaticTerm()
  /// Exceptions from the term.
  var exceptions: [StaticTerm] = []
  /// Other demands that cannot be said: the term then takes more than the condition.
  var gaps: Set<StaticGap> = []

  /// The URLs of which both hold; nil when there are none.
  func intersection(_ other: StaticAlternative) -> StaticAlternative? {
    guard let both = term.intersection(other.term) else { return nil }
    var result = StaticAlternative(term: both, gaps: gaps.union(other.gaps))
    for exception in exceptions + other.exceptions where exception.intersects(both) {
      if exception.contains(both) { return nil }
      if !result.exceptions.contains(exception) { result.exceptions.append(exception) }
    }
    return result
  }
}

/// Reads a condition as alternatives of static terms.
///
///     domain: [a.example, b.example], scheme: https     ->  one: hosts a.example and b.example, https
///     host: a.example, not: { port: 8443 }              ->  one: host a.example, except port 8443
///     domain: a.example, from: { host: b.example }      ->  one: hosts a.example, with a gap
struct StaticReading {
  private let lists: HostLists
  /// Maximum alternatives of one rule that are followed.
  private static let maximum = 4_096

  init(_ lists: HostLists) { self.lists = lists }

  /// An empty result: no web URL fulfils it.
  func alternatives(of condition: Condition) -> [StaticAlternative] {
    let found = read(condition)
    guard found.count <= Self.maximum else { return [Self.gap(.tooMany)] }
    return found
  }

  private func read(_ condition: Condition) -> [StaticAlternative] {
    switch condition {
    case .all(let parts): parts.reduce([StaticAlternative()]) { Self.product($0, read($1)) }
    case .any(let parts): Self.merged(parts.flatMap(read))
    case .not(let part): negated(part)
    default: leaf(condition)
    }
  }

  private func negated(_ condition: Condition) -> [StaticAlternative] {
    switch condition {
    case .all(let parts): return Self.merged(parts.flatMap(negated))
    case .any(let parts): return parts.reduce([StaticAlternative()]) { Self.product($0, negated($1)) }
    case .not(let part): return read(part)
    case .scheme(let name):
      let others = StaticTerm.Schemes.web.subtracting(Self.schemes(name))
      return others.isEmpty ? [] : [StaticAlternative(term: Self.term { $0.schemes = others })]
    default:
      return leaf(condition).reduce([StaticAlternative()]) { Self.product($0, Self.negated($1)) }
    }
  }

  private static func negated(_ alternative: StaticAlternative) -> [StaticAlternative] {
    guard alternative.gaps.isEmpty else { return [StaticAlternative(gaps: alternative.gaps)] }
    return [StaticAlternative(exceptions: [alternative.term])]
      + alternative.exceptions.compactMap { alternative.term.intersection($0).map { StaticAlternative(term: $0) } }
  }

  private static func product(_ some: [StaticAlternative], _ others: [StaticAlternative]) -> [StaticAlternative] {
    guard some.count * others.count <= maximum else { return [gap(.tooMany)] }
    return some.flatMap { one in others.compactMap(one.intersection) }
  }

  /// Those that differ in their hosts only become one.
  private static func merged(_ alternatives: [StaticAlternative]) -> [StaticAlternative] {
    guard alternatives.count > 1 else { return alternatives }
    var result: [StaticAlternative] = []
    var entries: [[HostSet.Entry]] = []
    var places: [StaticAlternative: Int] = [:]
    for alternative in alternatives {
      guard let hosts = alternative.term.hosts.entries, alternative.term.texts.isEmpty else {
        result.append(alternative)
        entries.append([])
        continue
      }
      var rest = alternative
      rest.term = rest.term.withoutHosts
      if let place = places[rest] {
        entries[place] += hosts
      } else {
        places[rest] = result.count
        result.append(rest)
        entries.append(hosts)
      }
    }
    for place in places.values { result[place].term.hosts = HostSet(entries[place]) }
    return result
  }

  private func leaf(_ condition: Condition) -> [StaticAlternative] {
    switch condition {
    case .all, .any, .not: read(condition)
    case .domain(let name): [Self.hosts([.below(Self.text(name))])]
    case .host(let name): [Self.hosts([.exactly(Self.text(name))])]
    case .list(let list, _): lists.holds(list) ? [Self.hosts(lists.hosts(of: list))] : [Self.gap(.tooMany)]
    case .network(let network): Self.read(network)
    case .url(let href): Self.read(url: href)
    case .scheme(let name):
      Self.schemes(name).isEmpty ? [] : [StaticAlternative(term: Self.term { $0.schemes = Self.schemes(name) })]
    case .port(let port): [StaticAlternative(term: Self.term { $0.port = port })]
    case .queryOver: [Self.gap(.queryLength)]
    case .regex(let regex): [Self.read(StaticText(regex), regex.keys, .expression)]
    case .pattern(let pattern): [Self.read(StaticText(pattern), pattern.keys, .expression)]
    case .filter(let filter): [StaticFilter(filter)].compactMap(\.alternative)
    case .filters(let filters, _): Self.merged(StaticFilter.alternatives(of: filters))
    case .same, .sameSite: [Self.gap(.document)]
    case .from: [Self.gap(.from)]
    case .hop: [Self.gap(.hop)]
    }
  }

  private static func read(_ text: StaticText?, _ keys: [IndexKey]?, _ gap: StaticGap) -> StaticAlternative {
    var result = StaticAlternative()
    if let keys, keys.count == 1, case .host(let name, let below, _) = keys[0] {
      result.term.hosts = HostSet([below ? .below(Self.text(name)) : .exactly(Self.text(name))])
      result.term.hostsAreImplied = true
    }
    if let text { result.term.texts = [text] } else { result.gaps = [gap] }
    return result
  }

  private static func read(url href: [UInt8]) -> [StaticAlternative] {
    var record = URLRecord()
    guard record.parse(href.span) == .valid, record.isWeb, record.bytes == href, let port = record.effectivePort else {
      return []
    }
    let target = href[record.pathRange.lowerBound...]
    return [
      StaticAlternative(
        term: term {
          $0.schemes = schemes(Array(record.bytes[record.schemeRange]))
          $0.hosts = HostSet([.exactly(record.hostname)])
          $0.port = port
          $0.place = .exactly(Array(target))
        })
    ]
  }

  /// An IPv4 network as the common beginning of its addresses. IPv6 is written in too many ways for that.
  private static func read(_ network: IPNetwork) -> [StaticAlternative] {
    guard !network.base.isIPv6 else {
      return network.prefixBits == 128 ? [hosts([.exactly("[\(network.base)]")])] : [gap(.network)]
    }
    let bits = network.prefixBits - 96
    let whole = bits / 8
    let first = UInt32(truncatingIfNeeded: network.base.bits)
    let octets = (0..<4).map { UInt8(truncatingIfNeeded: first >> UInt32(24 - 8 * $0)) }
    let start = octets[..<whole].map { "\($0)." }.joined()
    if bits == 32 { return [hosts([.exactly(String(start.dropLast()))])] }
    let count = 1 << (8 - bits % 8)
    let choices = bits % 8 == 0 && whole > 0 ? [start] : (0..<count).map { "\(start)\(Int(octets[whole]) + $0)." }
    if bits > 24 { return [hosts(choices.map { .exactly(String($0.dropLast())) })] }
    return [hosts(choices.map(HostSet.Entry.network))]
  }

  private static func hosts(_ entries: [HostSet.Entry]) -> StaticAlternative { hosts(HostSet(entries)) }
  private static func hosts(_ hosts: HostSet) -> StaticAlternative { StaticAlternative(term: StaticTerm(hosts: hosts)) }
  private static func gap(_ gap: StaticGap) -> StaticAlternative { StaticAlternative(gaps: [gap]) }

  private static func term(_ change: (inout StaticTerm) -> Void) -> StaticTerm {
    var term = StaticTerm()
    change(&term)
    return term
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  static func schemes(_ name: [UInt8]) -> StaticTerm.Schemes {
    name == Array("https".utf8) ? .https : name == Array("http".utf8) ? .http : []
  }
}
