extension Condition {
  /// Keys of which at least one holds whenever the condition is not certainly false; nil when other URLs may fulfil it.
  ///
  ///     domain: contoso.com, scheme: https     ->  host contoso.com, and below
  ///     any of host a.example, list 3          ->  host a.example; list 3
  ///     not domain: contoso.com                ->  nil
  ///
  /// Trap: what does not certainly imply one of its keys must offer none, or a rule is hidden, and a hidden external rule
  /// is a leak.
  package var keys: [IndexKey]? {
    switch self {
    case .domain(let name): [.host(name, below: true, path: [])]
    case .host(let name): [.host(name, below: false, path: [])]
    case .url(let href): [.url(href)]
    case .list(let list, _): [.list(list)]
    case .network(let network): [.network(network)]
    case .all(let parts): Self.cheapest(parts.lazy.compactMap(\.keys))
    case .any(let parts): Self.union(parts, \.keys)
    case .regex(let regex): regex.keys
    case .pattern(let pattern): pattern.keys
    case .filter(let filter): filter.keys
    case .not, .scheme, .port, .filters, .same, .sameSite, .from, .hop: nil
    }
  }

  /// Keys that are texts, and would do in the place of `keys`; nil when there are none that can be searched for.
  var textKeys: [IndexKey]? {
    switch self {
    case .regex(let regex): regex.textKey.map { [$0] }
    case .all(let parts): parts.lazy.compactMap(\.textKeys).first
    case .any(let parts): Self.union(parts, \.textKeys)
    default: nil
    }
  }

  /// On http and https it is true exactly when one of its keys holds: a rule that was found by its key need not ask it.
  var isItsKeys: Bool {
    switch self {
    case .domain, .host, .url, .list, .network: true
    case .any(let parts): parts.allSatisfy(\.isItsKeys)
    case .all(let parts): parts.count == 1 && parts[0].isItsKeys
    case .not, .scheme, .port, .regex, .pattern, .filter, .filters, .same, .sameSite, .from, .hop: false
    }
  }

  /// Of keys that each would do, those that lead to the rule for fewest URLs.
  private static func cheapest(_ choices: some Sequence<[IndexKey]>) -> [IndexKey]? {
    choices.min { (cost($0), $0.count) < (cost($1), $1.count) }
  }

  private static func cost(_ keys: [IndexKey]) -> Int { keys.lazy.map(\.cost).max() ?? 0 }

  private static func union(_ parts: [Condition], _ choice: (Condition) -> [IndexKey]?) -> [IndexKey]? {
    var all: [IndexKey] = []
    for part in parts {
      guard let keys = choice(part) else { return nil }
      all += keys
    }
    return all
  }
}

extension IndexKey {
  /// More for what holds of more URLs, or costs more to find out.
  fileprivate var cost: Int {
    switch self {
    case .url: 0
    case .host(_, below: false, let path): path.isEmpty ? 2 : 1
    case .host(_, below: true, let path): path.isEmpty ? 4 : 3
    case .network: 5
    case .list: 6
    case .text: 7
    }
  }
}
