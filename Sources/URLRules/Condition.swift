package import GuardModel

/// The demands of a rule on a URL and on the way it was reached.
///
/// Names in it are already in the form the parser gives hosts and schemes, so matching compares bytes.
package indirect enum Condition: Sendable {
  /// All hold. Empty: always.
  case all([Condition])
  /// At least one holds. Empty: never.
  case any([Condition])
  case not(Condition)
  /// http(s) with this host or one below it, at label borders: `contoso.com` takes `mail.contoso.com`, never
  /// `evilcontoso.com`.
  case domain([UInt8])
  /// http(s) with exactly this host.
  case host([UInt8])
  /// Exactly this URL, fragment and credentials apart.
  case url([UInt8])
  case scheme([UInt8])
  /// The port, or the scheme's own when the URL names none.
  case port(UInt16)
  /// The query has more bytes than this, as the parser writes it: percent-encoded, without `?` and fragment. A URL without a
  /// query has none.
  case queryOver(UInt16)
  /// http(s) with a host that is in the list with this number, or is below one that is (`HostLists`).
  /// `file` is the list's name for users.
  case list(HostListNumber, file: String = "")
  /// http(s) with an address as host that is in the network.
  case network(IPNetwork)
  case regex(Regex)
  case pattern(URLPattern)
  /// A URL filter in Chromium's format.
  case filter(URLFilter)
  /// URLs that a block list with an allow list of URL filters blocks, by Chromium's precedence; or URLs that any of
  /// many filters takes. `file` is the list's file.
  case filters(URLFilterSet, file: String = "")
  case same(Sameness)
  /// The same site as the document of the viewer.
  case sameSite(PublicSuffixes)
  /// The condition holds of the page or hop that led here.
  case from(Condition)
  /// The navigation is (or is not) a server redirect.
  case hop(Bool)
}

extension Condition {
  /// Whether it asks for a list: of the URL's own host, or (`inFrom`) of the host that led here.
  func asksLists(inFrom: Bool) -> Bool {
    switch self {
    case .list: !inFrom
    case .all(let parts), .any(let parts): parts.contains { $0.asksLists(inFrom: inFrom) }
    case .not(let part): part.asksLists(inFrom: inFrom)
    case .from(let part): inFrom && (part.asksLists(inFrom: false) || part.asksLists(inFrom: true))
    case .domain, .host, .url, .scheme, .port, .queryOver, .network, .regex, .pattern, .filter, .filters, .same,
      .sameSite, .hop:
      false
    }
  }
}

extension Condition {
  /// Whether it compares with the viewer's document, at any depth.
  var asksDocument: Bool {
    switch self {
    case .same, .sameSite: true
    case .all(let parts), .any(let parts): parts.contains(where: \.asksDocument)
    case .not(let part), .from(let part): part.asksDocument
    case .domain, .host, .url, .scheme, .port, .queryOver, .list, .network, .regex, .pattern, .filter, .filters, .hop:
      false
    }
  }
}

/// The comparison of `same:` with the document that the app registered for the viewer.
package enum Sameness: String, Sendable, Hashable, CaseIterable {
  /// The same URL, fragment apart.
  case document
  /// The same origin and path; the query may differ.
  case documentPath
  /// The same scheme, host and port.
  case origin
}

// `==` on an enumeration of another module is a call through a table, `switch` is a comparison: the decision path says
// `isYes` and `isNo`.
extension Ternary {
  var isYes: Bool { if case .yes = self { true } else { false } }
  var isNo: Bool { if case .no = self { true } else { false } }

  /// Kleene's `and`: `no` wins, then `unknown`.
  package static func and(_ left: Ternary, _ right: @autoclosure () -> Ternary) -> Ternary {
    if left.isNo { return .no }
    let other = right()
    if other.isNo { return .no }
    return left.isYes ? other : .unknown
  }

  /// Kleene's `or`: `yes` wins, then `unknown`.
  package static func or(_ left: Ternary, _ right: @autoclosure () -> Ternary) -> Ternary {
    if left.isYes { return .yes }
    let other = right()
    if other.isYes { return .yes }
    return left.isNo ? other : .unknown
  }

  /// Unknown stays unknown: no chain of `not` makes a certainty of it.
  package var negated: Ternary {
    switch self {
    case .yes: .no
    case .no: .yes
    case .unknown: .unknown
    }
  }
}

extension Condition {
  /// Keys of which at least one holds whenever the condition is not certainly false; nil when other URLs may fulfil it.
  ///
  ///     domain: contoso.com, scheme: https     ->  host contoso.com, and below
  ///     any of host a.example, list 3          ->  host a.example; list 3
  ///     not domain: contoso.com                ->  nil
  ///
  /// Trap: a condition that does not certainly imply one of its keys must offer none. Otherwise a rule is hidden, and a
  /// hidden external rule is a leak.
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
    case .not, .scheme, .port, .queryOver, .filters, .same, .sameSite, .from, .hop: nil
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
    case .not, .scheme, .port, .queryOver, .regex, .pattern, .filter, .filters, .same, .sameSite, .from, .hop: false
    }
  }

  /// Chooses, among keys that each would do, those that lead to the rule for fewest URLs.
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
  /// Higher for conditions that hold of more URLs, or cost more to find out.
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

/// A key that a rule is filed under: without it, the rule's condition is certainly false.
///
/// A condition offers a list of keys, of which at least one holds whenever it is not certainly false; no list at all
/// means that other URLs may fulfil it, and the rule is looked at for every URL.
///
///     domain: contoso.com                      ->  host contoso.com, and below
///     pattern: "https://x.example/a/*"         ->  host x.example, path from /a/
///     regex: '/v[0-9]+/'                       ->  text /v[0-9]+/
///
/// Trap: a key that is too narrow hides a rule, and a hidden external rule is a leak. When in doubt, offer none.
package enum IndexKey: Sendable, Hashable {
  /// A URL of any scheme with this host, or (`below`) with a host that ends in a dot and this name and is no address.
  /// The URL's path begins with these bytes.
  case host([UInt8], below: Bool, path: [UInt8])
  /// Exactly this judged URL, serialised.
  case url([UInt8])
  /// A host of the list with this number, or below one.
  case list(HostListNumber)
  /// A host that is an address in this network.
  case network(IPNetwork)
  /// A judged URL in which this PCRE2 pattern is found.
  case text(String)
}

/// The place that a rule names for the URLs it takes, and the place's owner (ledger SL-05, SL-09).
///
///     internal: { domain: contoso.sharepoint.com }
///     location: sharePoint
///     account: own
package struct NamedPlace: Sendable, Hashable {
  package enum Owner: Sendable, Hashable {
    /// No account was stated, or the rule is external.
    case nobody
    /// The account that asks.
    case own
    /// An account of the policy, as the rule spells it.
    case account(String)

    /// The word of a rule file; nil where none is written.
    package var written: String? {
      switch self {
      case .nobody: nil
      case .own: Self.ownWord
      case .account(let name): name
      }
    }

    /// No account has it for a name: it is no UPN.
    package static let ownWord = "own"
  }

  package var location: Location
  package var owner: Owner

  package init(_ location: Location, of owner: Owner) {
    self.location = location
    self.owner = owner
  }

  /// The places that a URL can be: services, and systems that the organisation runs itself.
  package static let locations: [Location] = [
    .oneDriveForBusiness, .sharePoint, .box, .dropbox, .googleDrive, .iManage, .egnyte, .accountDocument, .other,
  ]
}
