internal import URLRules
internal import URLStandard

/// Reads a condition as alternatives of static terms.
///
///     domain: [a.example, b.example], scheme: https     ->  one: hosts a.example and b.example, https
///     host: a.example, not: { port: 8443 }              ->  one: host a.example, except port 8443
///     domain: a.example, from: { host: b.example }      ->  one: hosts a.example, with a gap
struct StaticReading {
  private let lists: HostLists

  init(_ lists: HostLists) { self.lists = lists }

  /// An empty result: no web URL fulfils it.
  func alternatives(of condition: Condition) -> [StaticAlternative] {
    let found = read(condition)
    return found.count <= StaticAlternative.maximum ? found : [StaticAlternative.tooMany]
  }

  private func read(_ condition: Condition) -> [StaticAlternative] {
    switch condition {
    case .all(let parts): StaticAlternative.product(of: parts.map(read))
    case .any(let parts):
      (Self.names(in: parts) + parts.filter { !$0.isName }.flatMap(read)).unitingHosts(\.term)
    case .not(let part): negated(part)
    default: leaf(condition)
    }
  }

  private func negated(_ condition: Condition) -> [StaticAlternative] {
    switch condition {
    case .all(let parts):
      return exceptions(condition) ?? parts.flatMap(negated).unitingHosts(\.term)
    case .any(let parts):
      let names = Self.names(in: parts).map(Self.negated)
      return StaticAlternative.product(of: names + parts.filter { !$0.isName }.map(negated))
    case .not(let part): return read(part)
    case .scheme(let name):
      let others = StaticTerm.Schemes.web.subtracting(Self.schemes(name))
      return others.isEmpty ? [] : [StaticAlternative(term: Self.term { $0.schemes = others })]
    default: return StaticAlternative.product(of: leaf(condition).map(Self.negated))
    }
  }

  /// Everything but the alternatives of a group, when each is one term: `not: { host: a.example, port: 8443 }` is one
  /// exception. Nil for groups that have to be taken apart.
  private func exceptions(_ group: Condition) -> [StaticAlternative]? {
    guard !group.holdsNegation else { return nil }
    let found = read(group)
    guard found.allSatisfy({ $0.gaps.isEmpty && $0.exceptions.isEmpty }) else { return nil }
    return StaticAlternative.product(of: found.map(Self.negated))
  }

  /// The hosts among the parts of an `any`, as one set: nothing is made for each of them.
  private static func names(in parts: [Condition]) -> [StaticAlternative] {
    let entries = parts.compactMap(\.entry)
    return entries.isEmpty ? [] : [hosts(entries)]
  }

  private static func negated(_ alternative: StaticAlternative) -> [StaticAlternative] {
    guard alternative.gaps.isEmpty else { return [StaticAlternative(gaps: alternative.gaps)] }
    return [StaticAlternative(exceptions: [alternative.term])]
      + alternative.exceptions.compactMap { alternative.term.intersection($0).map { StaticAlternative(term: $0) } }
  }

  private func leaf(_ condition: Condition) -> [StaticAlternative] {
    switch condition {
    case .all, .any, .not: read(condition)
    case .domain, .host: Self.names(in: [condition])
    case .list(let list, _): lists.holds(list) ? [Self.hosts(lists.hosts(of: list))] : [.tooMany]
    case .network(let network): Self.read(network)
    case .url(let href): Self.read(url: href)
    case .scheme(let name):
      Self.schemes(name).isEmpty ? [] : [StaticAlternative(term: Self.term { $0.schemes = Self.schemes(name) })]
    case .port(let port): [StaticAlternative(term: Self.term { $0.port = port })]
    case .queryOver: [Self.gap(.queryLength)]
    case .regex(let regex): [Self.read(StaticText(regex), regex.keys, .expression)]
    case .pattern(let pattern): [Self.read(StaticText(pattern), pattern.keys, .expression)]
    case .filter(let filter): [StaticFilter(filter)].compactMap(\.alternative)
    case .filters(let filters, _): StaticFilter.alternatives(of: filters).unitingHosts(\.term)
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

extension Condition {
  /// The host that it names, alone or with all below it; nil when it is no such matcher.
  fileprivate var entry: HostSet.Entry? {
    switch self {
    case .domain(let name): .below(String(decoding: name, as: UTF8.self))
    case .host(let name): .exactly(String(decoding: name, as: UTF8.self))
    default: nil
    }
  }

  fileprivate var holdsNegation: Bool {
    switch self {
    case .all(let parts), .any(let parts): parts.contains(where: \.holdsNegation)
    case .not: true
    default: false
    }
  }

  fileprivate var isName: Bool {
    switch self {
    case .domain, .host: true
    default: false
    }
  }
}
