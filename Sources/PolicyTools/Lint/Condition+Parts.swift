package import URLRules

extension Condition {
  /// The parts that must all hold.
  package var conjuncts: [Condition] {
    guard case .all(let parts) = self else { return [self] }
    return parts.flatMap(\.conjuncts)
  }

  /// The parts of which one must hold.
  package var alternatives: [Condition] {
    guard case .any(let parts) = self else { return [self] }
    return parts.flatMap(\.alternatives)
  }

  /// It holds of http and https only.
  var isWebOnly: Bool {
    switch self {
    case .domain, .host, .list, .network: true
    case .scheme(let name): Self.webSchemes.contains(name)
    case .all(let parts): parts.contains(where: \.isWebOnly)
    case .any(let parts): parts.allSatisfy(\.isWebOnly)
    case .url(let href): Self.webSchemes.contains { href.starts(with: $0 + Array("://".utf8)) }
    case .regex(let regex): regex.namesHost
    case .not, .port, .pattern, .filter, .filters, .same, .sameSite, .from, .hop: false
    }
  }

  static let webSchemes: Set<[UInt8]> = [Array("http".utf8), Array("https".utf8)]

  /// It is never unknown, with any told context and any length of URL.
  ///
  /// A list is not certain here: a list that is not loaded is unknown.
  package var isAlwaysKnown: Bool {
    switch self {
    case .domain, .host, .url, .scheme, .port, .network, .filter, .filters: true
    case .all(let parts), .any(let parts): parts.allSatisfy(\.isAlwaysKnown)
    case .not(let part): part.isAlwaysKnown
    case .list, .regex, .pattern, .same, .sameSite, .from, .hop: false
    }
  }

  /// It says something of the URL that is judged, and not only of how it was reached.
  ///
  ///     { hop: true, from: { domain: contoso.com } }    ->  false
  ///     { scheme: https, hop: true }                    ->  false: nearly every URL has it
  ///     { same: document }                              ->  true
  package var limitsURL: Bool {
    switch self {
    case .from, .hop, .scheme, .port, .not: false
    case .all(let parts): parts.contains(where: \.limitsURL)
    case .any(let parts): parts.allSatisfy(\.limitsURL)
    case .domain, .host, .url, .list, .network, .regex, .pattern, .filter, .filters, .same, .sameSite: true
    }
  }

  /// It asks how the URL was reached, at any depth.
  package var asksContext: Bool {
    switch self {
    case .from, .hop: true
    case .all(let parts), .any(let parts): parts.contains(where: \.asksContext)
    case .not(let part): part.asksContext
    case .domain, .host, .url, .list, .network, .regex, .pattern, .filter, .filters, .same, .sameSite, .scheme, .port:
      false
    }
  }

  /// Every matcher in it that is not behind a `not`, and that looks at the URL itself.
  package var positiveMatchers: [Condition] {
    switch self {
    case .all(let parts), .any(let parts): parts.flatMap(\.positiveMatchers)
    case .not, .from: []
    default: [self]
    }
  }
}

extension Regex {
  /// Every URL in which it is found has a host that the pattern names.
  var namesHost: Bool {
    guard case .host = keys?.first else { return false }
    return true
  }
}
